"""Safe files: portable names, creation that never overwrites, and detection of executables."""

import contextlib
import re
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import Path, PurePath

from tools.atomic_file import create_file

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\s]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)
_MAX_NAME_BYTES = 150  # bytes; file systems take 255, and a number and an ending come after it


def safe_filename(words: str, ending: str) -> str:
    """A file name made from any words: visible, ordinary on every system, and without a path.

    Args:
        words: what the name should say; an `ending` already there is not doubled.
        ending: with its dot, ".docx".
    """
    visible = "".join(
        sign
        for sign in unicodedata.normalize("NFC", words)
        if sign.isspace() or not unicodedata.category(sign).startswith("C")
    )
    name = _FORBIDDEN.sub(" ", visible).strip(" .-~")
    if name.lower().endswith(ending.lower()):
        name = name[: -len(ending)] if ending else name
    name = _shorten(name).strip(" .-~")
    if _RESERVED.fullmatch(name.partition(".")[0].rstrip()):
        name = f"{name} document" if "." not in name else name.replace(".", " ")
    return f"{name or 'Document'}{ending}"


def _shorten(name: str) -> str:
    return name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore")


def numbered_paths(path: Path) -> Iterator[Path]:
    """The path, then the same with (2), (3) and so on."""
    yield path
    for number in count(2):
        yield path.with_name(f"{path.stem} ({number}){path.suffix}")


def create_numbered(path: Path, content: bytes) -> Path:
    """Write a new file under this name, or the next one that is free; gives the name it got.

    Raises:
        OSError: it could not be written; then nothing of it is there.
    """
    for candidate in numbered_paths(path):
        with contextlib.suppress(FileExistsError):
            create_file(candidate, content)
            return candidate
    raise AssertionError("there is always another number")


EXECUTABLE_SUFFIXES = frozenset(
    f".{ending}"
    for ending in (
        *("app", "appimage", "bash", "bat", "cgi", "cmd", "com", "command", "cpl", "desktop"),
        *("dll", "dmg", "exe", "gadget", "hta", "htaccess", "inf", "iso", "jar", "js", "jse"),
        *("ksh", "lnk", "mjs", "msc", "msi", "pif", "pkg", "pl", "ps1", "py", "pyc", "pyw", "rb"),
        *("reg", "run", "scf", "scr", "service", "sh", "so", "svg", "svgz", "url", "vb", "vbe"),
        *("vbs", "webloc", "ws", "wsf", "wsh", "xhtml", "zsh"),
    )
)
"""Endings of files that can do something when they are opened."""
_EXECUTABLE_MAGIC = (
    *(b"MZ", b"\x7fELF", b"#!", b"[Desktop Entry]"),
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
)


def has_executable_suffix(name: str) -> bool:
    """Whether any ending of the name is one of a program."""
    return any(suffix.lower().rstrip() in EXECUTABLE_SUFFIXES for suffix in PurePath(name).suffixes)


def has_executable_content(beginning: bytes) -> bool:
    """Whether a file that begins like this is a program or a script."""
    return beginning.startswith(_EXECUTABLE_MAGIC)
