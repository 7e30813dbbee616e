"""Keyring session: a D-Bus session of its own, with the real Secret Service in a given state."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.e2e.virtual_desktop import need

ROOT = Path(__file__).parents[3]
State = Literal["none", "not set up", "locked", "open", "refused"]

_OPENING: Mapping[State, str] = {
    "none": "",
    "not set up": "",
    "locked": "gnome-keyring-daemon --start --components=secrets >/dev/null; ",
    "open": "printf PASSWORD | gnome-keyring-daemon --unlock --components=secrets >/dev/null; ",
    "refused": "printf PASSWORD | gnome-keyring-daemon --unlock --components=secrets >/dev/null; ",
}
_REFUSING_BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <include>/usr/share/dbus-1/session.conf</include>
  <policy context="mandatory"><deny send_destination="org.freedesktop.secrets"/></policy>
</busconfig>
"""


@dataclass(frozen=True)
class KeyringSession:
    """Runs programs beside a keyring whose files are below `folder`, and away from the user's."""

    folder: Path

    def run(
        self, state: State, *arguments: str, given: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run Python with these arguments, the keyring in that state.

        Args:
            state: the state of the keyring.
            arguments: the arguments of Python.
            given: its standard input.
            environment: additional environment variables.
        """
        with self.begin(state, *arguments, **environment) as process:
            output, errors = process.communicate(given)
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def begin(self, state: State, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start as `run` does, to communicate with the program while it runs."""
        need("dbus-run-session", "gnome-keyring-daemon")
        return subprocess.Popen(
            self.command(state, [sys.executable, *arguments]),
            cwd=ROOT,
            env={**self.environment(), **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def command(self, state: State, command: Sequence[str]) -> Sequence[str]:
        if state == "none":
            return command
        bus = [f"--config-file={self._refusing_bus()}"] if state == "refused" else []
        opening = f'{_OPENING[state]}exec "$@"'
        return ["dbus-run-session", *bus, "--", "sh", "-c", opening, "sh", *command]

    def _refusing_bus(self) -> Path:
        """Return the configuration of a bus that denies access to the keyring, as in a sandbox."""
        written = self.folder / "refusing.conf"
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(_REFUSING_BUS)
        return written

    def environment(self) -> Mapping[str, str]:
        running = self.folder / "run"
        running.mkdir(parents=True, exist_ok=True, mode=0o700)
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.folder),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_RUNTIME_DIR": str(running),
            "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        }
