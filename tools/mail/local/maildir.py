"""Maildir: one file per message, its flags in the file name, in nested folders."""

import os
import string
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from tools.atomic_file import replace_file, sync_folder
from tools.mail.folders import decode_modified_utf7, folder_role, label_key
from tools.mail.local.message_store import FolderScan, MailFolder, MessageFlags, StoredMessage
from tools.mail.mailbox import EmailChanges
from tools.mail.message.charsets import replace_surrogates
from tools.tool_errors import ToolError

MOST_FOLDERS = 2_000
DEEPEST_NESTING = 8
KEYWORDS_FILE = (
    "dovecot-keywords"  # https://doc.dovecot.org/main/core/config/mailbox/formats/maildir.html
)
_LETTER_BY_NUMBER = {str(number): letter for number, letter in enumerate(string.ascii_lowercase)}
_UNQUOTED = string.punctuation.replace("%", "") + " "
_MTIME_RESOLUTION = 2.0  # seconds; a folder changed more recently may change again in the same tick


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
        """Every Maildir at or under the path; the one at the path itself is the inbox."""
        found = sorted(_maildirs(self._path, "", 0), key=lambda folder: folder.name.casefold())
        found.sort(key=lambda folder: folder.name.casefold() != "inbox")
        return found[:MOST_FOLDERS]

    def scan(self, folder: MailFolder, stamp: str) -> FolderScan | None:
        """All messages, where files have come, gone or been renamed."""
        present = _folder_stamp(folder.path)
        if present and present == stamp:
            return None
        entries = sorted(_stored_messages(folder), key=lambda entry: entry.name)
        return FolderScan(entries, len(entries), is_whole=True, stamp=present)

    def read(self, folder: MailFolder, place: str) -> bytes:
        """The file's bytes."""
        return message_path(folder, place).read_bytes()

    def stored(self, folder: MailFolder, place: str) -> float:
        """When the file was written."""
        return message_path(folder, place).stat().st_mtime


def message_path(folder: MailFolder, place: str) -> Path:
    """Where a message of the folder lies."""
    return folder.path / unquote(place, errors="surrogateescape")


def _maildirs(path: Path, name: str, depth: int) -> Iterator[MailFolder]:
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
        yield MailFolder(replace_surrogates(name) or "INBOX", path)
    for child in inner:
        if child.name not in {"cur", "new", "tmp"}:
            yield from _maildirs(Path(child.path), _folder_name(name, child.name), depth + 1)


def _folder_name(parent: str, child: str) -> str:
    """In Maildir++ ".Archive.2026" is Archive/2026; any other name stands for itself."""
    own = child[1:].replace(".", "/") if child.startswith(".") else child
    own = decode_modified_utf7(own)
    if not parent and own.casefold().startswith("inbox/"):
        own = own[6:]
    return f"{parent}/{own}" if parent else own


def _folder_stamp(path: Path) -> str:
    """Changes whenever a file comes, goes or is renamed; "" while that cannot be told yet."""
    times = [(path / part).stat().st_mtime_ns for part in ("cur", "new") if (path / part).is_dir()]
    if max(times, default=0) / 1e9 > time.time() - _MTIME_RESOLUTION:
        return ""
    return ":".join(map(str, times))


def read_labels(folder: MailFolder) -> dict[str, str]:
    """What the small letters in the names of a folder's files stand for, as Dovecot keeps it."""
    try:
        lines = (
            (folder.path / KEYWORDS_FILE)
            .read_text("utf-8", "replace")
            .splitlines()[: len(_LETTER_BY_NUMBER)]
        )
    except OSError:
        return {}
    named = (line.partition(" ") for line in lines)
    return {
        _LETTER_BY_NUMBER[number]: label.strip()
        for number, _, label in named
        if number in _LETTER_BY_NUMBER and label.strip()
    }


