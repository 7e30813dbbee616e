"""Gmail search: a query written in Gmail's syntax, and its results filtered exactly."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlencode

from tools.mail.folders import label_key
from tools.mail.gmail.gmail_labels import NOT_ARCHIVED, STATE_LABELS, GmailLabels, is_archive
from tools.mail.gmail.gmail_message import GmailMessage
from tools.mail.message.charsets import case_folded
from tools.mail.message.headers import message_id_of
from tools.mail.search.query import (
    ADDRESS_FIELDS,
    And,
    Before,
    Contains,
    HasAttachment,
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
    leaf_terms,
)

MAX_LISTED = 500  # messages per request

_NOTHING = "-in:anywhere"
_UNSAFE = re.compile(r'["\x00-\x1f\x7f]+')
_PLAIN = re.compile(r"\w[\w.@+-]*")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s.]+\.[^@\s]+")

AddressLookup = Callable[[str], Sequence[str]]
"""Returns known addresses whose name or address contains the text."""


@dataclass(frozen=True)
class ListRequest:
    """A `messages.list` request: `text` in Gmail's search syntax, limited to the labels."""

    text: str
    label_ids: tuple[str, ...]
    includes_hidden: bool

    def path(self, count: int, page: str = "") -> str:
        """Return the path of a request for at most `count` ids.

        `page` is the token of a page after the first.
        """
        fields = [("maxResults", str(min(count, MAX_LISTED)))]
        fields += [("q", self.text)] if self.text else []
        fields += [("labelIds", id) for id in self.label_ids]
        fields += [("includeSpamTrash", "true")] if self.includes_hidden else []
        fields += [("pageToken", page)] if page else []
        return f"/gmail/v1/users/me/messages?{urlencode(fields)}"


def list_request(query: Query, labels: GmailLabels, lookup: AddressLookup) -> ListRequest:
    """Return the request for a query.

    `lookup` returns addresses for part of a name, as Gmail matches whole words only.
    """
    terms = query.term.terms if isinstance(query.term, And) else (query.term,)
    ids = {term: _label_id(term, labels) for term in terms}
    rest = And(tuple(term for term in terms if not ids[term]))
    found = tuple(dict.fromkeys(filter(None, ids.values())))
    text = " ".join(_QueryWriter(labels, cache(lookup)).all_of(rest))
    return ListRequest(text, found, query.includes_hidden)


def widen(query: Query) -> Query:
    """Return the query without terms that Gmail matches too narrowly, to filter locally."""
    return Query(_widen(query.term))


def _widen(term: Term) -> Term:
    match term:
        case Contains(_, TextField.FILE_NAME):
            return HasAttachment()
        case Contains(part, field) if field not in ADDRESS_FIELDS or not _ADDRESS.fullmatch(part):
            return And()
        case And(terms):
            return And(tuple(map(_widen, terms)))
        case Or(terms) if not any(
            isinstance(leaf, Words | MinimumSize) for leaf in leaf_terms(term)
        ):
            return Or(tuple(map(_widen, terms)))
        case _:
            return term


def _label_id(term: Term, labels: GmailLabels) -> str:
    """Return the id of the label that is equivalent to the term, or ""."""
    match term:
        case InFolder(name) if label_key(name) not in {"anywhere", *MessageState}:
            return labels.id_of(name)
        case HasState(state):
            return STATE_LABELS.get(state, "")
        case _:
            return ""


