"""Telling: an answer given on while it is being written, with nothing live in it."""

import re
from collections.abc import Callable, Collection
from functools import cached_property

from assistant.events import Event, Wrote
from tools.prose.plain import Defusing

_MAY_BE_A_CALL = re.compile(r"\A\s*(?:[\[{]|\Z)|`{1,3}\Z|```|<(?:[a-z|]|\Z)")


class Telling:
    """Tells of one answer; what may still turn out to be a printed call is held back.

    `known` gives what the answer may point to; it is asked when there is text.
    """

    def __init__(self, tell: Callable[[Event], None], known: Callable[[], Collection[str]]) -> None:
        self._tell = tell
        self._known = known
        self._text = ""
        self._given = 0

    def take(self, piece: str) -> None:
        """The next piece of text."""
        self._text += piece
        doubt = _MAY_BE_A_CALL.search(self._text, self._given)
        self._give(doubt.start() if doubt else len(self._text))

    def end(self) -> None:
        """All of it was the answer."""
        self._give(len(self._text))
        self._write(self._defusing.end())

    def turn(self) -> None:
        """Calls follow instead of more text, which stands as a paragraph of its own."""
        if self._given:
            self._write(f"{self._defusing.end()}\n\n")

    @cached_property
    def _defusing(self) -> Defusing:
        return Defusing(self._known())

    def _give(self, end: int) -> None:
        self._write(self._defusing.take(self._text[self._given : end]))
        self._given = end

    def _write(self, text: str) -> None:
        if text:
            self._tell(Wrote(text))
