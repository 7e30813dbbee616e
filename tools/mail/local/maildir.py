"""Maildir: one file per message, its flags in the file name, in nested folders."""

import os
import string
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from tools.atomic_file import replace_file, sync_folder
from tools.mail.folders import decode_modified_utf7, folder_role, label_key
from tools.mail.local.message_store import (
    MAX_NESTING,
    FolderScan,
    MailFolder,
    MessageFlags,
    StoredMessage,
    inbox_first,
)
from tools.mail.mailbox import EmailChanges
from tools.mail.message.charsets import replace_surrogates
from tools.tool_errors import ToolError

KEYWORDS_FILE = "dovecot-keywords"
"""https://doc.dovecot.org/main/core/config/mailbox/formats/maildir.html"""
_LETTER_BY_NUMBER = {str(number): letter for number, letter in enumerate(string.ascii_lowercase)}
_SUBFOLDERS = ("cur", "new", "tmp")
_UNQUOTED = string.punctuation.replace("%", "") + " "
_MTIME_RESOLUTION = 2.0  # seconds; later changes may leave the time as it is


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

    def folders(self) -> list[MailFolder]:
        """Return every Maildir at or below the path; the one at the path itself is the inbox."""
        return inbox_first(_maildirs(self._path, "", 0))

    def scan(self, folder: MailFolder, checkpoint: str) -> FolderScan | None:
        """Scan all messages if files were added, removed or renamed."""
        present = _folder_checkpoint(folder.path)
        if present and present == checkpoint:
            return None
        messages = sorted(_stored_messages(folder), key=lambda stored: stored.name)
        return FolderScan(messages, len(messages), is_complete=True, checkpoint=present)

    def read(self, folder: MailFolder, location: str) -> bytes:
        """Return the bytes of the file."""
        return message_path(folder, location).read_bytes()

    def stored_at(self, folder: MailFolder, location: str) -> float:
        """Return the modification time of the file, in epoch seconds."""
        return message_path(folder, location).stat().st_mtime


def message_path(folder: MailFolder, location: str) -> Path:
    """Return the file of a message."""
    return folder.path / unquote(location, errors="surrogateescape")


def _maildirs(path: Path, name: str, depth: int) -> Iterator[MailFolder]:
    """Yield the Maildirs at and below the path; unreadable folders below it are skipped."""
    if depth == MAX_NESTING:
        return
    try:
        with os.scandir(path) as children:
            inner = [child for child in children if child.is_dir(follow_symlinks=False)]
    except PermissionError:
        if not depth:
            raise
        return
    if any(child.name == "cur" for child in inner):
        yield MailFolder(replace_surrogates(name) or "INBOX", path)
    for child in inner:
        if child.name not in _SUBFOLDERS:
            yield from _maildirs(Path(child.path), _folder_name(name, child.name), depth + 1)


def _folder_name(parent: str, child: str) -> str:
    """Return the folder name: ".Archive.2026" of Maildir++ is Archive/2026."""
    own = child[1:].replace(".", "/") if child.startswith(".") else child
    own = decode_modified_utf7(own)
    if not parent and own.casefold().startswith("inbox/"):
        own = own[6:]
    return f"{parent}/{own}" if parent else own


def _folder_checkpoint(path: Path) -> str:
    """Return modification times of the subfolders; "" while they may still change unnoticed."""
    times = [
        (path / subfolder).stat().st_mtime_ns
        for subfolder in ("cur", "new")
        if (path / subfolder).is_dir()
    ]
    if max(times, default=0) / 1e9 > time.time() - _MTIME_RESOLUTION:
        return ""
    return ":".join(map(str, times))


def read_labels(folder: MailFolder) -> dict[str, str]:
    """Return the labels that the lower-case flags stand for, as Dovecot stores them."""
    try:
        lines = (folder.path / KEYWORDS_FILE).read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    named = (line.partition(" ") for line in lines[: len(_LETTER_BY_NUMBER)])
    return {
        _LETTER_BY_NUMBER[number]: label.strip()
        for number, _, label in named
        if number in _LETTER_BY_NUMBER and label.strip()
    }


def stored_message(
    folder: MailFolder, subfolder: str, file_name: str, labels: Mapping[str, str]
) -> StoredMessage:
    """Return a message by file name, with non-ASCII characters percent-encoded."""
    name = quote(file_name, safe=_UNQUOTED, errors="surrogateescape")
    unique, _, flags = name.partition(":2,")
    if not flags:
        unique, _, flags = name.partition(";2,")  # where file names may not hold a colon
    names = [labels[flag] for flag in flags if _is_label(labels.get(flag, ""))]
    message_flags = MessageFlags(
        unread="S" not in flags,
        starred="F" in flags,
        trashed="T" in flags,
        labels=(folder.name, *names) if names else (),
    )
    return StoredMessage(unique, f"{subfolder}/{name}", message_flags)


