"""Maildir: one file a message, with its marks in the file's name, in nested folders."""

import os
import string
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from tools.mail.folded import storable
from tools.mail.places import from_modified_utf7
from tools.mail.store import Entry, Folder, Marks, Scan
from tools.tool import ToolError

MOST_FOLDERS = 2_000
DEEPEST_NESTING = 8
LABELS = "dovecot-keywords"  # https://doc.dovecot.org/main/core/config/mailbox/formats/maildir.html
_LETTERS = {str(number): letter for number, letter in enumerate(string.ascii_lowercase)}
_ASCII = string.punctuation.replace("%", "") + " "
_SETTLED = 2.0  # seconds; a folder changed more recently may change again in the same tick


class MaildirStore:
    """A Maildir with Maildir++ subfolders (".Sent"), or plain folders of Maildirs, or both."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise ToolError(f"There is no folder {path}. Give the path of a Maildir.")
        self._path = path
        if not self.folders():
            raise ToolError(
                f"{path} is not a Maildir: neither it nor a folder in it holds a folder named cur."
            )

    def folders(self) -> list[Folder]:
        """Every Maildir at or under the path; the one at the path itself is the inbox."""
        found = sorted(_maildirs(self._path, "", 0), key=lambda folder: folder.name.casefold())
        found.sort(key=lambda folder: folder.name.casefold() != "inbox")
        return found[:MOST_FOLDERS]

    def scan(self, folder: Folder, stamp: str) -> Scan | None:
        """All messages, where files have come, gone or been renamed."""
        present = _stamp(folder.path)
        if present and present == stamp:
            return None
        entries = sorted(_entries(folder), key=lambda entry: entry.name)
        return Scan(entries, len(entries), is_whole=True, stamp=present)

    def read(self, folder: Folder, place: str) -> bytes:
        """The file's bytes."""
        return file_of(folder, place).read_bytes()

    def stored(self, folder: Folder, place: str) -> float:
        """When the file was written."""
        return file_of(folder, place).stat().st_mtime


def file_of(folder: Folder, place: str) -> Path:
    """Where a message of the folder lies."""
    return folder.path / unquote(place, errors="surrogateescape")


def _maildirs(path: Path, name: str, depth: int) -> Iterator[Folder]:
    """The Maildirs at and under the path; folders under it that may not be read are passed over."""
    if depth == DEEPEST_NESTING:
        return
    try:
        with os.scandir(path) as children:
            inner = [child for child in children if child.is_dir(follow_symlinks=False)]
    except PermissionError:
        if not depth:
            raise
        return
    if any(child.name == "cur" for child in inner):
        yield Folder(storable(name) or "INBOX", path)
    for child in inner:
        if child.name not in {"cur", "new", "tmp"}:
            yield from _maildirs(Path(child.path), _name(name, child.name), depth + 1)


def _name(parent: str, child: str) -> str:
    """In Maildir++ ".Archive.2026" is Archive/2026; any other name stands for itself."""
    own = child[1:].replace(".", "/") if child.startswith(".") else child
    own = from_modified_utf7(own)
    if not parent and own.casefold().startswith("inbox/"):
        own = own[6:]
    return f"{parent}/{own}" if parent else own


def _stamp(path: Path) -> str:
    """Changes whenever a file comes, goes or is renamed; "" while that cannot be told yet."""
    times = [(path / part).stat().st_mtime_ns for part in ("cur", "new") if (path / part).is_dir()]
    if max(times, default=0) / 1e9 > time.time() - _SETTLED:
        return ""
    return ":".join(map(str, times))


def labels_of(folder: Folder) -> dict[str, str]:
    """What the small letters in the names of a folder's files stand for, as Dovecot keeps it."""
    try:
        lines = (folder.path / LABELS).read_text("utf-8", "replace").splitlines()[: len(_LETTERS)]
    except OSError:
        return {}
    named = (line.partition(" ") for line in lines)
    return {
        _LETTERS[number]: label.strip()
        for number, _, label in named
        if number in _LETTERS and label.strip()
    }


def entry_of(folder: Folder, part: str, file_name: str, labels: Mapping[str, str]) -> Entry:
    """An entry from a file's name, in which letters beyond ASCII are percent-encoded."""
    name = quote(file_name, safe=_ASCII, errors="surrogateescape")
    unique, _, flags = name.partition(":2,")
    if not flags:
        unique, _, flags = name.partition(";2,")  # where file names may not hold a colon
    put_on = [labels[flag] for flag in flags if _is_label(labels.get(flag, ""))]
    marks = Marks(
        unread="S" not in flags,
        starred="F" in flags,
        trashed="T" in flags,
        labels=(folder.name, *put_on) if put_on else (),
    )
    return Entry(unique, f"{part}/{name}", marks)


def _is_label(name: str) -> bool:
    """Whether a person put it on, and not a mail program for itself."""
    return bool(name) and not name.startswith("$") and name not in {"Junk", "NonJunk"}


def _entries(folder: Folder) -> Iterator[Entry]:
    seen: set[str] = set()
    labels = labels_of(folder)
    for part in ("cur", "new"):
        if not (folder.path / part).is_dir():
            continue
        with os.scandir(folder.path / part) as files:
            for file in files:
                entry = entry_of(folder, part, file.name, labels)
                if not file.name.startswith(".") and entry.name not in seen and file.is_file():
                    seen.add(entry.name)
                    yield entry
