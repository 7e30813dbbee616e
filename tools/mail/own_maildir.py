"""An own Maildir++: a store whose messages this program may mark and move, and never removes."""

import os
import string
from pathlib import Path

from tools.mail.mailbox import Marking
from tools.mail.maildir import LABELS, MaildirStore, entry_of, file_of, labels_of
from tools.mail.places import label_key, role_of
from tools.mail.store import Entry, Folder
from tools.tool import ToolError

_PARTS = ("cur", "new", "tmp")


class OwnMaildirStore(MaildirStore):
    """A `MaildirStore` that can be written to. Every change is one renaming of one file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path = path

    def folder(self, role: str) -> Folder:
        """The folder for this ("inbox", "archive", "trash"); made where there is none."""
        known = next((each for each in self.folders() if role_of(each.name) == role), None)
        if known:
            return known
        made = Folder(role.capitalize(), self._path / f".{role.capitalize()}")
        make_maildir(made.path)
        return made

    def mark(self, folder: Folder, place: str, marking: Marking) -> Entry:
        """Write the marks into the file's name.

        Raises:
            OSError: the file is not there any more, or may not be renamed.
            ToolError: there is no room for another label.
        """
        path = file_of(folder, place)
        flags = set(_flags(path.name))
        for flag, wanted in {"S": marking.read, "F": marking.starred}.items():
            flags = flags if wanted is None else flags | {flag} if wanted else flags - {flag}
        off = {label_key(name) for name in marking.remove}
        flags -= {key for key, name in labels_of(folder).items() if label_key(name) in off}
        flags |= _letters(folder, marking.add)
        return _renamed(path, folder, flags)

    def move(self, folder: Folder, place: str, to: Folder) -> Entry:
        """Move the message, with its marks, into another folder.

        Raises:
            OSError: the file is not there any more, or may not be moved.
            ToolError: there is no room for another label.
        """
        path = file_of(folder, place)
        flags = set(_flags(path.name))
        labels = labels_of(folder)
        names = tuple(labels[flag] for flag in sorted(flags) if flag in labels)
        entry = _renamed(path, to, {flag for flag in flags if flag.isupper()} | _letters(to, names))
        sync(path.parent)
        return entry


def make_maildir(folder: Path) -> None:
    """Make a Maildir where there is none."""
    for part in _PARTS:
        (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)


def sync(folder: Path) -> None:
    """Have the disk hold which files are in the folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flags(name: str) -> str:
    return name.partition(":2,")[2]


def _renamed(path: Path, folder: Folder, flags: set[str]) -> Entry:
    """Give the file its new place, where no other file may be; whoever reads sees one or other."""
    name = f"{path.name.partition(':2,')[0]}:2,{''.join(sorted(flags))}"
    target = folder.path / "cur" / name
    if target != path and target.exists():
        raise FileExistsError(17, "there is another email of that name", str(target))
    path.rename(target)
    sync(target.parent)
    return entry_of(folder, "cur", name, labels_of(folder))


def _letters(folder: Folder, names: tuple[str, ...]) -> set[str]:
    """The letters that stand for these labels in the folder; new ones are written down."""
    labels = labels_of(folder)
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


def _write_labels(folder: Folder, labels: dict[str, str]) -> None:
    lines = [
        f"{string.ascii_lowercase.index(key)} {name}\n" for key, name in sorted(labels.items())
    ]
    part = folder.path / "tmp" / LABELS
    part.write_text("".join(lines), "utf-8")
    part.replace(folder.path / LABELS)
