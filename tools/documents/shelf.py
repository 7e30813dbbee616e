"""A shelf: where new files get a safe name, whole or not at all, and never in place of another."""

import contextlib
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import Path

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\s]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)
_LONGEST_NAME = 150  # bytes; file systems take 255, and a number and an ending come after it


def safe_name(words: str, ending: str) -> str:
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
    name = _shortened(name).strip(" .-~")
    if _RESERVED.fullmatch(name.partition(".")[0].rstrip()):
        name = f"{name} document" if "." not in name else name.replace(".", " ")
    return f"{name or 'Document'}{ending}"


def _shortened(name: str) -> str:
    return name.encode()[:_LONGEST_NAME].decode(errors="ignore")


def numbered(path: Path) -> Iterator[Path]:
    """The path, then the same with (2), (3) and so on."""
    yield path
    for number in count(2):
        yield path.with_name(f"{path.stem} ({number}){path.suffix}")


def create_numbered(path: Path, content: bytes) -> Path:
    """Write a new file under this name, or the next one that is free; gives the name it got.

    Raises:
        OSError: it could not be written; then nothing of it is there.
    """
    for candidate in numbered(path):
        with contextlib.suppress(FileExistsError):
            create(candidate, content)
            return candidate
    raise AssertionError("there is always another number")


def create(path: Path, content: bytes) -> None:
    """Write a new file, readable by its owner alone.

    The name is taken first and the whole content put in its place after, so that neither another
    file is overwritten nor half a file seen.

    Raises:
        FileExistsError: the name is taken.
        OSError: it could not be written; then nothing of it is there.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        _replace(path, content)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _replace(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
