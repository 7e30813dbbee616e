"""Gmail's search: a query read into a test of messages, written without a look at Deskhand's own.

Words are whole words, and a plain date is midnight in California, as with Gmail.
Source: https://support.google.com/mail/answer/7190 and
https://developers.google.com/workspace/gmail/api/guides/filtering
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from tests.google import mime
from tests.google.mailbox import Mailbox, Message

Test = Callable[[Message, Mailbox], bool]
_CALIFORNIA = ZoneInfo("America/Los_Angeles")
_TOKEN = re.compile(
    r"\s*(?:(?P<sign>[-+])?(?P<operator>[a-z_0-9]+:)?"
    r'(?:"(?P<phrase>[^"]*)"?|(?P<open>[({])|(?P<word>[^\s(){}"]+))|(?P<close>[)}]))',
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20}
_AGES = {"h": 3600, "d": 86400, "m": 30 * 86400, "y": 365 * 86400}
_PLACES = {"drafts": "DRAFT", "unread": "UNREAD", "starred": "STARRED"}
_FIELDS = ("from", "to", "cc", "bcc", "subject", "deliveredto", "list")


@dataclass(frozen=True)
class Search:
    """A query; spam and trash are looked through only where it names them."""

    matches: Test
    includes_hidden: bool


def parse(text: str) -> Search:
    """Parse a query; unknown operators are searched for as words."""
    reader = _Reader(text)
    return Search(reader.all(""), reader.includes_hidden)


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = list(_TOKEN.finditer(text))
        self.includes_hidden = False

    def all(self, operator: str) -> Test:
        """Everything up to a closing bracket; OR joins its two neighbours."""
        groups: list[list[Test]] = []
        joined = False
        for test in self._terms(operator):
            if test is None:
                joined = bool(groups)
            elif joined:
                groups[-1].append(test)
                joined = False
            else:
                groups.append([test])
        return _every([_any(group) for group in groups])

    def _terms(self, operator: str) -> Sequence[Test | None]:
        """The terms; None stands for OR."""
        terms: list[Test | None] = []
        while self._tokens:
            token = self._tokens.pop(0)
            if token["close"]:
                break
            if token["word"] in {"OR", "|"} and not token["operator"]:
                terms.append(None)
            elif token["word"] != "AND":
                terms.append(self._term(token, operator))
        return terms

    def _term(self, token: re.Match[str], outer: str) -> Test:
        operator = (token["operator"] or "").lower().rstrip(":") or outer
        if token["open"] == "{":
            test = _any([each for each in self._terms(operator) if each])
        elif token["open"]:
            test = self.all(operator)
        else:
            value = token["word"] if token["phrase"] is None else token["phrase"]
            self.includes_hidden |= operator in {"in", "label", "is"} and value.lower() in {
                "anywhere",
                "spam",
                "trash",
            }
            test = _test(operator, value)
        return _not(test) if token["sign"] == "-" else test


def _every(tests: Sequence[Test]) -> Test:
    return lambda message, mailbox: all(test(message, mailbox) for test in tests)


def _any(tests: Sequence[Test]) -> Test:
    return lambda message, mailbox: any(test(message, mailbox) for test in tests)


def _not(test: Test) -> Test:
    return lambda message, mailbox: not test(message, mailbox)


def _test(operator: str, value: str) -> Test:
    make = _OPERATORS.get(operator)
    if make:
        with suppress(ValueError, LookupError):  # a value it cannot take
            return make(operator, value)
    if operator in _FIELDS:
        return partial(_says, operator, _words(value))
    return partial(_says, "", _words(f"{operator} {value}"))


def _place(_operator: str, value: str) -> Test:
    return partial(_is_at, _key(value))


def _category(_operator: str, value: str) -> Test:
    return partial(_is_at, f"category-{value.lower()}")


def _marks(_operator: str, value: str) -> Test:
    return partial(_has, value.lower())


def _file(_operator: str, value: str) -> Test:
    return partial(_has_file, value.lower())


def _id(_operator: str, value: str) -> Test:
    return partial(_has_id, value.strip("<>"))


def _day(operator: str, value: str) -> Test:
    return partial(_dated, operator in {"after", "newer"}, _moment(value))


def _age(operator: str, value: str) -> Test:
    seconds = _AGES[value[-1].lower()] * int(value[:-1])
    return partial(_dated, operator == "newer_than", time.time() - seconds)


def _size_of(operator: str, value: str) -> Test:
    return partial(_sized, operator != "smaller", _size(value))


def _is_at(place: str, message: Message, mailbox: Mailbox) -> bool:
    if place in {"anywhere", "all"}:
        return True
    if place == "read":
        return "UNREAD" not in message.labels
    if place == "archive":
        return not message.labels & {"INBOX", "SENT", "DRAFT", "SPAM", "TRASH"}
    if place in _PLACES:
        return _PLACES[place] in message.labels
    return any(_key(mailbox.labels[each].name) == place for each in message.labels)


def _key(name: str) -> str:
    return re.sub(r"[^\w]+", "-", name.lower()).replace("_", "-").strip("-")


def _has(what: str, message: Message, _mailbox: Mailbox) -> bool:
    match what:
        case "attachment":
            return bool(mime.file_names(message.parsed))
        case "userlabels":
            return any(each.startswith("Label_") for each in message.labels)
        case "nouserlabels":
            return not any(each.startswith("Label_") for each in message.labels)
    return False


def _has_file(part: str, message: Message, _mailbox: Mailbox) -> bool:
    names = [name.lower() for name in mime.file_names(message.parsed)]
    return any(_follow(_words(part), _words(name)) for name in names)


def _has_id(id: str, message: Message, _mailbox: Mailbox) -> bool:
    return message.message_id.strip("<>") == id


def _dated(is_after: bool, moment: float, message: Message, _mailbox: Mailbox) -> bool:
    return (message.date / 1000 >= moment) == is_after


def _sized(is_larger: bool, size: int, message: Message, _mailbox: Mailbox) -> bool:
    return (len(message.raw) >= size) == is_larger


def _says(field: str, words: Sequence[str], message: Message, _mailbox: Mailbox) -> bool:
    return not words or _follow(words, _said(field, message))


def _said(field: str, message: Message) -> Sequence[str]:
    match field:
        case "":
            names = ("Subject", "From", "To", "Cc")
            heads = [message.header(name) for name in names]
            files = mime.file_names(message.parsed)
            return _words(" ".join((*heads, mime.words(message.parsed), *files)))
        case "list":
            return _words(message.header("List-Id") + " " + message.header("List-Post"))
        case "deliveredto":
            return _words(message.header("Delivered-To"))
    return _words(message.header(field))


def _follow(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether the words come one after the other."""
    size = len(words)
    starts = range(len(said) - size + 1)
    return any(said[start] == words[0] and said[start : start + size] == words for start in starts)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _moment(value: str) -> float:
    if value.isdecimal() and len(value) > 8:
        return int(value)
    day = datetime.strptime(value.replace("-", "/"), "%Y/%m/%d").replace(tzinfo=_CALIFORNIA)
    return day.timestamp()


def _size(value: str) -> int:
    found = re.fullmatch(r"(\d+)([km]?)b?", value.lower())
    return int(found[1]) * _SIZES[found[2]] if found else 0


_OPERATORS: Mapping[str, Callable[[str, str], Test]] = {
    "in": _place,
    "is": _place,
    "label": _place,
    "category": _category,
    "has": _marks,
    "filename": _file,
    "rfc822msgid": _id,
    "after": _day,
    "newer": _day,
    "before": _day,
    "older": _day,
    "newer_than": _age,
    "older_than": _age,
    "size": _size_of,
    "larger": _size_of,
    "smaller": _size_of,
}
