"""Message store: the protocol by which messages of a local account are listed and read."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

MAX_FOLDERS = 2_000
MAX_NESTING = 8


class IndexingStoppedError(Exception):
    """Indexing was stopped; indexed messages stay.

    No `CancelledError`: a thread of an event loop may only raise an `Exception`.
    """


class MessageFlags(NamedTuple):
    """Flags set by the mail program; `labels` come in addition to the folder."""

    unread: bool = False
    starred: bool = False
    trashed: bool = False
    labels: tuple[str, ...] = ()


class StoredMessage(NamedTuple):
    """One message of a folder.

    `name` is stable while the message is in the folder; `location` is where its bytes are now.
    """

    name: str
    location: str
    flags: MessageFlags


class MailFolder(NamedTuple):
    """A folder: its display name ("INBOX", "Archive/2026") and its path."""

    name: str
    path: Path


class FolderScan(NamedTuple):
    """The messages of a folder that may have changed; `total` is how many.

    `is_complete`: known messages that are missing here were deleted. `checkpoint` is for the next
    scan, valid once all messages are indexed.
    """

    messages: Iterable[StoredMessage]
    total: int
    is_complete: bool
    checkpoint: str


class MessageStore(Protocol):
    """A Maildir or mbox account."""

    def folders(self) -> list[MailFolder]:
        """Return the existing folders, the inbox first."""

    def scan(self, folder: MailFolder, checkpoint: str) -> FolderScan | None:
        """Return the changes since the checkpoint; None if there are none."""

    def read(self, folder: MailFolder, location: str) -> bytes:
        """Return the bytes of a message.

        Raises:
            OSError: it is gone, or cannot be read.
        """

    def stored_at(self, folder: MailFolder, location: str) -> float:
        """Return the time a message was stored, or an upper bound, in epoch seconds."""


def inbox_first(folders: Iterable[MailFolder]) -> list[MailFolder]:
    """Return at most `MAX_FOLDERS` folders by name, the inbox first."""
    ordered = sorted(folders, key=lambda folder: folder.name.casefold())
    return sorted(ordered, key=lambda folder: folder.name.casefold() != "inbox")[:MAX_FOLDERS]
