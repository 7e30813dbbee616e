"""Sealed secrets on a terminal: their passphrase is asked for when one is wanted, and once."""

import asyncio
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.settings.account_settings import Account, save_account
from tools.accounts.secret_store import SecretStore

ROOT = Path(__file__).parent.parent.parent
PASSPHRASE = "seven quiet herons wading"  # noqa: S105 — nobody's
PROMPT = "Passphrase of your secrets: "


@dataclass(frozen=True)
class Terminal:
    """Somebody at a terminal, who types the passphrase whenever it is asked for."""

    profile: Path

    def run(self, *arguments: str) -> tuple[int, str]:
        """How often it was asked for, and what was printed."""
        screen, keyboard = pty.openpty()
        command = [sys.executable, "-m", "gui", *arguments, "--profile", str(self.profile)]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.profile.parent)}
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=keyboard,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as running:
            os.close(keyboard)
            assert running.stdout
            asked = sum(1 for _ in self._typing(running, screen))
            said = running.stdout.read().decode()
        os.close(screen)
        return asked, said

    def _typing(self, running: "subprocess.Popen[bytes]", screen: int) -> Iterator[None]:
        assert running.stderr
        heard = b""
        while part := os.read(running.stderr.fileno(), 4096):
            heard += part
            if heard.endswith(PROMPT.encode()):
                os.write(screen, f"{PASSPHRASE}\n".encode())
                heard = b""
                yield


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    made = Terminal(tmp_path / "profile")
    sealed = made.profile / "secrets.sealed"
    asyncio.run(_sealed(sealed))
    nobody = Account("me", "smtp", address="me@x.org", host="127.0.0.1", port=1)
    save_account(made.profile / "settings.toml", nobody)
    return made


async def _sealed(path: Path) -> None:
    secrets = SecretStore()
    secrets.set_for_session("smtp:me@x.org", "abcdefghijklmnop")
    await secrets.use_encrypted_file(path, PASSPHRASE)


def test_a_command_without_secrets_needs_no_passphrase(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "mail" / "cur").mkdir(parents=True)
    for command in (("tools",), ("connect", "maildir", str(tmp_path / "mail"))):
        asked, said = terminal.run(*command)
        assert (asked, bool(said)) == (0, True)
    assert list((terminal.profile / "indexes").glob("mail-*"))


def test_a_command_with_secrets_asks_once(terminal: Terminal) -> None:
    for command, words in (
        ("accounts", "Sends mail after your approval"),
        ("secrets", "encrypted with your passphrase"),
        ("doctor", "✓ Secrets"),
    ):
        asked, said = terminal.run(command)
        assert (asked, words in said) == (1, True), said
