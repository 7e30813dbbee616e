"""Query syntax: Gmail's search language, parsed into a `Query`."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from tools.mail.search.query import (
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
)
from tools.moments.clock import Clock
from tools.moments.time_parsing import parse_past_moment
from tools.tool_errors import ToolError

MAX_SEARCH_LENGTH = 10_000
MAX_TERMS = 200
MAX_NESTING = 30

_AGE = r"(?i:(\d{1,5})\s?([hdwmy]))"
_AGE_UNITS = {"h": "hours", "d": "days", "w": "weeks", "m": "months", "y": "years"}
_SIZE = r"(?i:(\d{1,12})([kmg]?)b?)"
_SINCE = ("after", "newer", "since", "newer_than")
_SIZE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_DATE_EXAMPLES = "a date such as 2026/11/20, a weekday or a word such as yesterday"


class _Token(NamedTuple):
    kind: str  # "term", "open", "close", "or", "and"
    text: str = ""
    operator: str = ""
    is_negated: bool = False


def parse_query(text: str, clock: Clock) -> Query:
    """Parse Gmail's search syntax; relative dates count from the clock's present.

    Raises:
        ToolError: an operator has an invalid value; the text names valid ones.
    """
    return Query(_Parser(_tokens(text), clock).parse())


def _tokens(text: str) -> list[_Token]:
    if len(text) > MAX_SEARCH_LENGTH:
        raise ToolError(
            f"This search has {len(text):,} characters; at most {MAX_SEARCH_LENGTH:,} are allowed."
        )
    found = [_token(match) for match in _token_pattern().finditer(text) if match["blank"] is None]
    if len(found) > MAX_TERMS:
        raise ToolError(f"This search has {len(found)} words; at most {MAX_TERMS} are allowed.")
    return found


def _token(match: re.Match[str]) -> _Token:
    if match["close"]:
        return _Token("close")
    operator = (match["operator"] or "").lower()
    is_negated = bool(match["minus"])
    if match["open"]:
        return _Token("open", match["open"], operator, is_negated)
    if match["phrase"] is not None:
        return _Token("term", match["phrase"], operator, is_negated)
    word = match["word"] or match["stray"] or ""
    if not operator and word.endswith(":") and word[:-1].lower() in _OPERATORS:
        return _Token("term", "", word[:-1].lower(), is_negated)
    if word in {"OR", "AND", "|"} and not operator and not is_negated:
        return _Token("and" if word == "AND" else "or")
    return _Token("term", word, operator, is_negated)


class _Parser:
    """Recursive-descent parser of tokens; unbalanced brackets are tolerated."""

    def __init__(self, tokens: Sequence[_Token], clock: Clock) -> None:
        self._tokens = tokens
        self._position = 0
        self._clock = clock

    def parse(self) -> Term:
        """Parse all tokens, ignoring unmatched closing brackets."""
        terms = []
        while self._position < len(self._tokens):
            terms.append(self._alternatives("", 0))
            self._position += 1  # a stray closing bracket, or the end
        return _all_of(terms)

    def _alternatives(self, operator: str, depth: int) -> Term:
        """Parse terms up to a closing bracket; OR joins its two neighbours, as in Gmail."""
        groups: list[list[Term]] = []
        joins_next = False
        while (token := self._next()) is not None:
            if token.kind in {"or", "and"}:
                joins_next = token.kind == "or" and bool(groups)
                continue
            term = self._term(token, operator, depth)
            if term == And():
                continue
            if joins_next:
                groups[-1].append(term)
            else:
                groups.append([term])
            joins_next = False
        return _all_of([group[0] if len(group) == 1 else Or(tuple(group)) for group in groups])

    def _next(self) -> _Token | None:
        if self._position >= len(self._tokens) or self._tokens[self._position].kind == "close":
            return None
        self._position += 1
        return self._tokens[self._position - 1]

    def _term(self, token: _Token, operator: str, depth: int) -> Term:
        name = token.operator or operator
        if token.kind == "open":
            term = self._group(token, name, depth + 1)
        else:
            term = _term_for(name, token, self._clock)
        return Not(term) if token.is_negated and term != And() else term

    def _group(self, opening: _Token, operator: str, depth: int) -> Term:
        if depth > MAX_NESTING:
            raise ToolError(f"This search nests brackets deeper than {MAX_NESTING} levels.")
        inner = self._alternatives(operator, depth)
        self._position += 1  # the closing bracket
        if opening.text == "{" and isinstance(inner, And) and inner.terms:
            return Or(inner.terms)
        return inner


def _all_of(terms: Sequence[Term]) -> Term:
    nonempty = [term for term in terms if term != And()]
    return nonempty[0] if len(nonempty) == 1 else And(tuple(nonempty))


def _term_for(operator: str, token: _Token, clock: Clock) -> Term:
    build_term = _OPERATORS.get(operator)
    if build_term is None:
        return _words("", token.text)
    if not token.text.strip():
        raise ToolError(f"The search word {operator}: needs something after it.")
    return build_term(operator, token.text.strip(), clock)


def _words(operator: str, text: str, _clock: Clock | None = None) -> Term:
    has_letters = any(letter.isalnum() for letter in text)
    return Words(text, in_subject=operator == "subject") if has_letters else And()


def _contains(operator: str, value: str, _clock: Clock) -> Term:
    return Contains(value, TextField(operator))


def _dated(operator: str, value: str, clock: Clock) -> Term:
    read = _age if operator.endswith("_than") else _moment
    moment = read(operator, value, clock)
    return Since(moment) if operator in _SINCE else Before(moment)


def _moment(operator: str, value: str, clock: Clock) -> datetime:
    try:
        if re.fullmatch(r"\d{9,11}", value):
            return datetime.fromtimestamp(int(value), UTC)
        return parse_past_moment(value.replace("_", " "), clock)
    except ToolError as error:
        raise _invalid_value(operator, value, _DATE_EXAMPLES) from error


def _age(operator: str, value: str, clock: Clock) -> datetime:
    match = re.fullmatch(_AGE, value)
    remedy = "a number and a unit, such as 12h, 2d, 3w, 1m or 1y"
    if match is None:
        raise _invalid_value(operator, value, remedy)
    try:
        return parse_past_moment(f"{match[1]} {_AGE_UNITS[match[2].lower()]} ago", clock)
    except ToolError as error:
        raise _invalid_value(operator, value, remedy) from error


def _is(operator: str, value: str, _clock: Clock) -> Term:
    try:
        return HasState(MessageState(value.lower()))
    except ValueError as error:
        raise _invalid_value(operator, value, "unread, read or starred") from error


def _has(operator: str, value: str, _clock: Clock) -> Term:
    if value.lower() not in {"attachment", "attachments"}:
        raise _invalid_value(operator, value, "attachment")
    return HasAttachment()


def _size(operator: str, value: str, _clock: Clock) -> Term:
    match = re.fullmatch(_SIZE, value)
    if match is None:
        raise _invalid_value(operator, value, "a size such as 500K or 5M")
    size = MinimumSize(int(match[1]) * _SIZE_UNITS[match[2].lower()])
    return Not(size) if operator == "smaller" else size


def _invalid_value(operator: str, value: str, takes: str) -> ToolError:
    printable = "".join(letter if letter.isprintable() else " " for letter in value[:60])
    return ToolError(
        f"The search word {operator}:{printable} is invalid: {operator}: takes {takes}."
    )


_OPERATORS: dict[str, Callable[[str, str, Clock], Term]] = {
    **dict.fromkeys(TextField, _contains),
    "subject": _words,
    **dict.fromkeys(_SINCE, _dated),
    **dict.fromkeys(("before", "older", "older_than"), _dated),
    "is": _is,
    "has": _has,
    "in": lambda _operator, value, _clock: InFolder(value),
    "label": lambda _operator, value, _clock: InFolder(value),
    "rfc822msgid": lambda _operator, value, _clock: MessageId(value.strip("<>")),
    "larger": _size,
    "size": _size,
    "smaller": _size,
}


@cache
def _token_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<minus>-)?(?:(?P<operator>{'|'.join(_OPERATORS)}):\s*)?"
        r'(?:"(?P<phrase>[^"]*)"?|(?P<open>[({])|(?P<word>[^\s(){}"]+))'
        r"|(?P<close>[)}])|(?P<blank>\s)|(?P<stray>.)",
        re.DOTALL | re.IGNORECASE,
    )
