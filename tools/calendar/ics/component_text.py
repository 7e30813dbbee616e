"""Component text: the content lines of one VEVENT, edited line by line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import icalendar

_FOLDED_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)(?:[ \t][^\r\n]*(?:\r\n|\n|\r|\Z))*")
_PROPERTY_NAME = re.compile(rb"[A-Za-z0-9-]+")


@dataclass(frozen=True)
class ComponentText:
    """Content lines, each with its folds and its line end; BEGIN and END are among them."""

    lines: tuple[bytes, ...]

    @classmethod
    def of(cls, text: bytes) -> Self:
        """Take the text of one component apart."""
        return cls(tuple(line for line in _FOLDED_LINE.findall(text) if line))

    def __bytes__(self) -> bytes:
        """The text."""
        return b"".join(self.lines)

    def lines_of(self, name: str) -> tuple[bytes, ...]:
        """The lines of a property of the component itself, unfolded and without line ends."""
        own = (self.lines[place] for place in self._places({name}))
        return tuple(re.sub(rb"(?:\r\n|\n|\r)[ \t]", b"", line).rstrip(b"\r\n") for line in own)

    def without(self, *names: str) -> Self:
        """The component without these properties."""
        gone = set(self._places(set(names)))
        return type(self)(tuple(line for place, line in enumerate(self.lines) if place not in gone))

    def saying(self, said: icalendar.Event) -> Self:
        """The component with what `said` says, in place of what it said about the same."""
        return self.replacing(*(line for line in _content_lines(said)))

    def replacing(self, *lines: bytes) -> Self:
        """The component with these lines in place of those of the same properties."""
        return self.without(*{_property_name(line) for line in lines}).adding(*lines)

    def adding(self, *lines: bytes) -> Self:
        """The component with these lines beside what it says."""
        end = b"\r\n" if self.lines[0].endswith(b"\r\n") else b"\n"
        more = [line.rstrip(b"\r\n").replace(b"\r\n", end) + end for line in map(_fold, lines)]
        place = self._place_for_more()
        return type(self)((*self.lines[:place], *more, *self.lines[place:]))

    def _place_for_more(self) -> int:
        """Before the first part within the component, or its end."""
        marks = (b"BEGIN:", b"END:")
        inner = (at for at, line in enumerate(self.lines) if at and line.upper().startswith(marks))
        return next(inner, len(self.lines))

    def _places(self, names: set[str]) -> Iterable[int]:
        depth = 0
        for place, line in enumerate(self.lines):
            name = _property_name(line)
            depth += (name == "BEGIN") - (name == "END")
            if depth == 1 and name in names:
                yield place


def _content_lines(said: icalendar.Event) -> list[bytes]:
    return [line for line in _FOLDED_LINE.findall(said.to_ical()) if line and _is_property(line)]


def _is_property(line: bytes) -> bool:
    return _property_name(line) not in {"BEGIN", "END"}


def _property_name(line: bytes) -> str:
    match = _PROPERTY_NAME.match(line)
    return match[0].decode("ascii").upper() if match else ""


def _fold(line: bytes) -> bytes:
    """The line with no more than 75 bytes in a row, as the standard has it."""
    if b"\r\n " in line or len(line.rstrip(b"\r\n")) <= 75:
        return line
    text = line.rstrip(b"\r\n")
    return b"\r\n ".join(text[at : at + 74] for at in range(0, len(text), 74))