def _is_label(name: str) -> bool:
    """Whether the user, and not a mail program, set the keyword."""
    return bool(name) and not name.startswith("$") and name not in {"Junk", "NonJunk"}


def _stored_messages(folder: MailFolder) -> Iterator[StoredMessage]:
    seen: set[str] = set()
    labels = read_labels(folder)
    for subfolder in ("cur", "new"):
        if not (folder.path / subfolder).is_dir():
            continue
        with os.scandir(folder.path / subfolder) as files:
            for file in files:
                stored = stored_message(folder, subfolder, file.name, labels)
                if not file.name.startswith(".") and stored.name not in seen and file.is_file():
                    seen.add(stored.name)
                    yield stored


class WritableMaildirStore(MaildirStore):
    """A writable `MaildirStore`; every change renames one file."""

    def folder(self, role: str) -> MailFolder:
        """Return the folder with this role ("inbox", "archive", "trash"), created if missing."""
        known = next((each for each in self.folders() if folder_role(each.name) == role), None)
        if known:
            return known
        folder = MailFolder(role.capitalize(), self._path / f".{role.capitalize()}")
        make_maildir(folder.path)
        return folder

    def mark(self, folder: MailFolder, location: str, changes: EmailChanges) -> StoredMessage:
        """Write the flags into the file name.

        Raises:
            OSError: the file is gone, or cannot be renamed.
            ToolError: the folder has no room for another label.
        """
        path = message_path(folder, location)
        flags = set(_flags(path.name))
        for flag, wanted in {"S": changes.read, "F": changes.starred}.items():
            flags = flags if wanted is None else flags | {flag} if wanted else flags - {flag}
        removed = {label_key(name) for name in changes.remove}
        flags -= {key for key, name in read_labels(folder).items() if label_key(name) in removed}
        flags |= _label_letters(folder, changes.add)
        return _rename(path, folder, flags)

    def move(self, folder: MailFolder, location: str, to: MailFolder) -> StoredMessage:
        """Move the message with its flags to another folder.

        Raises:
            OSError: the file is gone, or cannot be moved.
            ToolError: the folder has no room for another label.
        """
        path = message_path(folder, location)
        flags = set(_flags(path.name))
        labels = read_labels(folder)
        names = tuple(labels[flag] for flag in sorted(flags) if flag in labels)
        stored = _rename(
            path, to, {flag for flag in flags if flag.isupper()} | _label_letters(to, names)
        )
        sync_folder(path.parent)
        return stored


def make_maildir(folder: Path) -> None:
    """Create a Maildir if there is none."""
    for subfolder in _SUBFOLDERS:
        (folder / subfolder).mkdir(mode=0o700, parents=True, exist_ok=True)


def _flags(name: str) -> str:
    return name.partition(":2,")[2]


def _rename(path: Path, folder: MailFolder, flags: set[str]) -> StoredMessage:
    """Rename the file atomically; refuse to replace another one."""
    name = f"{path.name.partition(':2,')[0]}:2,{''.join(sorted(flags))}"
    target = folder.path / "cur" / name
    if target != path and target.exists():
        raise FileExistsError(17, "there is another email of that name", str(target))
    path.rename(target)
    sync_folder(target.parent)
    return stored_message(folder, "cur", name, read_labels(folder))


def _label_letters(folder: MailFolder, names: tuple[str, ...]) -> set[str]:
    """Return the flags of these labels in the folder; new labels are recorded."""
    labels = read_labels(folder)
    letters = {label_key(name): key for key, name in labels.items()}
    free = iter([key for key in string.ascii_lowercase if key not in labels])
    for name in names:
        if label_key(name) not in letters:
            letter = next(free, "")
            if not letter:
                raise ToolError(f"{folder.name} already has the maximum of 26 labels.")
            letters[label_key(name)], labels[letter] = letter, name
    if names:
        _write_labels(folder, labels)
    return {letters[label_key(name)] for name in names}


def _write_labels(folder: MailFolder, labels: dict[str, str]) -> None:
    lines = [
        f"{string.ascii_lowercase.index(key)} {name}\n" for key, name in sorted(labels.items())
    ]
    replace_file(
        folder.path / KEYWORDS_FILE,
        "".join(lines).encode(),
        keep_mode=True,
        temporary_folder=folder.path / "tmp",
    )
