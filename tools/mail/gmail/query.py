"""A query for Gmail: what is looked for, in its search syntax, with nothing of it taken as syntax.

What Gmail cannot do exactly is asked so that nothing is missed, and sorted out here by `matching`.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlencode

from tools.mail.folded import folded
from tools.mail.gmail.labels import STATES, Labels, is_archive
from tools.mail.places import label_key
from tools.mail.query import (
    Either,
    Every,
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
    leaves,
)

MOST_LISTED = 500
"""Messages that Gmail lists at once."""

_NOTHING = "-in:anywhere"
_UNSAFE = re.compile(r'["\x00-\x1f\x7f]+')
_PLAIN = re.compile(r"\w[\w.@+-]*")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s.]+\.[^@\s]+")

Known = Callable[[str], Sequence[str]]
"""The addresses seen of people whose name or address contains something."""


@dataclass(frozen=True)
class Listing:
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


def listing(query: Query, labels: Labels, known: Known) -> Listing:
    """What Gmail is asked for a query.

    Args:
        query: what is looked for.
        labels: those of the account.
        known: whom the parts of names can mean, as Gmail finds whole words only.
    """
    terms = query.term.terms if isinstance(query.term, Every) else (query.term,)
    ids = {term: _label_id(term, labels) for term in terms}
    rest = Every(tuple(term for term in terms if not ids[term]))
    found = tuple(dict.fromkeys(filter(None, ids.values())))
    text = " ".join(_Writer(labels, cache(known)).every(rest))
    return Listing(text, found, query.includes_hidden)


def widened(query: Query) -> Query:
    """The query without what Gmail may miss by: for the newest, to be sorted out here."""
    return Query(_widened(query.term))


def _widened(term: Term) -> Term:
    match term:
        case Person(part) if not _ADDRESS.fullmatch(part):
            return Every()
        case FromList():
            return Every()
        case FileName():
            return HasAttachment()
        case Every(terms):
            return Every(tuple(map(_widened, terms)))
        case Either(terms) if not any(isinstance(leaf, Words | Size) for leaf in leaves(term)):
            return Either(tuple(map(_widened, terms)))
        case _:
            return term


def _label_id(term: Term, labels: Labels) -> str:
    """The label that says the same as the term, "" where none does."""
    match term:
        case In(place) if label_key(place) not in {"anywhere", *State}:
            return labels.id_of(place)
        case Marked(state):
            return STATES.get(state, "")
        case _:
            return ""


@dataclass(frozen=True)
class _Writer:
    labels: Labels
    known: Known

    def every(self, term: Every) -> Iterator[str]:
        """Each term's text; none for what holds of every message."""
        return filter(None, map(self.text, term.terms))

    def text(self, term: Term) -> str:
        """The term in Gmail's syntax; "" for one that holds of every message."""
        match term:
            case Every():
                return self._group("(", list(self.every(term)), ")")
            case Either(terms):
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
            case Every(terms):
                return self.text(Either(tuple(map(Not, terms)))) if terms else _NOTHING
            case Either(terms):
                return self.text(Every(tuple(map(Not, terms))))
            case Since(moment):
                return self.text(Until(moment))
            case Until(moment):
                return self.text(Since(moment))
            case _:
                return f"-{self._one(term)}"

    def _one(self, term: Term) -> str:  # noqa: C901, PLR0911 — one line for each kind
        match term:
            case Words(text, in_subject):
                return f"subject:{operand(text)}" if in_subject else _quoted(text)
            case Person(part, field):
                return self._person(part, field)
            case Since(moment):  # a second wider, as Gmail does not say which ends belong
                return f"after:{math.floor(moment.timestamp()) - 1}"
            case Until(moment):
                return f"before:{math.ceil(moment.timestamp()) + 1}"
            case Marked(state):
                return f"is:{state}"
            case FileName(part):
                return f"filename:{operand(part)}"
            case In(place):
                return self._in(place)
            case FromList(part):
                return f"list:{operand(part)}"
            case MessageId(value):
                return f"rfc822msgid:{operand(value)}"
            case Size(at_least):
                return f"larger:{max(at_least - 1, 0)}"
            case _:  # HasAttachment
                return "has:attachment"

    def _person(self, part: str, field: str) -> str:
        if folded(part) == "me":
            return f"{field}:me"
        names = dict.fromkeys((part, *self.known(part)))
        return self._group("{", [f"{field}:{operand(name)}" for name in names], "}")

    def _in(self, place: str) -> str:
        key = label_key(place)
        if key == "anywhere":
            return "in:anywhere"
        if key in set(State):
            return f"is:{key}"
        if is_archive(place) and not self.labels.id_of(place):
            return "in:archive"
        return self.labels.searched(place)


def operand(text: str) -> str:
    """What comes after an operator; a plain word as people write it."""
    is_plain = _PLAIN.fullmatch(text) and text.upper() not in {"OR", "AND", "AROUND"}
    return text if is_plain else _quoted(text)


def _quoted(text: str) -> str:
    """Words that Gmail takes as they are; it has no way to write a quotation mark among them."""
    return f'"{" ".join(_UNSAFE.sub(" ", text).split())}"'
