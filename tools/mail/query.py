"""A query: what is looked for in mail, as a value that each provider compiles for itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tools.mail.places import HIDDEN_ROLES, label_key, role_of


class Field(StrEnum):
    """A header field that names people."""

    FROM = "from"
    TO = "to"
    CC = "cc"
    BCC = "bcc"


class State(StrEnum):
    """What a message can be marked as."""

    READ = "read"
    UNREAD = "unread"
    STARRED = "starred"


@dataclass(frozen=True)
class Words:
    """Words that follow one another, anywhere or only in the subject."""

    text: str
    in_subject: bool = False


@dataclass(frozen=True)
class Person:
    """Part of a name or an address in a field, whatever its case."""

    part: str
    field: Field


@dataclass(frozen=True)
class Since:
    """Dated at this moment or later."""

    moment: datetime


@dataclass(frozen=True)
class Until:
    """Dated before this moment."""

    moment: datetime


@dataclass(frozen=True)
class Marked:
    """In this state."""

    state: State


@dataclass(frozen=True)
class HasAttachment:
    """Carries at least one file."""


@dataclass(frozen=True)
class FileName:
    """Carries a file whose name contains this."""

    part: str


@dataclass(frozen=True)
class In:
    """In a folder or under a label, by name in any case; "anywhere" means spam and trash too."""

    place: str


@dataclass(frozen=True)
class FromList:
    """From a mailing list whose id, name or address contains this."""

    part: str


@dataclass(frozen=True)
class MessageId:
    """With this Message-ID, without its angle brackets."""

    value: str


@dataclass(frozen=True)
class Size:
    """Of at least so many bytes."""

    at_least: int


@dataclass(frozen=True)
class Every:
    """All of these; every message where there are none."""

    terms: tuple["Term", ...] = ()


@dataclass(frozen=True)
class Either:
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
    | Until
    | Marked
    | HasAttachment
    | FileName
    | In
    | FromList
    | MessageId
    | Size
    | Every
    | Either
    | Not
)


@dataclass(frozen=True)
class Query:
    """What is looked for. Spam and trash are searched only where the query names them."""

    term: Term = Every()

    @property
    def includes_hidden(self) -> bool:
        """Whether spam and trash are searched too."""
        places = [term.place for term in leaves(self.term) if isinstance(term, In)]
        return any(label_key(p) == "anywhere" or role_of(p) in HIDDEN_ROLES for p in places)


def leaves(term: Term) -> Iterator[Term]:
    """Every term that holds no others."""
    match term:
        case Every(terms) | Either(terms):
            for inner in terms:
                yield from leaves(inner)
        case Not(inner):
            yield from leaves(inner)
        case _:
            yield term
