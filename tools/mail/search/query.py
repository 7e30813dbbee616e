"""Query: search terms as a value, which each provider compiles for itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tools.mail.folders import HIDDEN_ROLES, folder_role, label_key


class TextField(StrEnum):
    """A field searched for part of its text; the values are Gmail's operators."""

    FROM = "from"
    TO = "to"
    CC = "cc"
    BCC = "bcc"
    FILE_NAME = "filename"
    MAILING_LIST = "list"


ADDRESS_FIELDS = (TextField.FROM, TextField.TO, TextField.CC, TextField.BCC)


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
class Contains:
    """Part of a name, address, file name or list id in a field, in any case."""

    part: str
    field: TextField


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
class InFolder:
    """In a folder or under a label, in any case; "anywhere" includes spam and trash."""

    name: str


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
    | Contains
    | Since
    | Before
    | HasState
    | HasAttachment
    | InFolder
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
