"""Matching: a query compiled to an SQL condition over the index's table of messages."""

import re

from tools.mail.places import label_key
from tools.mail.query import (
    Either,
    Every,
    Field,
    FileName,
    FromList,
    HasAttachment,
    In,
    Marked,
    MessageId,
    Not,
    Person,
    Query,
    Since,
    Size,
    State,
    Term,
    Until,
    Words,
)

Condition = tuple[str, tuple[object, ...]]

_STATES = {
    State.UNREAD: "m.unread",
    State.READ: "NOT m.unread",
    State.STARRED: "m.starred",
}
_WITH_LABEL = (
    "EXISTS (SELECT 1 FROM labelled WHERE message = m.id"
    " AND label = (SELECT id FROM labels WHERE key = ?))"
)


def condition(query: Query) -> Condition:
    """The condition on `messages m` and the values for its question marks."""
    matches, values = _condition(query.term)
    return (matches if query.includes_hidden else f"NOT m.hidden AND {matches}"), values


def _condition(term: Term) -> Condition:  # noqa: C901, PLR0911, PLR0912 — one line for each kind
    match term:
        case Words(text, in_subject):
            column = "subject : " if in_subject else ""
            phrase = re.sub(r'["\0\ud800-\udfff]', " ", text)
            return _IN_WORDS, (f'{column}"{phrase}"',)
        case Person(part, Field.FROM):
            return f"m.sender IN ({_PEOPLE})", (part.casefold(),)
        case Person(part, field):
            return _IS_RECIPIENT, (field.value, part.casefold())
        case Since(moment):
            return "m.date >= ?", (moment.timestamp(),)
        case Until(moment):
            return "m.date < ?", (moment.timestamp(),)
        case Marked(state):
            return _STATES[state], ()
        case HasAttachment():
            return "m.files <> ''", ()
        case FileName(part):
            return "instr(m.files, ?)", (part.casefold(),)
        case In(place):
            return _in(place)
        case FromList(part):
            return "instr(m.list, ?)", (part.casefold(),)
        case MessageId(value):
            return "m.message_id = ?", (value,)
        case Size(at_least):
            return "m.size >= ?", (at_least,)
        case Not(inner):
            matches, values = _condition(inner)
            return f"NOT {matches}", values
        case Every(terms):
            return _joined(" AND ", terms)
        case Either(terms):
            return _joined(" OR ", terms)


_IN_WORDS = "m.id IN (SELECT rowid FROM words WHERE words MATCH ?)"
_PEOPLE = "SELECT id FROM people WHERE instr(folded, ?)"
_IS_RECIPIENT = (
    "m.id IN (SELECT message FROM recipients"  # noqa: S608 — made of constants
    f" WHERE field = ? AND person IN ({_PEOPLE}))"
)


def _in(place: str) -> Condition:
    key = label_key(place)
    if key == "anywhere":
        return "1", ()
    if key in set(State):
        return _STATES[State(key)], ()
    if key == "trash":
        return f"(m.hidden AND NOT {_WITH_LABEL})", ("spam",)
    return _WITH_LABEL, (key,)


def _joined(between: str, terms: tuple[Term, ...]) -> Condition:
    conditions = [_condition(term) for term in terms]
    if not conditions:
        return "1", ()
    values = tuple(value for _, given in conditions for value in given)
    return f"({between.join(matches for matches, _ in conditions)})", values
