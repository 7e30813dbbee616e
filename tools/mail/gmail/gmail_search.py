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
from tools.mail.message.threads import message_id_of
from tools.mail.search.query import (
    And,
    Before,
    FileName,
    HasAttachment,
    HasState,
    InFolder,
    InMailingList,
    MessageId,
    MessageState,
    MinimumSize,
    Not,
    Or,
    Person,
    Query,
    Since,
    Term,
    Words,
    leaf_terms,
)

MOST_LISTED = 500
"""Messages that Gmail lists at once."""

_NOTHING = "-in:anywhere"
_UNSAFE = re.compile(r'["\x00-\x1f\x7f]+')
_PLAIN = re.compile(r"\w[\w.@+-]*")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s.]+\.[^@\s]+")

AddressLookup = Callable[[str], Sequence[str]]
"""The addresses seen of people whose name or address contains something."""


@dataclass(frozen=True)
class ListRequest:
    """What Gmail is asked to list: `text` in its search syntax, under all of the labels."""

    text: str
    label_ids: tuple[str, ...]
    includes_hidden: bool

    def path(self, count: int, page: str = "") -> str:
        """Where to ask for at most `count` ids.

        Args:
            count: how many.
            page: the token of a page after the first.
        """
        fields = [("maxResults", str(min(count, MOST_LISTED)))]
        fields += [("q", self.text)] if self.text else []
        fields += [("labelIds", id) for id in self.label_ids]
        fields += [("includeSpamTrash", "true")] if self.includes_hidden else []
        fields += [("pageToken", page)] if page else []
        return f"/gmail/v1/users/me/messages?{urlencode(fields)}"


def list_request(query: Query, labels: GmailLabels, known: AddressLookup) -> ListRequest:
    """What Gmail is asked for a query.

    Args:
        query: what is looked for.
        labels: those of the account.
        known: whom the parts of names can mean, as Gmail finds whole words only.
    """
    terms = query.term.terms if isinstance(query.term, And) else (query.term,)
    ids = {term: _label_id(term, labels) for term in terms}
    rest = And(tuple(term for term in terms if not ids[term]))
    found = tuple(dict.fromkeys(filter(None, ids.values())))
    text = " ".join(_QueryWriter(labels, cache(known)).every(rest))
    return ListRequest(text, found, query.includes_hidden)


def widen(query: Query) -> Query:
    """The query without what Gmail may miss by: for the newest, to be sorted out here."""
    return Query(_widen(query.term))


def _widen(term: Term) -> Term:
    match term:
        case Person(part) if not _ADDRESS.fullmatch(part):
            return And()
        case InMailingList():
            return And()
        case FileName():
            return HasAttachment()
        case And(terms):
            return And(tuple(map(_widen, terms)))
        case Or(terms) if not any(
            isinstance(leaf, Words | MinimumSize) for leaf in leaf_terms(term)
        ):
            return Or(tuple(map(_widen, terms)))
        case _:
            return term


def _label_id(term: Term, labels: GmailLabels) -> str:
    """The label that says the same as the term, "" where none does."""
    match term:
        case InFolder(place) if label_key(place) not in {"anywhere", *MessageState}:
            return labels.id_of(place)
        case HasState(state):
            return STATE_LABELS.get(state, "")
        case _:
            return ""