def stored_message(
    folder: MailFolder, part: str, file_name: str, labels: Mapping[str, str]
) -> StoredMessage:
    """An entry from a file's name, in which letters beyond ASCII are percent-encoded."""
    name = quote(file_name, safe=_UNQUOTED, errors="surrogateescape")
    unique, _, flags = name.partition(":2,")
    if not flags:
        unique, _, flags = name.partition(";2,")  # where file names may not hold a colon
    put_on = [labels[flag] for flag in flags if _is_label(labels.get(flag, ""))]
    marks = MessageFlags(
        unread="S" not in flags,
        starred="F" in flags,
        trashed="T" in flags,
        labels=(folder.name, *put_on) if put_on else (),
    )
    return StoredMessage(unique, f"{part}/{name}", marks)


def _is_label(name: str) -> bool:
    """Whether a person put it on, and not a mail program for itself."""
    return bool(name) and not name.startswith("$") and name not in {"Junk", "NonJunk"}


def _stored_messages(folder: MailFolder) -> Iterator[StoredMessage]:
    seen: set[str] = set()
    labels = read_labels(folder)
    for part in ("cur", "new"):
        if not (folder.path / part).is_dir():
            continue
        with os.scandir(folder.path / part) as files:
            for file in files:
                entry = stored_message(folder, part, file.name, labels)
                if not file.name.startswith(".") and entry.name not in seen and file.is_file():
                    seen.add(entry.name)
                    yield entry


_SUBFOLDERS = ("cur", "new", "tmp")


class WritableMaildirStore(MaildirStore):
    """A `MaildirStore` that can be written to. Every change is one renaming of one file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path = path

    def folder(self, role: str) -> MailFolder:
        """The folder for this ("inbox", "archive", "trash"); made where there is none."""
        known = next((each for each in self.folders() if folder_role(each.name) == role), None)
        if known:
            return known
        made = MailFolder(role.capitalize(), self._path / f".{role.capitalize()}")
        make_maildir(made.path)
        return made

    def mark(self, folder: MailFolder, place: str, marking: EmailChanges) -> StoredMessage:
        """Write the marks into the file's name.

        Raises:
            OSError: the file is not there any more, or may not be renamed.
            ToolError: there is no room for another label.
        """
        path = message_path(folder, place)
        flags = set(_flags(path.name))
        for flag, wanted in {"S": marking.read, "F": marking.starred}.items():
            flags = flags if wanted is None else flags | {flag} if wanted else flags - {flag}
        off = {label_key(name) for name in marking.remove}
        flags -= {key for key, name in read_labels(folder).items() if label_key(name) in off}
        flags |= _label_letters(folder, marking.add)
        return _rename(path, folder, flags)

    def move(self, folder: MailFolder, place: str, to: MailFolder) -> StoredMessage:
        """Move the message, with its marks, into another folder.

        Raises:
            OSError: the file is not there any more, or may not be moved.
            ToolError: there is no room for another label.
        """
        path = message_path(folder, place)
        flags = set(_flags(path.name))
        labels = read_labels(folder)
        names = tuple(labels[flag] for flag in sorted(flags) if flag in labels)
        entry = _rename(
            path, to, {flag for flag in flags if flag.isupper()} | _label_letters(to, names)
        )
        sync_folder(path.parent)
        return entry


def make_maildir(folder: Path) -> None:
    """Make a Maildir where there is none."""
    for part in _SUBFOLDERS:
        (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)


def _flags(name: str) -> str:
    return name.partition(":2,")[2]


def _rename(path: Path, folder: MailFolder, flags: set[str]) -> StoredMessage:
    """Give the file its new place, where no other file may be; whoever reads sees one or other."""
    name = f"{path.name.partition(':2,')[0]}:2,{''.join(sorted(flags))}"
    target = folder.path / "cur" / name
    if target != path and target.exists():
        raise FileExistsError(17, "there is another email of that name", str(target))
    path.rename(target)
    sync_folder(target.parent)
    return stored_message(folder, "cur", name, read_labels(folder))


def _label_letters(folder: MailFolder, names: tuple[str, ...]) -> set[str]:
    """The letters that stand for these labels in the folder; new ones are written down."""
    labels = read_labels(folder)
    letters = {label_key(name): key for key, name in labels.items()}
    free = iter([key for key in string.ascii_lowercase if key not in labels])
    for name in names:
        if label_key(name) not in letters:
            letter = next(free, "")
            if not letter:
                raise ToolError(f"{folder.name} holds as many labels as there can be (26).")
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
