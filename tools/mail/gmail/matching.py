"""Matching: whether a message that Gmail found is one that was looked for."""

from collections.abc import Iterable
from dataclasses import dataclass

from tools.mail.folded import folded
from tools.mail.gmail.labels import NOT_ARCHIVED, STATES, Labels, is_archive
from tools.mail.gmail.payload import GmailMessage
from tools.mail.places import label_key
from tools.mail.query import (
    Either,
    Every,
    FileName,
    FromList,
    In,
    Marked,
    MessageId,
    Not,
    Person,
    Since,
    State,
    Term,
    Until,
)
from tools.mail.threads import message_id


@dataclass(frozen=True)
class Matching:
    """Tests messages by what is known here; what only Gmail can tell is left to Gmail."""

    labels: Labels

    def allows(self, term: Term, message: GmailMessage) -> bool:
        """Whether nothing known here speaks against it."""
        return self._holds(term, message) is not False

    def _holds(self, term: Term, message: GmailMessage) -> bool | None:
        """Whether it holds; None where only Gmail can tell."""
        match term:
            case Every(terms):
                return _all(self._holds(inner, message) for inner in terms)
            case Either(terms):
                return _not(_all(_not(self._holds(inner, message)) for inner in terms))
            case Not(inner):
                return _not(self._holds(inner, message))
            case In(place):
                return self._is_in(place, message)
            case _:
                return _holds(term, message)

    def _is_in(self, place: str, message: GmailMessage) -> bool | None:
        key = label_key(place)
        if key == "anywhere":
            return True
        if key in set(State):
            return _is_marked(State(key), message)
        if id := self.labels.id_of(place):
            return id in message.labels
        return not message.labels & NOT_ARCHIVED if is_archive(place) else None


def _holds(term: Term, message: GmailMessage) -> bool | None:  # noqa: PLR0911 — one for each kind
    match term:
        case Person(part, field) if folded(part) != "me":
            people = message.parsed.people(field)
            return any(folded(part) in folded(f"{one.name} {one.address}") for one in people)
        case Since(moment):
            return message.received >= moment.timestamp() * 1000
        case Until(moment):
            return message.received < moment.timestamp() * 1000
        case Marked(state):
            return _is_marked(state, message)
        case FileName(part):
            names = "\n".join(file.name for file in message.parsed.attachments)
            return folded(part) in folded(names)
        case FromList(part):
            texts = (message.parsed.headers.text(name) for name in ("list-id", "list-post"))
            return folded(part) in folded(" ".join(texts))
        case MessageId(value):
            return message_id(message.parsed.headers) == value
        case _:
            return None


def _is_marked(state: State, message: GmailMessage) -> bool:
    if state is State.READ:
        return STATES[State.UNREAD] not in message.labels
    return STATES[state] in message.labels


def _all(parts: Iterable[bool | None]) -> bool | None:
    known = list(parts)
    if False in known:
        return False
    return None if None in known else True


def _not(holds: bool | None) -> bool | None:  # noqa: FBT001 — a truth value of three
    return None if holds is None else not holds