@dataclass(frozen=True)
class _QueryWriter:
    labels: GmailLabels
    known: AddressLookup

    def every(self, term: And) -> Iterator[str]:
        """Each term's text; none for what holds of every message."""
        return filter(None, map(self.text, term.terms))

    def text(self, term: Term) -> str:
        """The term in Gmail's syntax; "" for one that holds of every message."""
        match term:
            case And():
                return self._group("(", list(self.every(term)), ")")
            case Or(terms):
                texts = list(map(self.text, terms))
                return self._group("{", texts, "}") if all(texts) else ""
            case Not(inner):
                return self._negated(inner)
            case _:
                return self._one(term)

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
                return f"-{self._one(term)}"

    def _one(self, term: Term) -> str:  # noqa: C901, PLR0911 — one line for each kind
        match term:
            case Words(text, in_subject):
                return f"subject:{search_operand(text)}" if in_subject else _quote(text)
            case Person(part, field):
                return self._person(part, field)
            case Since(moment):  # a second wider, as Gmail does not say which ends belong
                return f"after:{math.floor(moment.timestamp()) - 1}"
            case Before(moment):
                return f"before:{math.ceil(moment.timestamp()) + 1}"
            case HasState(state):
                return f"is:{state}"
            case FileName(part):
                return f"filename:{search_operand(part)}"
            case InFolder(place):
                return self._in(place)
            case InMailingList(part):
                return f"list:{search_operand(part)}"
            case MessageId(value):
                return f"rfc822msgid:{search_operand(value)}"
            case MinimumSize(at_least):
                return f"larger:{max(at_least - 1, 0)}"
            case _:  # HasAttachment
                return "has:attachment"

    def _person(self, part: str, field: str) -> str:
        if case_folded(part) == "me":
            return f"{field}:me"
        names = dict.fromkeys((part, *self.known(part)))
        return self._group("{", [f"{field}:{search_operand(name)}" for name in names], "}")

    def _in(self, place: str) -> str:
        key = label_key(place)
        if key == "anywhere":
            return "in:anywhere"
        if key in set(MessageState):
            return f"is:{key}"
        if is_archive(place) and not self.labels.id_of(place):
            return "in:archive"
        return self.labels.searched(place)


def search_operand(text: str) -> str:
    """What comes after an operator; a plain word as people write it."""
    is_plain = _PLAIN.fullmatch(text) and text.upper() not in {"OR", "AND", "AROUND"}
    return text if is_plain else _quote(text)


def _quote(text: str) -> str:
    """Words that Gmail takes as they are; it has no way to write a quotation mark among them."""
    return f'"{" ".join(_UNSAFE.sub(" ", text).split())}"'


@dataclass(frozen=True)
class QueryMatcher:
    """Tests messages by what is known here; what only Gmail can tell is left to Gmail."""

    labels: GmailLabels

    def allows(self, term: Term, message: GmailMessage) -> bool:
        """Whether nothing known here speaks against it."""
        return self._holds(term, message) is not False

    def _holds(self, term: Term, message: GmailMessage) -> bool | None:
        """Whether it holds; None where only Gmail can tell."""
        match term:
            case And(terms):
                return _all(self._holds(inner, message) for inner in terms)
            case Or(terms):
                return _not(_all(_not(self._holds(inner, message)) for inner in terms))
            case Not(inner):
                return _not(self._holds(inner, message))
            case InFolder(place):
                return self._is_in(place, message)
            case _:
                return _matches(term, message)

    def _is_in(self, place: str, message: GmailMessage) -> bool | None:
        key = label_key(place)
        if key == "anywhere":
            return True
        if key in set(MessageState):
            return _is_marked(MessageState(key), message)
        if id := self.labels.id_of(place):
            return id in message.labels
        return not message.labels & NOT_ARCHIVED if is_archive(place) else None


def _matches(term: Term, message: GmailMessage) -> bool | None:  # noqa: PLR0911 — one for each kind
    match term:
        case Person(part, field) if case_folded(part) != "me":
            people = message.parsed.people(field)
            return any(
                case_folded(part) in case_folded(f"{one.name} {one.address}") for one in people
            )
        case Since(moment):
            return message.received >= moment.timestamp() * 1000
        case Before(moment):
            return message.received < moment.timestamp() * 1000
        case HasState(state):
            return _is_marked(state, message)
        case FileName(part):
            names = "\n".join(file.name for file in message.parsed.attachments)
            return case_folded(part) in case_folded(names)
        case InMailingList(part):
            texts = (message.parsed.headers.text(name) for name in ("list-id", "list-post"))
            return case_folded(part) in case_folded(" ".join(texts))
        case MessageId(value):
            return message_id_of(message.parsed.headers) == value
        case _:
            return None


def _is_marked(state: MessageState, message: GmailMessage) -> bool:
    if state is MessageState.READ:
        return STATE_LABELS[MessageState.UNREAD] not in message.labels
    return STATE_LABELS[state] in message.labels


def _all(parts: Iterable[bool | None]) -> bool | None:
    known = list(parts)
    if False in known:
        return False
    return None if None in known else True


def _not(holds: bool | None) -> bool | None:  # noqa: FBT001 — a truth value of three
    return None if holds is None else not holds
