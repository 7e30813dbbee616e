"""Google in the real window: connected by keys alone, used, and there after a restart."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from assistant.bus.ipc_client import ConnectionLostError, NotRunningError, call_running_instance
from assistant.bus.jsonrpc import JsonRpcError
from assistant.conversation_store import ConversationStore, Turn
from assistant.profile import Profile
from assistant.settings import read_settings
from gui.theme.colors import LIGHT
from tests.e2e.virtual_desktop import PROGRAMS, ROOT, WAIT_SECONDS, Desktop, desktop, need, until
from tests.google.browser import browser
from tests.google.google import Google
from tests.google.server import google_server
from tests.tools.accounts.keyring_session import KeyringSession

pytestmark = pytest.mark.desktop

_BUTTON = 1000  # pixels of the accent colour that a card or a step brings with its button
MAIL = (
    b"From: Ada <ada@x.example>\r\nTo: anna.berg@example.com\r\nSubject: The engine\r\n"
    b"Date: Fri, 20 Nov 2026 08:00:00 +0000\r\nMessage-ID: <1@x.example>\r\n\r\nIt weaves."
)


@pytest.fixture
def google() -> Iterator[Google]:
    """A Google of our own with one mail."""
    with google_server() as running:
        running.add_mail(MAIL)
        yield running


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Desktop]:
    """A desktop without a tray."""
    need(*PROGRAMS, "import", "dbus-run-session", "gnome-keyring-daemon")
    with desktop(tmp_path) as made:
        yield made


def _started(screen: Desktop, google: Google, folder: Path) -> "subprocess.Popen[bytes]":
    """The program beside an open keyring, with a Google on this computer."""
    session = KeyringSession(folder / "home")
    deskhand = [sys.executable, "-m", "gui", "--profile", str(folder / "profile")]
    told = {"DESKHAND_GOOGLE_ENDPOINT": google.url, "PATH": screen.environment["PATH"]}
    program = subprocess.Popen(
        session.command("open", deskhand),
        cwd=ROOT,
        env={**session.environment(), **told, "DISPLAY": screen.environment["DISPLAY"]},
        start_new_session=True,
    )
    screen.ending.callback(_end, program)
    until(lambda: _is_titled(screen, "Deskhand"), "the window")
    return program


def _end(program: "subprocess.Popen[bytes]") -> None:
    """End the program with the bus it runs on."""
    with suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()


def _is_titled(screen: Desktop, title: str) -> bool:
    return any(title in shown for shown in screen.titles())


def _turns(folder: Path) -> list[Turn]:
    database = Profile(folder / "profile").database
    if not database.exists():
        return []
    try:
        with closing(ConversationStore(database)) as store:
            turns = [turn for one in store.conversations() for turn in store.turns(one.id)]
    except sqlite3.OperationalError:  # the program writes at this moment
        return []
    return [turn for turn in turns if turn.reply is not None]


def _latest_email(folder: Path) -> str:
    """The newest email, of the workspace that the window has open."""
    try:
        return str(call_running_instance(folder / "profile", "agents/gmail/read", {}))
    except (NotRunningError, ConnectionLostError, JsonRpcError):
        return ""


def _names(folder: Path) -> list[str]:
    settings = Profile(folder / "profile").settings
    accounts = read_settings(settings, {}).accounts if settings.exists() else ()
    return [account.name for account in accounts]


def _ask(screen: Desktop, folder: Path, words: str) -> str:
    """Ask, and wait for the reply."""
    before = len(_turns(folder))
    screen.type(words)
    screen.press("Return")
    until(lambda: len(_turns(folder)) > before, f"the reply to {words}")
    reply = max(_turns(folder), key=lambda turn: turn.id).reply
    assert reply is not None
    return f"{reply.status}: {reply.message}\n{reply.details}"


def _settings_open(screen: Desktop) -> bool:
    """Press their key; it does nothing until everything is loaded."""
    screen.press("ctrl+comma")
    return _is_titled(screen, "Settings")


def _connect(screen: Desktop, google: Google, folder: Path) -> None:
    """Go through the form by keys alone."""
    until(lambda: _settings_open(screen), "the settings")
    screen.activate("Settings")
    screen.press("Tab", "space")  # the list of pages, then “Connect Google…”
    screen.type(google.client.id)
    screen.press("Tab")
    screen.type(google.client.secret)
    filled = screen.pixels(LIGHT.accent)
    screen.press("Return")
    until(lambda: screen.pixels(LIGHT.accent) > filled + _BUTTON, "the permissions")
    screen.press("space", "Tab", "Tab", "Tab")  # writing is ticked, then the field for the name
    screen.type("Anna")
    screen.press("Return")
    until(lambda: screen.opened, "the page in the browser")
    with browser() as opened:
        opened(screen.opened[0])
    until(lambda: _names(folder) == ["Anna"], "the account")
    screen.press("Escape")
    until(lambda: not _is_titled(screen, "Settings"), "the window alone")
    until(lambda: "The engine" in _latest_email(folder), "the mail of the new account")


def _send(screen: Desktop, folder: Path) -> str:
    """Ask for an email, look at the card, and press the button that sends."""
    before, filled = len(_turns(folder)), screen.pixels(LIGHT.accent)
    screen.type('Send an email to bo@x.example saying "hello"')
    screen.press("Return")
    until(lambda: screen.pixels(LIGHT.accent) > filled + _BUTTON, "the card")
    screen.press("Tab", "Return")  # from “Cancel”, which a stray key means, to “Send”
    until(lambda: len(_turns(folder)) > before, "the reply")
    reply = max(_turns(folder), key=lambda turn: turn.id).reply
    assert reply is not None
    return reply.status


def test_google_is_connected_read_sent_from_and_there_after_a_restart(
    screen: Desktop, google: Google, tmp_path: Path
) -> None:
    program = _started(screen, google, tmp_path)
    _connect(screen, google, tmp_path)
    assert "The engine" in _ask(screen, tmp_path, "Read my latest 5 emails")
    assert _send(screen, tmp_path) == "success"
    (sent,) = google.sent
    assert b"To: bo@x.example" in sent.raw
    screen.press("ctrl+q")
    assert program.wait(timeout=WAIT_SECONDS) == 0

    again = _started(screen, google, tmp_path)
    until(lambda: _is_titled(screen, "Read my latest 5 emails"), "what was asked before")
    assert "The engine" in _ask(screen, tmp_path, "Read my latest 3 emails")
    assert len(screen.opened) == 1, "nobody signs in twice"
    screen.press("ctrl+q")
    assert again.wait(timeout=WAIT_SECONDS) == 0
    assert _showing(tmp_path, google) == []


def _showing(folder: Path, google: Google) -> list[str]:
    """Which files show a token, or the secret of the client."""
    tokens = {
        asked.headers.get("authorization", "").removeprefix("Bearer ") for asked in google.requests
    }
    secrets = [each.encode() for each in {*tokens, google.client.secret} if each]
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [str(file) for file in files if any(each in file.read_bytes() for each in secrets)]
