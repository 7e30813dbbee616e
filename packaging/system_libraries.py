"""Finds what the system itself must bring, installs it with apt where that is possible, names it
where it is not. Runs with nothing but a standard Python.

    python3 system_libraries.py python|window|tests
"""

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)

# What is looked for -> the Debian package that brings it.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
PROGRAMS = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "trayer": "trayer",
    "xdotool": "xdotool",
    "wmctrl": "wmctrl",
    "xprop": "x11-utils",
    "import": "imagemagick",
    "dbus-run-session": "dbus",
    "gnome-keyring-daemon": "gnome-keyring",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
FONT_PACKAGE = "fonts-dejavu-core"


def main(need: str) -> int:
    """Bring what is needed; gives the exit status."""
    if sys.version_info < OLDEST_PYTHON:
        wanted, found = ".".join(map(str, OLDEST_PYTHON)), ".".join(map(str, sys.version_info[:2]))
        sentence = f"Deskhand needs Python {wanted} or newer, and this is {found}."
        print(f"{sentence} Name another one: make PYTHON=python{wanted} …", file=sys.stderr)
        return 1
    if not sys.platform.startswith("linux"):
        return 0
    required = {"python": missing_python, "window": missing_libraries, "tests": missing_libraries}
    packages = required[need]()
    wished = missing_programs() if need == "tests" else []
    if (packages or wished) and not apt_install([*packages, *wished]):
        return report(packages, wished)
    return 0


def missing_python():
    """The package without which no virtual environment can be made."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return []
    return [f"python{sys.version_info.major}.{sys.version_info.minor}-venv"]


def missing_libraries():
    """The packages of the libraries, and the font, that Qt needs."""
    packages = [package for library, package in LIBRARIES.items() if not loads(library)]
    return packages if has_font() else [*packages, FONT_PACKAGE]


def missing_programs():
    """The packages of the programs that tests drive: a desktop, and a keyring."""
    return [package for program, package in PROGRAMS.items() if not shutil.which(program)]


def loads(library):
    """Whether the system's loader finds a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_font():
    """Whether any scalable font is installed."""
    folders = [Path(folder).expanduser() for folder in FONT_FOLDERS]
    return any(next(folder.rglob("*.[to]tf"), None) for folder in folders if folder.is_dir())


def apt_install(packages):
    """Install packages; whether that went well."""
    become_root = root_prefix()
    if become_root is None or not shutil.which("apt-get"):
        return False
    print(f"Installing what is missing: {' '.join(packages)}", flush=True)
    apt = [*become_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    subprocess.run([*apt, "update"], check=False, stdout=subprocess.DEVNULL)
    install = [*apt, "install", "--yes", "--no-install-recommends", *packages]
    return subprocess.run(install, check=False, stdout=subprocess.DEVNULL).returncode == 0


def root_prefix():
    """What to put before a command to run it as root; None where there is no way."""
    if os.geteuid() == 0:
        return []
    if not shutil.which("sudo"):
        return None
    if sys.stdin.isatty():
        return ["sudo"]
    allowed = subprocess.run(["sudo", "-n", "true"], check=False, stderr=subprocess.DEVNULL)
    return ["sudo", "-n"] if allowed.returncode == 0 else None


def report(packages, wished):
    """Say in a sentence what is missing; only what is required, or CI, makes it an error."""
    if packages:
        print(f"Missing system packages, please install: {' '.join(packages)}", file=sys.stderr)
    if wished:
        print(f"Without {' '.join(wished)} some tests are skipped.", file=sys.stderr)
    return 1 if packages or os.environ.get("CI") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
