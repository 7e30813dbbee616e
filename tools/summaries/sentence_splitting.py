"""Sentence splitting: the sentences of an email without greetings, signatures and footers."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from tools.markdown.plain_text import truncate
from tools.summaries.vocabulary import any_phrase, phrase_pattern

_MAX_CONTENT = 12_000  # characters; what matters in a longer mail stands before
_MAX_SENTENCES = 60
_MAX_SENTENCE = 240
_SHORT_LINE = 45  # no program wraps lines so early: whoever ended it meant to

_ITEM = re.compile(r"^\s*(?:[-*•–·]|\d{1,2}[.)])\s+")
_COLUMNS = re.compile(r"\s\|\s|\S\s{3,}\S")
_BRACKETED_URL = re.compile(r"\s*[(<\[]\s*(?:https?://|mailto:)[^\s)>\]]+[)>\]]")
_URL = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)\]]")
_END = re.compile(
    r"(?<=[\u3002\uff01\uff1f])\s*(?=\S)|(?<=[.!?…])[\"”“’»)\]]*\s+(?=[\"“„«'(¿¡]*[^\W_a-zß-öø-ÿ]|[£€$])"
)
_ABBREVIATION = re.compile(rf"(?:\b{any_phrase('abbreviations')}|\b[A-Za-z])\.$", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH = re.compile(rf"\s*{any_phrase('months')}\b", re.IGNORECASE)
_GREETING = re.compile(rf"{any_phrase('greetings')}\b[^.?!:;]{{0,60}}[,!.:]?$", re.IGNORECASE)
_CLOSING = re.compile(rf"{any_phrase('closings')}\b(?P<after>[^.?!]{{0,40}})[,.!]?$", re.IGNORECASE)
_BOILERPLATE = (phrase_pattern("ways_out"), phrase_pattern("boilerplate"))
_QUOTE_MARK = re.compile(r"[\w-]{0,3}[>|}\]]")
_RULE_CHARACTERS = re.compile(r"[-_=*~#^.+]{4,}>?")
_FOOTER_LINE = re.compile(r"[-_=*~#]{2,}\s*$|[-_=*~#]{20,}")
_MAX_FOOTER = 12  # lines


def split_paragraphs(content: str) -> tuple[tuple[str, ...], ...]:
    """Split the text of an email into paragraphs of sentences, each sentence on one line.

    Repeated sentences are left out, and long ones truncated.
    """
    seen: set[str] = set()
    paragraphs = []
    for unit in _units(content[:_MAX_CONTENT]):
        split = dict.fromkeys(truncate(each, _MAX_SENTENCE) for each in _split(_without_urls(unit)))
        new = tuple(each for each in split if each not in seen and _is_meaningful(each))
        seen.update(new)
        if new:
            paragraphs.append(new)
        if len(seen) >= _MAX_SENTENCES:
            break
    return tuple(paragraphs)


def urls_to_hosts(text: str) -> str:
    """Replace every URL by its host."""
    return _URL.sub(lambda found: urlsplit(found[0]).hostname or "", text)


def _units(content: str) -> Iterator[str]:
    """Split text into paragraphs, list items and single lines, which no sentence crosses."""
    gathered: list[str] = []
    lines = content.splitlines()
    for place, line in enumerate(lines):
        text = line.strip()
        alone = _stands_alone(text)
        if (not text or alone or _ITEM.match(line)) and gathered:
            yield " ".join(gathered)
            gathered = []
        if _is_closing(text) or (_FOOTER_LINE.match(text) and len(lines) - place <= _MAX_FOOTER):
            return
        if alone:
            yield text
        elif text and not _QUOTE_MARK.match(text):
            gathered.append(_ITEM.sub("", line).strip())
            if len(text) < _SHORT_LINE and text[-1] not in ",;-–":
                yield " ".join(gathered)
                gathered = []
    if gathered:
        yield " ".join(gathered)


def _stands_alone(text: str) -> bool:
    is_an_address = text.startswith(("http://", "https://")) and " " not in text
    return is_an_address or bool(_COLUMNS.search(text) or _GREETING.match(text) or text.isupper())


def _is_closing(text: str) -> bool:
    """Whether a line is a closing, such as "Best regards", with at most a name after it."""
    found = _CLOSING.match(text)
    return found is not None and len(found["after"].split()) <= 3


def _without_urls(unit: str) -> str:
    return " ".join(_RULE_CHARACTERS.sub(" ", urls_to_hosts(_BRACKETED_URL.sub("", unit))).split())


def _split(unit: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(unit):
        piece = unit[start : end.start()]
        ordinal = _ORDINAL.search(piece) and _MONTH.match(unit, end.start())
        if not ordinal and not _ABBREVIATION.search(piece):
            yield piece.strip() + unit[end.start() : end.end()].strip()
            start = end.end()
    yield unit[start:].strip()


def _is_meaningful(sentence: str) -> bool:
    words = [word for word in sentence.split() if any(sign.isalpha() for sign in word)]
    return (
        (len(words) >= 3 or (len(words) >= 2 and sentence.endswith("?")))
        and not sentence.isupper()
        and not _GREETING.match(sentence)
        and not any(unwritten.search(sentence) for unwritten in _BOILERPLATE)
        and not re.fullmatch(r"[\w.-]+\.[a-z]{2,}", sentence)
    )
