"""Sentences: what somebody wrote, without greetings, signatures, addresses of pages and notices."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from tools.plain_words import shortened
from tools.summaries.phrases import any_of, finder

_LONGEST_CONTENT = 12_000  # characters; what matters in a longer mail stands before
_MOST_SENTENCES = 60
_LONGEST_SENTENCE = 240
_SHORT_LINE = 45  # no program wraps lines so early: whoever ended it meant to

_ITEM = re.compile(r"^\s*(?:[-*•–·]|\d{1,2}[.)])\s+")
_COLUMNS = re.compile(r"\s\|\s|\S\s{3,}\S")
_BRACKETED_URL = re.compile(r"\s*[(<\[]\s*(?:https?://|mailto:)[^\s)>\]]+[)>\]]")
_URL = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)\]]")
_END = re.compile(
    r"(?<=[\u3002\uff01\uff1f])\s*(?=\S)|(?<=[.!?…])[\"”“’»)\]]*\s+(?=[\"“„«'(¿¡]*[^\W_a-zß-öø-ÿ]|[£€$])"
)
_ABBREVIATION = re.compile(rf"(?:\b{any_of('abbreviations')}|\b[A-Za-z])\.$", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH = re.compile(rf"\s*{any_of('months')}\b", re.IGNORECASE)
_GREETING = re.compile(rf"{any_of('greetings')}\b[^.?!:;]{{0,60}}[,!.:]?$", re.IGNORECASE)
_CLOSING = re.compile(rf"{any_of('closings')}\b(?P<after>[^.?!]{{0,40}})[,.!]?$", re.IGNORECASE)
_NOT_WRITTEN = (finder("ways_out"), finder("boilerplate"))
_QUOTED = re.compile(r"[\w-]{0,3}[>|}\]]")
_DRAWN = re.compile(r"[-_=*~#^.+]{4,}>?")
_FOOTER_LINE = re.compile(r"[-_=*~#]{2,}\s*$|[-_=*~#]{20,}")
_LONGEST_FOOTER = 12  # lines


def paragraphs_in(content: str) -> tuple[tuple[str, ...], ...]:
    """The sentences of a mail's text in their order, by paragraph, each one on one line.

    Nothing is said twice, and nothing is very long.
    """
    seen: set[str] = set()
    paragraphs = []
    for unit in _units(content[:_LONGEST_CONTENT]):
        said = [shortened(one, _LONGEST_SENTENCE) for one in _split(_without_addresses(unit))]
        fresh = tuple(
            one for one in dict.fromkeys(said) if one not in seen and _says_something(one)
        )
        seen.update(fresh)
        if fresh:
            paragraphs.append(fresh)
        if len(seen) >= _MOST_SENTENCES:
            break
    return tuple(paragraphs)


def hosts_in(text: str) -> str:
    """The text with every address of a page shown as its host."""
    return _URL.sub(lambda found: urlsplit(found[0]).hostname or "", text)


def _units(content: str) -> Iterator[str]:
    """Stretches that no sentence crosses: paragraphs, items of lists, lines that stand alone."""
    gathered: list[str] = []
    lines = content.splitlines()
    for place, line in enumerate(lines):
        text = line.strip()
        alone = _stands_alone(text)
        if (not text or alone or _ITEM.match(line)) and gathered:
            yield " ".join(gathered)
            gathered = []
        if _closes(text) or (_FOOTER_LINE.match(text) and len(lines) - place <= _LONGEST_FOOTER):
            return
        if alone:
            yield text
        elif text and not _QUOTED.match(text):
            gathered.append(_ITEM.sub("", line).strip())
            if len(text) < _SHORT_LINE and text[-1] not in ",;-–":
                yield " ".join(gathered)
                gathered = []
    if gathered:
        yield " ".join(gathered)


def _stands_alone(text: str) -> bool:
    is_an_address = text.startswith(("http://", "https://")) and " " not in text
    return is_an_address or bool(_COLUMNS.search(text) or _GREETING.match(text) or text.isupper())


def _closes(text: str) -> bool:
    """Whether a line ends a letter: a closing, with no more than a name after it."""
    found = _CLOSING.match(text)
    return found is not None and len(found["after"].split()) <= 3


def _without_addresses(unit: str) -> str:
    return " ".join(_DRAWN.sub(" ", hosts_in(_BRACKETED_URL.sub("", unit))).split())


def _split(unit: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(unit):
        piece = unit[start : end.start()]
        ordinal = _ORDINAL.search(piece) and _MONTH.match(unit, end.start())
        if not ordinal and not _ABBREVIATION.search(piece):
            yield piece.strip() + unit[end.start() : end.end()].strip()
            start = end.end()
    yield unit[start:].strip()


def _says_something(sentence: str) -> bool:
    words = [word for word in sentence.split() if any(sign.isalpha() for sign in word)]
    return (
        (len(words) >= 3 or (len(words) >= 2 and sentence.endswith("?")))
        and not sentence.isupper()
        and not _GREETING.match(sentence)
        and not any(unwritten.search(sentence) for unwritten in _NOT_WRITTEN)
        and not re.fullmatch(r"[\w.-]+\.[a-z]{2,}", sentence)
    )
