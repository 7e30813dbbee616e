"""The tokenizer: splits a request into words, numbers, dates, addresses and quotes."""

import re
from collections.abc import Iterator
from enum import StrEnum, auto
from typing import NamedTuple

_TYPOGRAPHIC = str.maketrans("\u2018\u2019\u201c\u201d\u201e\u00a0", '\'\'""" ')  # same length
_WORD = re.compile(
    r"""
      (?P<quoted>"[^"]+"|(?<!\w)'[^']+'(?!\w))
    | (?P<address>[\w.+-]*@[\w-]+(?:\.[\w-]+)+)
    | (?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2})(?![\w-])
    | (?P<clock>\d{1,2}[:.]\d\d\s?(?:[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?)(?![\d:])
    | (?P<ordinal>\d{1,2}(?:st|nd|rd|th))\b
    | (?P<number>(?:(?<!\w)-)?\d+(?:\.\d+)?)
    | (?P<word>tl;dr\b | o'clock\b | (?:dr|mrs?|ms|prof|st)\.(?=\s) | '\w+
        | [^\W\d_](?:\w|[-.&](?=\w)|'(?=\w{2}|t\b))*)
    | (?P<mark>\S)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLITICS = ("'s", "'d", "'m", "'re", "'ve", "'ll")


class WordKind(StrEnum):
    """The kind of a word."""

    QUOTED = auto()
    ADDRESS = auto()
    DATE = auto()
    CLOCK = auto()
    ORDINAL = auto()
    NUMBER = auto()
    WORD = auto()
    MARK = auto()


class Word(NamedTuple):
    """A word or punctuation mark at `start` to `end`; `norm` is its case-folded form for rules."""

    text: str
    norm: str
    kind: WordKind
    start: int
    end: int


_END = Word("", "", WordKind.MARK, 0, 0)


class Phrase(NamedTuple):
    """A request with its words."""

    text: str
    words: tuple[Word, ...]

    @classmethod
    def of(cls, text: str) -> "Phrase":
        """Split a request into words."""
        return cls(text, tuple(_words(text.translate(_TYPOGRAPHIC))))

    def word(self, index: int) -> Word:
        """Return a word, or an empty mark past the end."""
        return self.words[index] if index < len(self.words) else _END

    def text_of(self, first: int, after: int) -> str:
        """Return the words from `first` to before `after`, with the spaces as typed."""
        if first >= after:
            return ""
        return self.text[self.words[first].start : self.words[after - 1].end]

    @property
    def is_mixed_case(self) -> bool:
        """Whether upper and lower case both occur, so that capitals have a meaning."""
        return not (self.text.islower() or self.text.isupper())


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        kind = WordKind(match.lastgroup or WordKind.MARK)
        piece, start = match[0].rstrip(), match.start()
        if kind is WordKind.QUOTED:
            yield Word(piece[1:-1], piece[1:-1].casefold(), kind, start, match.end())
            continue
        clitics = _CLITICS if kind is WordKind.WORD else ()
        clitic = next((each for each in clitics if piece.casefold().endswith(each)), "")
        end = start + len(piece)
        middle = end - len(clitic)
        if stem := piece[: middle - start]:
            yield Word(stem, stem.casefold(), kind, start, middle)
        if clitic:
            yield Word(piece[-len(clitic) :], clitic, WordKind.WORD, middle, end)
