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
_MAX_NAME_BYTES = 150  # of 255, since a number and an ending are added


def safe_filename(text: str, ending: str) -> str:
    """Make a file name from any text: visible, valid on every system, and without a path.

    Args:
        text: The wanted name; an `ending` in it is not doubled.
        ending: The suffix with its dot, ".docx".
    """
    visible = "".join(
        character
        for character in unicodedata.normalize("NFC", text)
        if character.isspace() or not unicodedata.category(character).startswith("C")
    )
    name = _FORBIDDEN.sub(" ", visible).strip(" .-~")
    if name.lower().endswith(ending.lower()):
        name = name[: -len(ending)] if ending else name
    name = name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore").strip(" .-~")
    if _RESERVED.fullmatch(name.partition(".")[0].rstrip()):
        name = f"{name} document" if "." not in name else name.replace(".", " ")
    return f"{name or 'Document'}{ending}"


def numbered_paths(path: Path) -> Iterator[Path]:
    """Yield the path, then the same with (2), (3) and so on."""
    yield path
    for number in count(2):
        yield path.with_name(f"{path.stem} ({number}){path.suffix}")


def create_numbered(path: Path, content: bytes) -> Path:
    """Create a file with this name, or the next free one with a number; return its path.

    Raises:
        OSError: The file could not be written; nothing of it remains.
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
"""Suffixes of files that can run code when they are opened."""
_EXECUTABLE_MAGIC = (
    *(b"MZ", b"\x7fELF", b"#!", b"[Desktop Entry]"),
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
)


def has_executable_suffix(name: str) -> bool:
    """Whether any suffix of the name is executable."""
    return any(suffix.lower().rstrip() in EXECUTABLE_SUFFIXES for suffix in PurePath(name).suffixes)


def has_executable_content(beginning: bytes) -> bool:
    """Whether the beginning of a file is that of a program or script."""
    return beginning.startswith(_EXECUTABLE_MAGIC)
