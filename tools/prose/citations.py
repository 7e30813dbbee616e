"""Citations: parse source numbers in text, and check that every cited source exists.

A model sees its sources as [1], [2] and so on, which small models reproduce better than ids.
Statements that cite a missing source are dropped and counted.
"""

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
    """Sanitized text of a statement without citation marks, and the links of its sources."""

    text: str
    links: tuple[str, ...]


@dataclass
class CitedSources:
    """Links of the sources 1, 2 and so on, with counts of the statements checked against them."""

    links: Sequence[str]
    accepted: int = 0
    dropped: int = 0
    cited: set[int] = field(default_factory=set)

    def check(self, claim: str, *, must_cite: bool) -> CitedStatement | None:
        """Return the statement; None if it cites a missing source, or none although it must.

        A statement that must cite and does not is attributed to the only source, if there is one.
        """
        numbers = cited_numbers(claim)
        if must_cite and not numbers and len(self.links) == 1 and is_meaningful(claim):
            numbers = [1]
        exist = all(1 <= number <= len(self.links) for number in numbers)
        if (must_cite and not numbers) or not exist:
            self.dropped += is_meaningful(claim)
            return None
        self.accepted += 1
        self.cited.update(numbers)
        links = dict.fromkeys(self.links[number - 1] for number in numbers)
        return CitedStatement(sanitize_line(without_citations(claim)).rstrip(), tuple(links))

    def filter_notes(self, notes: str, known: Collection[int], *, must_cite: bool) -> str:
        """Keep the lines of notes that cite only `known` sources."""
        lines = map(str.strip, notes.splitlines())
        checked = (self._check_note(line, known, must_cite=must_cite) for line in lines)
        return "\n".join(filter(None, checked))

    def dropped_note(self) -> str:
        """Format the number of dropped statements; "" for none."""
        if not self.dropped:
            return ""
        were = "was" if self.dropped == 1 else "were"
        return f"*{format_count(self.dropped, 'statement')} had no source and {were} left out.*"

    def sources_note(self) -> str:
        """Format the sources of a text without citations."""
        shown, left = " · ".join(self.links[:_MAX_LINKS]), len(self.links) - _MAX_LINKS
        if len(self.links) == 1:
            return f"From {shown}."
        more = f" and {left} more" if left > 0 else ""
        return f"*Written from these, without a source for each statement:* {shown}{more}"

    def _check_note(self, line: str, known: Collection[int], *, must_cite: bool) -> str:
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
    """Return the distinct numbers of the cited sources, in order."""
    pairs = [pair for marks in _MARKS.findall(text) for pair in _NUMBER.findall(marks)]
    return list(dict.fromkeys(n for a, b in pairs for n in range(int(a), int(b or a) + 1)))


def without_citations(text: str) -> str:
    """Remove the citation marks."""
    return _MARKS.sub("", text)


def is_heading(line: str) -> bool:
    """Whether a line is a Markdown heading, or all in bold."""
    return bool(_HEADING.match(line))


def is_meaningful(line: str) -> bool:
    """Whether a line has at least two words; "None." is not meaningful."""
    return len([word for word in line.split() if any(sign.isalpha() for sign in word)]) > 1
