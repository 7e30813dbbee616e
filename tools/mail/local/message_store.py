"""Message store: the protocol by which messages of a local account are listed and read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class IndexingStoppedError(Exception):
    """Reading was told to stop; what was taken in stays.

    No `CancelledError`: threads of an event loop may die of anything but an `Exception`.
    """


@dataclass(frozen=True, slots=True)
class MessageFlags:
    """What a mail program has noted about a message; `labels` are places beside its folder."""

    unread: bool = False
    starred: bool = False
    trashed: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message of a folder.

    `name` stays the same while the message is in the folder; `place` says where its bytes are
    at present.
    """

    name: str
    place: str
    marks: MessageFlags


@dataclass(frozen=True)
class MailFolder:
    """A folder by its name as people know it ("INBOX", "Archive/2026"), and where it lies."""

    name: str
    path: Path


@dataclass(frozen=True)
class FolderScan:
    """The messages of a folder that may have changed; `total` is how many there are to look at.

    `is_whole`: a known message that is not among them is gone. `stamp` is to be given to the
    next scan once all entries were taken in.
    """

    entries: Iterable[StoredMessage]
    total: int
    is_whole: bool
    stamp: str


class MessageStore(Protocol):
    """A Maildir or mbox account."""

    def folders(self) -> list[MailFolder]:
        """The folders that are there now, the inbox first."""

    def scan(self, folder: MailFolder, stamp: str) -> FolderScan | None:
        """What may have changed since the scan with this stamp; None where nothing has."""

    def read(self, folder: MailFolder, place: str) -> bytes:
        """The bytes of a message.

        Raises:
            OSError: it is not there any more, or may not be read.
        """

    def stored(self, folder: MailFolder, place: str) -> float:
        """When the message was put there, or at the latest can have been, in epoch seconds."""
