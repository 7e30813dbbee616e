"""A profile for repeated runs of the command line, with all that other processes could read."""

import json
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.google.browser import decided
from tests.google.emulator import Emulator
from tests.google.google import Google
from tests.tools.accounts.keyring_session import KeyringSession, State

_PAGE = re.compile(r"Open this page: (http://\S+)")
_LIST_SECRETS = """
import json, secretstorage
from contextlib import closing
with closing(secretstorage.dbus_init()) as bus:
    items = secretstorage.search_items(bus, {"service": "deskhand"})
    kept = {each.get_attributes()["username"]: each.get_secret().decode() for each in items}
print(json.dumps(kept))
"""


@dataclass
class CommandLineProfile:
    """A profile in a home of its own; `seen` is what others could read about its processes."""

    folder: Path
    google: Google | Emulator
    keyring: State = "open"
    environment: Mapping[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    seen: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.session = KeyringSession(self.folder / "home")
        (self.folder / "tmp").mkdir(parents=True)

    def run(self, *arguments: str, given: str = "") -> tuple[int, str]:
        """Run the command line to its end, a person at the browser; its status and what it says."""
        command = (
            "-m",
            "tests.e2e.debug_logging_cli",
            *arguments,
            "--profile",
            str(self.folder / "profile"),
        )
        environment = {
            "TALK": str(self.folder / "talk.log"),
            "TMPDIR": str(self.folder / "tmp"),
            "DESKHAND_GOOGLE_ENDPOINT": self.google.url,
            **self.environment,
        }
        lines: list[str] = []
        with self.session.begin(self.keyring, *command, **environment) as begun:
            over = threading.Event()
            watching = threading.Thread(target=self._watch, args=(over,))
            listening = threading.Thread(target=lambda: lines.extend(begun.stdout or ()))
            for each in (watching, listening):
                each.start()
            assert begun.stdin
            begun.stdin.write(given)
            begun.stdin.close()
            for line in begun.stderr or ():
                lines.append(line)
                if page := _PAGE.search(line):
                    decided(page[1], "allow")
            begun.wait()
            listening.join()
            over.set()
            watching.join()
        self.said.append("".join(lines))
        return begun.returncode, "".join(lines)

    def kept(self) -> Mapping[str, str]:
        """What the Secret Service has, by name."""
        finished = self.session.run("open", "-c", _LIST_SECRETS)
        assert finished.returncode == 0, finished.stderr
        kept: dict[str, str] = json.loads(finished.stdout)
        return kept

    def written(self) -> dict[str, bytes]:
        """Every file of it."""
        files = (each for each in self.folder.rglob("*") if each.is_file())
        return {str(each.relative_to(self.folder)): each.read_bytes() for each in files}

    def _watch(self, over: threading.Event) -> None:
        mark = f"HOME={self.folder}".encode()
        while not over.wait(0.02):
            for process in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    environment = (process / "environ").read_bytes()
                    if mark in environment:
                        self.seen |= {environment, (process / "cmdline").read_bytes()}
