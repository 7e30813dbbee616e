"""A virtual desktop for one test: an X server, a window manager, and simulated keys and mouse."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROGRAMS = ("Xvfb", "openbox", "xdotool")
ROOT = Path(__file__).parents[2]
ICON = 64  # pixels; wider is no icon
WAIT_SECONDS = 180  # until a test gives up, also where everything takes ten times as long


def need(*programs: str) -> None:
    """Skip the test where a program of the desktop is missing; fail where all must be there."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing and os.environ.get("CI"):
        pytest.fail(f"not installed: {', '.join(missing)}")
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


def until(holds: Callable[[], object], what: str) -> None:
    """Wait for a state; fail the test, naming it, when it does not come."""
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > end:
            pytest.fail(f"did not come: {what}")
        time.sleep(0.1)


@dataclass
class Desktop:
    """A running desktop; `opened` is where everything handed to it is written down."""

    folder: Path
    ending: ExitStack
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def opened(self) -> list[str]:
        """What was opened, oldest first."""
        record = self.folder / "opened"
        return record.read_text().splitlines() if record.exists() else []

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start a program on this desktop."""
        process = subprocess.Popen(command, env=self.environment, cwd=ROOT)
        self.ending.callback(_end, process)
        return process

    def deskhand(self, profile: Path, *options: str) -> "subprocess.Popen[bytes]":
        """Start the program itself on a profile."""
        return self.start(sys.executable, "-m", "gui", "--profile", str(profile), *options)

    def windows(self) -> list["Shape"]:
        """What the program shows: its windows, dialogs and menus."""
        return [one for one in self._shown() if one.width > ICON]

    def titles(self) -> list[str]:
        """The titles of what the program shows."""
        return [self._xdotool("getwindowname", one.id) for one in self.windows()]

    @property
    def active_title(self) -> str:
        """The title of the window that gets the keys; "" where it is none of the program's."""
        active = self._xdotool("getactivewindow")
        ours = active in self._xdotool("search", "--onlyvisible", "--class", "deskhand").split()
        return self._xdotool("getwindowname", active) if ours else ""

    def activate(self, title: str) -> None:
        """Give the keys to a window; it may not get them itself where others came meanwhile."""
        self._xdotool("search", "--onlyvisible", "--name", title, "windowactivate")
        until(lambda: title in self.active_title, f"the keys of {title}")

    def tray_icons(self) -> list["Shape"]:
        """What the program has put into the tray."""
        return [one for one in self._shown() if one.width <= ICON]

    def _shown(self) -> list["Shape"]:
        found = self._xdotool("search", "--onlyvisible", "--class", "deskhand").split()
        told = (self._xdotool("getwindowgeometry", "--shell", window) for window in found)
        return [Shape.told(shape) for shape in told if "WIDTH=" in shape]

    def type(self, text: str) -> None:
        """Press the keys of a text, once a window of the program gets them."""
        until(lambda: self.active_title, "an active window")
        self._xdotool("type", "--delay", "8", text)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, such as "ctrl+n"."""
        for key in keys:
            self._xdotool("key", key)
            time.sleep(0.15)

    def click(self, shape: "Shape", button: int) -> None:
        """Click into the middle of something."""
        x, y = shape.x + shape.width // 2, shape.y + shape.height // 2
        self._xdotool("mousemove", str(x), str(y))
        time.sleep(0.5)  # a tray tells its icons where the mouse is before what it did there
        self._xdotool("click", str(button))
        time.sleep(0.7)

    def pixels(self, color: str) -> int:
        """How many pixels of the screen are of this colour, such as "#3d4fb5"."""
        screen = subprocess.run(
            ["import", "-window", "root", "-depth", "8", "rgb:-"],
            env=self.environment,
            capture_output=True,
            check=True,
        )
        return screen.stdout.count(bytes.fromhex(color.removeprefix("#")))

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()


@dataclass(frozen=True)
class Shape:
    """A window and where it is on the screen, in pixels."""

    id: str
    x: int
    y: int
    width: int
    height: int

    @classmethod
    def told(cls, words: str) -> "Shape":
        """Read what xdotool says of a window."""
        at = dict(line.split("=") for line in words.splitlines())
        return cls(at["WINDOW"], *(int(at[side]) for side in ("X", "Y", "WIDTH", "HEIGHT")))


@contextmanager
def desktop(folder: Path, *more: Sequence[str]) -> Iterator[Desktop]:
    """A fresh desktop, with more programs of it where given; everything ends with it."""
    with ExitStack() as ending:
        made = Desktop(folder, ending, _environment(folder))
        made.environment["DISPLAY"] = _screen(ending)
        for command in (["openbox", "--sm-disable"], *more):
            made.start(*command)
        until(lambda: made._xdotool("getdisplaygeometry"), "the screen")
        yield made


def _environment(folder: Path) -> dict[str, str]:
    """The usual one, with a home of its own and an xdg-open that only writes down."""
    programs = folder / "programs"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{folder / "opened"}"\n')
    opener.chmod(0o755)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("QT_", "XDG_"))}
    for name in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "DESKHAND_PROFILE"):
        kept.pop(name, None)
    return {**kept, "PATH": f"{programs}:{kept['PATH']}", "HOME": str(folder)}


def _screen(ending: ExitStack) -> str:
    read, write = os.pipe()
    # Without -noreset it begins anew whenever its last client has gone, which may be the first one;
    # without -r a busy machine repeats keys that it releases late.
    options = ["-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset", "-r"]
    command = ["Xvfb", "-displayfd", str(write), *options]
    ending.callback(_end, subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL))
    os.close(write)
    with os.fdopen(read) as told:
        return f":{told.readline().strip()}"


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
