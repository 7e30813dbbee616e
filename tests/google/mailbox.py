"""A mailbox: the messages, labels, drafts and history of one account."""

import itertools
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, Literal

from tests.google import mime
from tests.google.refusal import RefusalError, invalid, not_found

SYSTEM_LABELS = (
    "CHAT",
    "SENT",
    "INBOX",
    "IMPORTANT",
    "TRASH",
    "DRAFT",
    "SPAM",
    "CATEGORY_FORUMS",
    "CATEGORY_UPDATES",
    "CATEGORY_PERSONAL",
    "CATEGORY_PROMOTIONS",
    "CATEGORY_SOCIAL",
    "STARRED",
    "UNREAD",
)
Kind = Literal["messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved"]


@dataclass
class Message:
    """One message; `date` in milliseconds since 1970."""

    id: str
    thread_id: str
    raw: bytes
    labels: set[str]
    date: int
    history_id: int = 0
    encoded: dict[str, bytes] = field(default_factory=dict)

    @cached_property
    def parsed(self) -> mime.Part:
        """Its structure."""
        return mime.parsed(self.raw)

    @cached_property
    def snippet(self) -> str:
        """The beginning of its words."""
        return mime.snippet(self.parsed)

    @property
    def message_id(self) -> str:
        """Its Message-ID, with angle brackets."""
        return self.header("Message-ID").strip()

    def header(self, name: str) -> str:
        """One of its headers."""
        return mime.header(self.parsed, name)


@dataclass(frozen=True)
class Label:
    """A name that messages are put under; the person's own have the type "user"."""

    id: str
    name: str
    type: Literal["system", "user"] = "user"


@dataclass(frozen=True)
class Change:
    """One line of the history."""

    id: int
    kind: Kind
    message_id: str
    thread_id: str
    labels: tuple[str, ...]
    changed: tuple[str, ...] = ()


