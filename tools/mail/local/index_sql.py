"""Index SQL: the tables of the mail index, and queries compiled to conditions on them."""

import re

from tools.mail.folders import label_key
from tools.mail.message.charsets import case_folded, replace_surrogates
from tools.mail.search.query import (
    ADDRESS_FIELDS,
    And,
    Before,
    Contains,
    HasState,
    InFolder,
    MessageId,
    MessageState,
    MinimumSize,
    Not,
    Or,
    Query,
    Since,
    Term,
    TextField,
    Words,
)

VERSION = 2
TABLES = """
CREATE TABLE folders (id INTEGER PRIMARY KEY, name TEXT UNIQUE, stamp TEXT NOT NULL DEFAULT '');
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: words of lost messages stay behind
    key TEXT NOT NULL UNIQUE,
    folder INTEGER NOT NULL,
    name TEXT NOT NULL,
    place TEXT NOT NULL,
    marks TEXT NOT NULL,
    thread TEXT NOT NULL,
    topic TEXT NOT NULL,
    message_id TEXT NOT NULL,
    date INTEGER NOT NULL,
    sender INTEGER NOT NULL,
    unread INTEGER NOT NULL,
    starred INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    size INTEGER NOT NULL,
    files TEXT NOT NULL,
    list TEXT NOT NULL,
    UNIQUE (folder, name)
);
CREATE INDEX messages_by_date ON messages (date, id);
CREATE INDEX messages_by_thread ON messages (thread);
CREATE INDEX messages_by_topic ON messages (topic, date) WHERE topic <> '';
CREATE INDEX messages_by_sender ON messages (sender);
CREATE INDEX messages_by_message_id ON messages (message_id);
CREATE TABLE own (address TEXT NOT NULL);
CREATE TABLE labels (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE labelled (message INTEGER, label INTEGER, PRIMARY KEY (message, label)) WITHOUT ROWID;
CREATE TABLE people (
    id INTEGER PRIMARY KEY, name TEXT, address TEXT, folded TEXT, UNIQUE (address, name)
);
CREATE TABLE recipients (
    person INTEGER, field TEXT, message INTEGER, PRIMARY KEY (person, field, message)
) WITHOUT ROWID;
CREATE TABLE links (message TEXT PRIMARY KEY, thread TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX links_by_thread ON links (thread);
CREATE VIRTUAL TABLE words USING fts5 (
    subject, people, body, files,
    content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'
);
"""


SqlCondition = tuple[str, tuple[object, ...]]

_STATE_CONDITIONS = {
    MessageState.UNREAD: "m.unread",
    MessageState.READ: "NOT m.unread",
    MessageState.STARRED: "m.starred",
}
_HAS_WORDS = "m.id IN (SELECT rowid FROM words WHERE words MATCH ?)"
_FIELD_CONDITIONS = {
    TextField.FROM: "m.sender IN (SELECT id FROM people WHERE instr(folded, ?))",
    **{
        field: f"m.id IN (SELECT message FROM recipients WHERE field = '{field}'"  # noqa: S608
        " AND person IN (SELECT id FROM people WHERE instr(folded, ?)))"
        for field in (TextField.TO, TextField.CC, TextField.BCC)
    },
    TextField.FILE_NAME: "instr(m.files, ?)",
    TextField.MAILING_LIST: "instr(m.list, ?)",
}
_WITH_LABEL = (
    "EXISTS (SELECT 1 FROM labelled WHERE message = m.id"
    " AND label = (SELECT id FROM labels WHERE key = ?))"
)


def sql_condition(query: Query, own_address: str) -> SqlCondition:
    """Return the condition on `messages m` and the values of its placeholders.

    `own_address` is the address that "me" stands for.
    """
    matches, values = _condition(query.term, own_address)
    return (matches if query.includes_hidden else f"NOT m.hidden AND {matches}"), values


def _condition(term: Term, own_address: str) -> SqlCondition:
    match term:
        case And(terms):
            return _combined(" AND ", terms, own_address)
        case Or(terms):
            return _combined(" OR ", terms, own_address)
        case Not(inner):
            matches, values = _condition(inner, own_address)
            return f"NOT {matches}", values
        case Contains(part, field):
            is_me = case_folded(part) == "me" and field in ADDRESS_FIELDS
            text = own_address if is_me and own_address else part
            return _FIELD_CONDITIONS[field], (case_folded(text),)
        case _:
            return _leaf_condition(term)


def _leaf_condition(term: Term) -> SqlCondition:  # noqa: PLR0911 — one line per term
    match term:
        case Words(text, in_subject):
            column = "subject : " if in_subject else ""
            phrase = re.sub(r'["\0]', " ", replace_surrogates(text))
            return _HAS_WORDS, (f'{column}"{phrase}"',)
        case Since(moment):
            return "m.date >= ?", (moment.timestamp(),)
        case Before(moment):
            return "m.date < ?", (moment.timestamp(),)
        case HasState(state):
            return _STATE_CONDITIONS[state], ()
        case InFolder(name):
            return _folder_condition(name)
        case MessageId(value):
            return "m.message_id = ?", (replace_surrogates(value),)
        case MinimumSize(at_least):
            return "m.size >= ?", (at_least,)
        case _:  # HasAttachment
            return "m.files <> ''", ()


def _folder_condition(name: str) -> SqlCondition:
    key = label_key(name)
    if key == "anywhere":
        return "1", ()
    if key in set(MessageState):
        return _STATE_CONDITIONS[MessageState(key)], ()
    if key == "trash":
        return f"(m.hidden AND NOT {_WITH_LABEL})", ("spam",)
    return _WITH_LABEL, (key,)


def _combined(operator: str, terms: tuple[Term, ...], own_address: str) -> SqlCondition:
    conditions = [_condition(term, own_address) for term in terms]
    if not conditions:
        return "1", ()
    values = tuple(value for _, each in conditions for value in each)
    return f"({operator.join(matches for matches, _ in conditions)})", values