@dataclass(frozen=True)
class _QueryWriter:
    labels: GmailLabels
    lookup: AddressLookup

    def all_of(self, term: And) -> Iterator[str]:
        """Yield the text of each term, except terms that match every message."""
        return filter(None, map(self.text, term.terms))

    def text(self, term: Term) -> str:
        """Return the term in Gmail's syntax, "" if it matches every message."""
        match term:
            case And():
                return self._group("(", list(self.all_of(term)), ")")
            case Or(terms):
                texts = list(map(self.text, terms))
                return self._group("{", texts, "}") if all(texts) else ""
            case Not(inner):
                return self._negated(inner)
            case _:
                return self._leaf(term)

    def _group(self, opening: str, texts: Sequence[str], closing: str) -> str:
        if len(texts) < 2:
            return "".join(texts)
        return f"{opening}{' '.join(texts)}{closing}"

    def _negated(self, term: Term) -> str:
        match term:
            case Not(inner):
                return self.text(inner)
            case And(terms):
                return self.text(Or(tuple(map(Not, terms)))) if terms else _NOTHING
            case Or(terms):
                return self.text(And(tuple(map(Not, terms))))
            case Since(moment):
                return self.text(Before(moment))
            case Before(moment):
                return self.text(Since(moment))
            case _:
                return f"-{self._leaf(term)}"

    def _leaf(self, term: Term) -> str:  # noqa: PLR0911 — one line per term
        match term:
            case Words(text, in_subject):
                return f"subject:{search_operand(text)}" if in_subject else _quote(text)
            case Contains(part, field):
                return self._contains(part, field)
            case Since(
                moment
            ):  # one second wider, as Gmail does not document which ends it includes
                return f"after:{math.floor(moment.timestamp()) - 1}"
            case Before(moment):
                return f"before:{math.ceil(moment.timestamp()) + 1}"
            case HasState(state):
                return f"is:{state}"
            case InFolder(name):
                return self._folder(name)
            case MessageId(value):
                return f"rfc822msgid:{search_operand(value)}"
            case MinimumSize(at_least):
                return f"larger:{max(at_least - 1, 0)}"
            case _:  # HasAttachment
                return "has:attachment"

    def _contains(self, part: str, field: TextField) -> str:
        if field not in ADDRESS_FIELDS:
            return f"{field}:{search_operand(part)}"
        if case_folded(part) == "me":
            return f"{field}:me"
        texts = dict.fromkeys((part, *self.lookup(part)))
        return self._group("{", [f"{field}:{search_operand(text)}" for text in texts], "}")

    def _folder(self, name: str) -> str:
        key = label_key(name)
        if key == "anywhere":
            return "in:anywhere"
        if key in set(MessageState):
            return f"is:{key}"
        if is_archive(name) and not self.labels.id_of(name):
            return "in:archive"
        return self.labels.search_term(name)


def search_operand(text: str) -> str:
    """Return the operand of an operator, quoted unless it is a plain word."""
    is_plain = _PLAIN.fullmatch(text) and text.upper() not in {"OR", "AND", "AROUND"}
    return text if is_plain else _quote(text)


def _quote(text: str) -> str:
    """Quote text for Gmail, which has no escape for a quotation mark."""
    return f'"{" ".join(_UNSAFE.sub(" ", text).split())}"'


@dataclass(frozen=True)
class QueryMatcher:
    """Tests messages against the terms that can be evaluated without Gmail."""

    labels: GmailLabels

    def allows(self, term: Term, message: GmailMessage) -> bool:
        """Whether no known property of the message contradicts the term."""
        return self._evaluate(term, message) is not False

    def _evaluate(self, term: Term, message: GmailMessage) -> bool | None:
        """Whether the term matches; None if only Gmail can tell."""
        match term:
            case And(terms):
                return _all(self._evaluate(inner, message) for inner in terms)
            case Or(terms):
                return _not(_all(_not(self._evaluate(inner, message)) for inner in terms))
            case Not(inner):
                return _not(self._evaluate(inner, message))
            case InFolder(name):
                return self._is_in(name, message)
            case _:
                return _matches(term, message)

    def _is_in(self, name: str, message: GmailMessage) -> bool | None:
        key = label_key(name)
        if key == "anywhere":
            return True
        if key in set(MessageState):
            return _has_state(MessageState(key), message)
        if id := self.labels.id_of(name):
            return id in message.labels
        return not message.labels & NOT_ARCHIVED if is_archive(name) else None


def _matches(term: Term, message: GmailMessage) -> bool | None:
    match term:
        case Contains(part, field) if field not in ADDRESS_FIELDS or case_folded(part) != "me":
            return any(case_folded(part) in case_folded(each) for each in _texts(field, message))
        case Since(moment):
            return message.received >= moment.timestamp() * 1000
        case Before(moment):
            return message.received < moment.timestamp() * 1000
        case HasState(state):
            return _has_state(state, message)
        case MessageId(value):
            return message_id_of(message.parsed.headers) == value
        case _:
            return None


def _texts(field: TextField, message: GmailMessage) -> Iterator[str]:
    parsed = message.parsed
    if field is TextField.FILE_NAME:
        yield from (each.name for each in parsed.attachments)
    elif field is TextField.MAILING_LIST:
        yield " ".join(parsed.headers.text(name) for name in ("list-id", "list-post"))
    else:
        yield from (f"{each.name} {each.address}" for each in parsed.addresses(field))


def _has_state(state: MessageState, message: GmailMessage) -> bool:
    if state is MessageState.READ:
        return STATE_LABELS[MessageState.UNREAD] not in message.labels
    return STATE_LABELS[state] in message.labels


def _all(results: Iterable[bool | None]) -> bool | None:
    known = list(results)
    if False in known:
        return False
    return None if None in known else True


def _not(result: bool | None) -> bool | None:  # noqa: FBT001 — a truth value of three
    return None if result is None else not result
