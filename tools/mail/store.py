"""A store: where the messages of an account lie on this disk, read and never written."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class StoppedError(Exception):
    """Reading was told to stop; what was taken in stays.

    No `CancelledError`: threads of an event loop may die of anything but an `Exception`.
    """


@dataclass(frozen=True, slots=True)
class Marks:
    """What a mail program has noted about a message; `labels` are places beside its folder."""

    unread: bool = False
    starred: bool = False
    trashed: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a folder.

    `name` stays the same while the message is in the folder; `place` says where its bytes are
    at present.
    """

    name: str
    place: str
    marks: Marks


@dataclass(frozen=True)
class Folder:
    """A folder by its name as people know it ("INBOX", "Archive/2026"), and where it lies."""

    name: str
    path: Path


@dataclass(frozen=True)
class Scan:
    """The messages of a folder that may have changed; `total` is how many there are to look at.

    `is_whole`: a known message that is not among them is gone. `stamp` is to be given to the
    next scan once all entries were taken in.
    """

    entries: Iterable[Entry]
    total: int
    is_whole: bool
    stamp: str


class Store(Protocol):
    """A Maildir or mbox account."""

    def folders(self) -> list[Folder]:
        """The folders that are there now, the inbox first."""

    def scan(self, folder: Folder, stamp: str) -> Scan | None:
        """What may have changed since the scan with this stamp; None where nothing has."""

    def read(self, folder: Folder, place: str) -> bytes:
        """The bytes of a message.

        Raises:
            OSError: it is not there any more, or may not be read.
        """

    def stored(self, folder: Folder, place: str) -> float:
        """When the message was put there, or at the latest can have been, in epoch seconds."""
