"""File policy: decides by name and content whether a file may be opened; opens nothing."""

import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from gui.artifacts.static_html import is_static_html
from tools.safe_files import has_executable_suffix

MAX_TEXT_BYTES = 4_000_000  # bytes; a longer text is shown in its folder
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0e-\x1f]")
_ACTIVE_CONTENT = re.compile(r"(^|/)(vba|macros?|basic|scripts?|activex|embeddings)", re.IGNORECASE)


@dataclass(frozen=True)
class OpenFile:
    """Open the file with the desktop's program for it."""

    path: Path


@dataclass(frozen=True)
class ShowInFolder:
    """Do not open the file, offer its folder; `reason` is shown."""

    path: Path
    reason: str


@dataclass(frozen=True)
class MissingFile:
    """The file does not exist."""

    path: Path


FileDecision = OpenFile | ShowInFolder | MissingFile


def check_file(path: Path) -> FileDecision:
    """Decide about a file: opened only if name and content are of the same harmless type."""
    if not path.exists():
        return MissingFile(path)
    real = path.resolve()
    if real.is_dir():
        return ShowInFolder(path, "It is a folder.")
    reason = _name_reason(path.name) or _name_reason(real.name) or _file_reason(real)
    return ShowInFolder(path, reason) if reason else OpenFile(path)


def _name_reason(name: str) -> str:
    if any(unicodedata.category(sign) in {"Cc", "Cf", "Zl", "Zp", "Co"} for sign in name):
        return "Its name contains hidden characters."
    if name != name.strip() or name.endswith("."):
        return "Its name ends in a way that hides what it is."
    if name.startswith("."):
        return "It is a hidden file."
    suffixes = [suffix.lower().rstrip() for suffix in Path(name).suffixes]
    if has_executable_suffix(name):
        return "Files of this kind can run as programs."
    if not suffixes or suffixes[-1] not in _HARMLESS_TYPES:
        return "Deskhand does not know this kind of file as harmless."
    return ""


def _file_reason(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            return "It is not an ordinary file."
        if mode & 0o111:
            return "It is marked as a program."
        fits = _HARMLESS_TYPES[path.suffix.lower()](path)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return "It cannot be read."
    return "" if fits else "Its content is not what its name says."


def _starts_with(*magic: bytes) -> Callable[[Path], bool]:
    def fits(path: Path) -> bool:
        with path.open("rb") as file:
            return file.read(16).startswith(magic)

    return fits


def _is_webp(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(12)
    return head[:4] == b"RIFF" and head[8:] == b"WEBP"


def _office_package(part: str) -> Callable[[Path], bool]:
    """Return a check for an office package with this part and no active content."""

    def fits(path: Path) -> bool:
        if not _starts_with(b"PK\x03\x04")(path):
            return False
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
        return part in names and not any(_ACTIVE_CONTENT.search(name) for name in names)

    return fits


def _is_text(path: Path) -> bool:
    text = _text(path)
    return text is not None and not text.lstrip("\ufeff \t\r\n").startswith(
        ("#!", "[Desktop Entry]")
    )


def _is_calendar(path: Path) -> bool:
    text = _text(path)
    return text is not None and text.lstrip("\ufeff").upper().startswith("BEGIN:VCALENDAR")


def _is_static_page(path: Path) -> bool:
    text = _text(path)
    return text is not None and is_static_html(text)


def _text(path: Path) -> str | None:
    if path.stat().st_size > MAX_TEXT_BYTES:
        return None
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL_CHARACTERS.search(text) else text


_HARMLESS_TYPES: Mapping[str, Callable[[Path], bool]] = MappingProxyType(
    {
        ".pdf": _starts_with(b"%PDF-"),
        ".png": _starts_with(b"\x89PNG\r\n\x1a\n"),
        ".jpg": _starts_with(b"\xff\xd8\xff"),
        ".jpeg": _starts_with(b"\xff\xd8\xff"),
        ".gif": _starts_with(b"GIF87a", b"GIF89a"),
        ".bmp": _starts_with(b"BM"),
        ".tif": _starts_with(b"II*\0", b"MM\0*"),
        ".tiff": _starts_with(b"II*\0", b"MM\0*"),
        ".webp": _is_webp,
        ".docx": _office_package("word/document.xml"),
        ".xlsx": _office_package("xl/workbook.xml"),
        ".pptx": _office_package("ppt/presentation.xml"),
        ".odt": _office_package("content.xml"),
        ".ods": _office_package("content.xml"),
        ".odp": _office_package("content.xml"),
        ".txt": _is_text,
        ".md": _is_text,
        ".log": _is_text,
        ".csv": _is_text,
        ".tsv": _is_text,
        ".ics": _is_calendar,
        ".html": _is_static_page,
        ".htm": _is_static_page,
    }
)
