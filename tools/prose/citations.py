"""Citations: parse source numbers in text, and check that every cited source exists."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from tools.prose.email_references import format_count
from tools.prose.markdown_sanitizer import sanitize_line

_NUMBERS = r"\#?\d{1,4}(?:\s*(?:[,;&–-]|and)\s*\#?\d{1,4})*"
_MARK = rf"[\[【]\s*(?:(?:e?mail|event|source)s?\s*)?{_NUMBERS}\s*[\]】](?:\([^()\s]*\))?"
_MARKS = re.compile(
    rf"(?:(?<!\s)\s++)?(?:\(\s*{_MARK}\s*\)|{_MARK}(?:\s*[,;]?\s*{_MARK})*)", re.IGNORECASE
)
_NUMBER = re.compile(r"(\d+)(?:\s*[–-]\s*#?(\d+))?")
_MAX_LINKS = 5
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}(?:\s|$)|\*\*[^*]+\*\*:?\s*$)")


@dataclass
class CitedStatement:
    """A statement whose sources exist: its text without marks, made inert, and their links."""

    text: str
    links: tuple[str, ...]


@dataclass
class CitedSources:
    """The links of sources 1, 2 and so on, and how what was written kept to them."""

    links: Sequence[str]
    kept: int = 0
    dropped: int = 0
    named: set[int] = field(default_factory=set)

    def checked(self, claim: str, *, must_cite: bool) -> CitedStatement | None:
        """The statement; None where it names a source that is not there, or none and must.

        What must name one and does not is taken to be about the only source, if there is only one
        and it says something.
        """
        numbers = cited_numbers(claim)
        if must_cite and not numbers and len(self.links) == 1 and is_meaningful(claim):
            numbers = [1]
        if (must_cite and not numbers) or not self._exist(numbers):
            self.dropped += is_meaningful(claim)
            return None
        self.kept += 1
        self.named.update(numbers)
        links = dict.fromkeys(self.links[number - 1] for number in numbers)
        return CitedStatement(sanitize_line(without_citations(claim)).rstrip(), tuple(links))

    def noted(self, notes: str, known: Collection[int], *, must_cite: bool) -> str:
        """The lines of notes that keep to the sources they were made from."""
        lines = map(str.strip, notes.splitlines())
        kept = (self._noted(line, known, must_cite=must_cite) for line in lines)
        return "\n".join(filter(None, kept))

    def left_out(self) -> str:
        """How many statements were dropped, in words; "" for none."""
        if not self.dropped:
            return ""
        were = "was" if self.dropped == 1 else "were"
        return f"*{format_count(self.dropped, 'statement')} had no source and {were} left out.*"

    def unnamed(self) -> str:
        """Where a text comes from that names no source itself."""
        shown, left = " · ".join(self.links[:_MAX_LINKS]), len(self.links) - _MAX_LINKS
        if len(self.links) == 1:
            return f"From {shown}."
        more = f" and {left} more" if left > 0 else ""
        return f"*It is not said which of these it takes what from:* {shown}{more}"

    def _exist(self, numbers: Collection[int]) -> bool:
        return all(1 <= number <= len(self.links) for number in numbers)

    def _noted(self, line: str, known: Collection[int], *, must_cite: bool) -> str:
        numbers = cited_numbers(line)
        if not numbers and (is_heading(line) or not is_meaningful(line)):
            return ""
        if must_cite and not numbers and len(known) == 1:
            return f"{line} [{next(iter(known))}]"
        if set(numbers) <= set(known) and (numbers or not must_cite):
            return line
        self.dropped += 1
        return ""


def cited_numbers(text: str) -> list[int]:
    """The numbers of the sources that a text names, in order, each once."""
    pairs = [pair for marks in _MARKS.findall(text) for pair in _NUMBER.findall(marks)]
    return list(dict.fromkeys(n for a, b in pairs for n in range(int(a), int(b or a) + 1)))


def without_citations(text: str) -> str:
    """The text without the marks that name its sources."""
    return _MARKS.sub("", text)


def is_heading(line: str) -> bool:
    """Whether a line is a heading, as such or all in bold."""
    return bool(_HEADING.match(line))


def is_meaningful(line: str) -> bool:
    """Whether there are words in it; one alone, such as "None.", says nothing."""
    return len([word for word in line.split() if any(sign.isalpha() for sign in word)]) > 1
