"""Mailbox: the protocol of mail providers for reading and organizing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self, runtime_checkable

from tools.mail.folders import label_key
from tools.mail.message.emails import Email
from tools.mail.search.query import InFolder, Query
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class Contact:
    """A person's name and address; `source` is "pinned" or "mail"."""

    name: str
    address: str
    source: str


class IndexingProgress(NamedTuple):
    """Progress of an account's first indexing: messages done, and the estimated total."""

    account: str
    done: int
    total: int


ReportProgress = Callable[[IndexingProgress], None]
"""Receives progress; called from a worker thread."""


class EmailChanges(NamedTuple):
    """Changes to flags and labels of emails; None leaves a flag. Labels are named as in `in:`.

    Labels to add are created if missing.
    """

    read: bool | None = None
    starred: bool | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChangeFailure:
    """The id of an email that could not be changed, and the reason."""

    id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.id}: {self.reason}"


class CombinedEmails(tuple[Email, ...]):
    """Emails of several accounts; `errors` are those of accounts that failed, in words."""

    errors: tuple[str, ...] = ()

    @classmethod
    def of(cls, emails: Iterable[Email], errors: Iterable[str]) -> Self:
        """Return the emails with the errors of the accounts that failed."""
        combined = cls(emails)
        combined.errors = tuple(errors)
        return combined


class Mailbox(Protocol):
    """One account's mail, for reading. Blocking work runs in threads inside the provider.

    Every method raises `ToolError` if the mailbox cannot be reached or read at all; an unreadable
    message is listed with its readable parts.
    """

    @property
    def account(self) -> str:
        """The name the user knows the account by."""

    @property
    def address(self) -> str:
        """The account's own address, "" if unknown."""

    async def folders(self) -> Sequence[str]:
        """Return the names that `in:` accepts: folders and labels, INBOX among them."""

    async def search(self, query: Query, count: int) -> Sequence[Email]:
        """Return at most `count` emails that match, newest first."""

    async def read(self, id: str) -> Email:
        """Return the email with this id, with its whole content."""

    async def thread(self, thread_id: str) -> Sequence[Email]:
        """Return the emails of a thread, oldest first."""

    async def source(self, id: str) -> bytes:
        """Return the raw message (RFC 5322), for replies and attachments."""

    async def contacts(self, name: str, count: int) -> Sequence[Contact]:
        """Return contacts whose name or address contains `name`, most frequent first."""


@runtime_checkable
class WritableMailbox(Mailbox, Protocol):
    """A mailbox whose emails can be archived, marked and moved to the trash; none is erased.

    Methods that change emails take ids of this account and return the failures; they raise
    `ToolError` if no email could be changed.
    """

    async def ensure_writable(self) -> None:
        """Ensure, before an approval is requested, that emails can be changed.

        Raises:
            ToolError: the account needs attention first.
        """

    async def archive(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Remove the emails from the inbox."""

    async def mark(self, ids: Sequence[str], changes: EmailChanges) -> Sequence[ChangeFailure]:
        """Change flags and labels of the emails."""

    async def trash(self, ids: Sequence[str]) -> Sequence[ChangeFailure]:
        """Move the emails to the trash."""


async def find_folder(mailbox: Mailbox, name: str) -> InFolder:
    """Return the folder or label of this name, as `match_folder` does.

    The inbox, which every mailbox has, needs no request.
    """
    if label_key(name or "INBOX") == "inbox":
        return InFolder("INBOX")
    return match_folder(await mailbox.folders(), name)


def match_folder(folders: Iterable[str], name: str) -> InFolder:
    """Return the folder of this name in the mailbox's spelling, ignoring case.

    Raises:
        ToolError: there is none; the text lists the existing ones.
    """
    names = {label_key(each): each for each in folders}
    key = label_key(name or "INBOX")
    if key in names or key in {"inbox", "anywhere"}:
        return InFolder("INBOX" if key == "inbox" else names.get(key, name))
    existing = ", ".join(sorted(names.values(), key=str.casefold))
    raise ToolError(f'There is no mailbox "{name}". There are: {existing}.')