class Mailbox:
    """One account's mail.

    `drafts` holds the ID of each draft's message; `sent` every sent message in order, each of which
    `deliver` was called with; `rewrites_message_ids` gives sent messages a Message-ID of Google's.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.messages: dict[str, Message] = {}
        self.drafts: dict[str, str] = {}
        self.sent: list[Message] = []
        self.deliver: Callable[[bytes, Sequence[str]], None] = lambda _raw, _addresses: None
        self.labels = {name: Label(name, name, "system") for name in SYSTEM_LABELS}
        self.history: list[Change] = []
        self.history_id = 1000
        self.forgotten = 0
        self.rewrites_message_ids = False
        self._numbers = itertools.count(1)
        self._threads: dict[str, str] = {}
        self._sorted: list[Message] = []
        self._is_sorted = False

    def add(
        self,
        message: bytes | EmailMessage,
        labels: Collection[str] = ("INBOX", "UNREAD"),
        thread: str = "",
        date: datetime | None = None,
    ) -> Message:
        """Put a message in; without a thread it finds its own.

        Labels are ids, or the names of the person's own, which are made where they are missing.
        `date` is when it arrived; without one its header says.
        """
        raw = mime.as_bytes(message)
        read = mime.parsed(raw)
        id = _new_id()
        moment = date.timestamp() if date else _dated(read)
        given = {self.label(name).id for name in labels}
        added = Message(id, thread or self._thread_of(read) or id, raw, given, int(moment * 1000))
        self.messages[id] = added
        self._is_sorted = False
        if added.message_id:
            self._threads[added.message_id] = added.thread_id
        self._note("messagesAdded", added)
        return added

    @property
    def person(self) -> str:
        """Return the name of the address's owner: "Anna Berg"."""
        return self.address.partition("@")[0].replace(".", " ").title()

    def label(self, name: str) -> Label:
        """The label with this id or name, made where it is missing."""
        found = self.labels.get(name) or self._named(name)
        return found or self.make_label(name)

    def make_label(self, name: str) -> Label:
        """A new one of the person's own.

        Raises:
            RefusalError: it is Gmail's, or there is one of this name.
        """
        return self.rename_label(Label(f"Label_{next(self._numbers)}", ""), name)

    def rename_label(self, label: Label, name: str) -> Label:
        """The label under another name, and refused as a new one is."""
        if not name.strip() or name.upper() in SYSTEM_LABELS:
            raise invalid("Invalid label name")
        if self._named(name):
            raise RefusalError(409, "aborted", "Label name exists or conflicts")
        self.labels[label.id] = Label(label.id, name)
        return self.labels[label.id]

    def _named(self, name: str) -> Label | None:
        key = name.lower()
        return next((each for each in self.labels.values() if each.name.lower() == key), None)

    def remove(self, id: str) -> None:
        """Take a message away for good."""
        gone = self.find(id)
        del self.messages[id]
        self._is_sorted = False
        self._note("messagesDeleted", gone)

    def find(self, id: str) -> Message:
        """A message.

        Raises:
            RefusalError: there is none.
        """
        try:
            return self.messages[id]
        except KeyError as error:
            raise not_found() from error

    def thread(self, id: str) -> list[Message]:
        """The messages of a thread, oldest first."""
        found = [each for each in self.messages.values() if each.thread_id == id]
        if not found:
            raise not_found()
        return sorted(found, key=lambda each: each.date)

    def has_thread(self, id: str) -> bool:
        """Whether a thread has a message."""
        return any(each.thread_id == id for each in self.messages.values())

    def modify(self, message: Message, add: Collection[str], remove: Collection[str]) -> None:
        """Change a message's labels."""
        for each in (*add, *remove):
            if each not in self.labels:
                raise invalid(f"Invalid label: {each}")
        added, removed = set(add) - message.labels, set(remove) & message.labels
        message.labels = (message.labels | added) - removed
        if added:
            self._note("labelsAdded", message, added)
        if removed:
            self._note("labelsRemoved", message, removed)

    def newest_first(self) -> Sequence[Message]:
        """Every message."""
        if not self._is_sorted:
            self._sorted = sorted(self.messages.values(), key=lambda each: (-each.date, each.id))
            self._is_sorted = True
        return self._sorted

    def forget_history(self) -> None:
        """Discard the history, as Gmail does after a week."""
        self.forgotten = self.history_id
        self.history.clear()

    def changes(self, since: int) -> list[Change]:
        """Return the changes since a history ID.

        Raises:
            RefusalError: the history ID has expired.
        """
        if since < self.forgotten or since > self.history_id:
            raise not_found()
        return [each for each in self.history if each.id > since]

    def _note(self, kind: Kind, message: Message, changed: Collection[str] = ()) -> None:
        self.history_id += 1
        message.history_id = self.history_id
        message.encoded.clear()
        labels = tuple(sorted(message.labels))
        change = Change(
            self.history_id, kind, message.id, message.thread_id, labels, tuple(sorted(changed))
        )
        self.history.append(change)

    def _thread_of(self, message: mime.Part) -> str:
        """Return the thread of the message that it answers, if the subject is the same."""
        named = f"{message.get('In-Reply-To', '')} {message.get('References', '')}".split()
        for each in named:
            thread = self._threads.get(each, "")
            if thread and self.fits(thread, message):
                return thread
        return ""

    def fits(self, thread: str, message: mime.Part) -> bool:
        """Whether it answers a message of the thread and has its subject."""
        named = f"{message.get('In-Reply-To', '')} {message.get('References', '')}".split()
        subject = _bare(mime.header(message, "Subject"))
        return any(
            each.message_id in named and _bare(each.header("Subject")) == subject
            for each in self.messages.values()
            if each.thread_id == thread
        )

    def counts(self, label: str) -> dict[str, Any]:
        """How many messages and threads are under a label."""
        under = [each for each in self.messages.values() if label in each.labels]
        unread = [each for each in under if "UNREAD" in each.labels]
        return {
            "messagesTotal": len(under),
            "messagesUnread": len(unread),
            "threadsTotal": len({each.thread_id for each in under}),
            "threadsUnread": len({each.thread_id for each in unread}),
        }


def _new_id() -> str:
    return f"19{secrets.token_hex(7)}"


def _dated(message: mime.Part) -> float:
    try:
        return parsedate_to_datetime(str(message.get("Date", ""))).timestamp()
    except (ValueError, OverflowError):
        return time.time()


def _bare(subject: str) -> str:
    bare = subject.strip().lower()
    while bare.startswith(("re:", "fwd:", "fw:", "aw:", "wg:")):
        bare = bare.partition(":")[2].strip()
    return bare
