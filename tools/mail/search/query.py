"""Query: search terms as a value, which each provider compiles for itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tools.mail.folders import HIDDEN_ROLES, folder_role, label_key


class AddressField(StrEnum):
    """A header field of addresses."""

    FROM = "from"
    TO = "to"
    CC = "cc"
    BCC = "bcc"


class MessageState(StrEnum):
    """A flag of a message."""

    READ = "read"
    UNREAD = "unread"
    STARRED = "starred"


@dataclass(frozen=True)
class Words:
    """Consecutive words, anywhere or only in the subject."""

    text: str
    in_subject: bool = False


@dataclass(frozen=True)
class Person:
    """Part of a name or an address in a field, in any case."""

    part: str
    field: AddressField


@dataclass(frozen=True)
class Since:
    """Dated at this moment or later."""

    moment: datetime


@dataclass(frozen=True)
class Before:
    """Dated before this moment."""

    moment: datetime


@dataclass(frozen=True)
class HasState:
    """Has this flag."""

    state: MessageState


@dataclass(frozen=True)
class HasAttachment:
    """Has at least one attachment."""


@dataclass(frozen=True)
class FileName:
    """Has an attachment whose name contains this."""

    part: str


@dataclass(frozen=True)
class InFolder:
    """In a folder or under a label, in any case; "anywhere" includes spam and trash."""

    name: str


@dataclass(frozen=True)
class InMailingList:
    """From a mailing list whose id, name or address contains this."""

    part: str


@dataclass(frozen=True)
class MessageId:
    """With this Message-ID, without its angle brackets."""

    value: str


@dataclass(frozen=True)
class MinimumSize:
    """At least this many bytes."""

    at_least: int


@dataclass(frozen=True)
class And:
    """All of these; every message if there are none."""

    terms: tuple["Term", ...] = ()


@dataclass(frozen=True)
class Or:
    """At least one of these."""

    terms: tuple["Term", ...]


@dataclass(frozen=True)
class Not:
    """Not this."""

    term: "Term"


Term = (
    Words
    | Person
    | Since
    | Before
    | HasState
    | HasAttachment
    | FileName
    | InFolder
    | InMailingList
    | MessageId
    | MinimumSize
    | And
    | Or
    | Not
)


@dataclass(frozen=True)
class Query:
    """A search; spam and trash are included only if it names them."""

    term: Term = And()

    @property
    def includes_hidden(self) -> bool:
        """Whether spam and trash are included."""
        names = [term.name for term in leaf_terms(self.term) if isinstance(term, InFolder)]
        return any(label_key(n) == "anywhere" or folder_role(n) in HIDDEN_ROLES for n in names)


def leaf_terms(term: Term) -> Iterator[Term]:
    """Yield every term without subterms."""
    match term:
        case And(terms) | Or(terms):
            for inner in terms:
                yield from leaf_terms(inner)
        case Not(inner):
            yield from leaf_terms(inner)
        case _:
            yield term
