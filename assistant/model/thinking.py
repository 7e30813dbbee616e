"""Thinking: what a reasoning model writes before its answer, between marks, if it shows it."""

_OPENS, _CLOSES = "<think>", "</think>"


class Thinking:
    """Lets the pieces of a text through without the thinking at its head."""

    def __init__(self) -> None:
        self._take = self._head
        self._held = ""

    def without(self, piece: str) -> str:
        """What of the text is certain to be the answer, now that this piece came."""
        return self._take(piece)

    def rest(self) -> str:
        """What was held back when the text ended; a thought that never ended is none of it."""
        return self._held if self._take == self._head else ""

    def _head(self, piece: str) -> str:
        self._held += piece
        head = self._held.lstrip()
        if head.startswith(_OPENS):
            self._take, self._held = self._thought, ""
            return self._thought(head[len(_OPENS) :])
        if _OPENS.startswith(head):
            return ""
        self._take = self._answer
        return self._held

    def _thought(self, piece: str) -> str:
        before, closed, after = (self._held + piece).partition(_CLOSES)
        self._held = before[-len(_CLOSES) :]
        if not closed:
            return ""
        self._take = self._gap
        return self._gap(after)

    def _gap(self, piece: str) -> str:
        text = piece.lstrip()
        if text:
            self._take = self._answer
        return text

    def _answer(self, piece: str) -> str:
        return piece
