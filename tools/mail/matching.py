"""Matching: a query compiled to an SQL condition over the index's table of messages."""

import re

from tools.mail.folded import folded, storable
from tools.mail.places import label_key
from tools.mail.query import (
    Either,
    Every,
    Field,
    FileName,
    FromList,
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
_HAS_WORDS = "m.id IN (SELECT rowid FROM words WHERE words MATCH ?)"
_PERSON_IN = {
    Field.FROM: "m.sender IN (SELECT id FROM people WHERE instr(folded, ?))",
    **{
        field: f"m.id IN (SELECT message FROM recipients WHERE field = '{field}'"  # noqa: S608
        " AND person IN (SELECT id FROM people WHERE instr(folded, ?)))"
        for field in (Field.TO, Field.CC, Field.BCC)
    },
}
_WITH_LABEL = (
    "EXISTS (SELECT 1 FROM labelled WHERE message = m.id"
    " AND label = (SELECT id FROM labels WHERE key = ?))"
)


def condition(query: Query, own_address: str) -> Condition:
    """The condition on `messages m` and the values for its question marks.

    Args:
        query: what is looked for.
        own_address: whom "me" means.
    """
    matches, values = _condition(query.term, own_address)
    return (matches if query.includes_hidden else f"NOT m.hidden AND {matches}"), values


def _condition(term: Term, own: str) -> Condition:
    match term:
        case Every(terms):
            return _joined(" AND ", terms, own)
        case Either(terms):
            return _joined(" OR ", terms, own)
        case Not(inner):
            matches, values = _condition(inner, own)
            return f"NOT {matches}", values
        case Person(part, field):
            whom = own if own and folded(part) == "me" else part
            return _PERSON_IN[field], (folded(whom),)
        case _:
            return _of_message(term)


def _of_message(term: Term) -> Condition:  # noqa: PLR0911 — one line for each kind
    match term:
        case Words(text, in_subject):
            column = "subject : " if in_subject else ""
            phrase = re.sub(r'["\0]', " ", storable(text))
            return _HAS_WORDS, (f'{column}"{phrase}"',)
        case Since(moment):
            return "m.date >= ?", (moment.timestamp(),)
        case Until(moment):
            return "m.date < ?", (moment.timestamp(),)
        case Marked(state):
            return _STATES[state], ()
        case FileName(part):
            return "instr(m.files, ?)", (folded(part),)
        case In(place):
            return _in(place)
        case FromList(part):
            return "instr(m.list, ?)", (folded(part),)
        case MessageId(value):
            return "m.message_id = ?", (storable(value),)
        case Size(at_least):
            return "m.size >= ?", (at_least,)
        case _:  # HasAttachment
            return "m.files <> ''", ()


def _in(place: str) -> Condition:
    key = label_key(place)
    if key == "anywhere":
        return "1", ()
    if key in set(State):
        return _STATES[State(key)], ()
    if key == "trash":
        return f"(m.hidden AND NOT {_WITH_LABEL})", ("spam",)
    return _WITH_LABEL, (key,)


def _joined(between: str, terms: tuple[Term, ...], own: str) -> Condition:
    conditions = [_condition(term, own) for term in terms]
    if not conditions:
        return "1", ()
    values = tuple(value for _, given in conditions for value in given)
    return f"({between.join(matches for matches, _ in conditions)})", values
