"""Mailbox: the protocol of mail providers for reading and organizing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from tools.mail.folders import label_key
from tools.mail.message.emails import Email
from tools.mail.search.query import InFolder, Query
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class Contact:
    """Somebody seen in mail; `source` says where ("pinned", or "mail")."""

    name: str
    address: str
    source: str


@dataclass(frozen=True)
class IndexingProgress:
    """How far an account's first reading is: messages done, and about how many there are."""

    account: str
    done: int
    total: int


ReportProgress = Callable[[IndexingProgress], None]
"""Takes progress; called from a worker thread."""


@dataclass(frozen=True)
class EmailChanges:
    """What is to be another about emails; None leaves it. Labels are named as `in:` names them.

    A label that is not there yet is made when it is put on.
    """

    read: bool | None = None
    starred: bool | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChangeFailure:
    """An email that stayed as it was, and why, in words."""

    id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.id}: {self.reason}"


class CombinedEmails(tuple[Email, ...]):
    """Emails of several accounts; `unanswered` says in words why some of those gave none."""

    unanswered: tuple[str, ...] = ()

    @classmethod
    def of(cls, emails: Iterable[Email], unanswered: Iterable[str]) -> Self:
        """The emails that there are, and why there are not more."""
        made = cls(emails)
        made.unanswered = tuple(unanswered)
        return made


class Mailbox(Protocol):
    """One account's mail, for reading. Blocking work runs in threads inside the provider.

    Every method raises `ToolError` when the mailbox cannot be reached or read at all; a single
    unreadable message is listed with what could be read.
    """

    @property
    def account(self) -> str:
        """The name the user knows the account by."""

    @property
    def address(self) -> str:
        """The account's own address, or "" where the provider does not know one."""

    async def folders(self) -> Sequence[str]:
        """The names that `in:` takes here: folders and labels, INBOX among them."""

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """At most `count` emails that match, newest first."""

    async def read(self, id: str) -> Email:
        """The email with this id, with its whole content."""

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """The emails of a thread, oldest first."""

    async def source(self, id: str) -> bytes:
        """The message as it is stored (RFC 5322), for replying and for attachments."""

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """People in this mailbox whose name or address contains `name`, most frequent first."""


@runtime_checkable
class WritableMailbox(Mailbox, Protocol):
    """A mailbox whose emails can be put in order; nothing is ever removed for good.

    What changes emails takes ids of this account and gives back those that it could not change;
    it raises `ToolError` when none could be.
    """

    async def ready(self) -> None:
        """Make sure, before anybody is asked to approve a change, that it could be made.

        Raises:
            ToolError: what has to be mended first.
        """

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Take the emails out of the inbox."""

    async def mark(self, ids: Sequence[str], marking: EmailChanges) -> Sequence[ChangeFailure]:
        """Mark the emails."""

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails to the trash."""


async def find_folder(mailbox: Mailbox, name: str) -> InFolder:
    """The folder or label of this name, as `place_among` its own ones has it.

    Nothing is asked for the inbox, which every mailbox has.
    """
    if label_key(name or "INBOX") == "inbox":
        return InFolder("INBOX")
    return match_folder(await mailbox.folders(), name)


def match_folder(folders: Iterable[str], name: str) -> InFolder:
    """The one of these with this name, whatever its case, as the mailbox writes it.

    Raises:
        ToolError: there is none; the text lists those that there are.
    """
    names = {label_key(each): each for each in folders}
    key = label_key(name or "INBOX")
    if key in names or key in {"inbox", "anywhere"}:
        return InFolder("INBOX" if key == "inbox" else names.get(key, name))
    there = ", ".join(sorted(names.values(), key=str.casefold))
    raise ToolError(f'There is no mailbox "{name}". There are: {there}.')
