"""Parts: material cut into what fits into one call, and a text made of it all the same.

Where there is more than one part, notes are taken of each, and the text is written from the notes.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from tools.prose.citations import Sources, numbers_in
from tools.prose.material import Passage
from tools.prose.writer import CutOffError, Writer

_OVERLAP = 200  # characters that two pieces of one passage share, so that no sentence is lost
_LEAST = 500  # bytes of a passage's own words in a part, however long its head is
_NOTES_IN_A_PART = 4  # so that every round of notes makes fewer parts
_CALLS = 2  # at once

Part = tuple[Passage, ...]


@dataclass(frozen=True)
class Order:
    """What a writer is told: for the text, and for notes of a part of the material."""

    text: str
    notes: str


async def written(
    writer: Writer, groups: Iterable[Part], order: Order, sources: Sources
) -> AsyncGenerator[str]:
    """The text, piece by piece.

    Args:
        writer: who writes it.
        groups: passages that stay together where they fit.
        order: what is written.
        sources: told of the statements in notes that keep to no source; they go no further.

    Raises:
        ToolError: as the writer does.
    """
    parts = packed(groups, writer.room)
    while len(parts) > 1:
        notes = await _notes(writer, parts, order.notes, sources)
        parts = packed([(note,) for note in notes], writer.room)
        if not parts:  # no note kept to a source: there is nothing to write from
            return
    material = _joined(parts[0]) if parts else ""
    async with aclosing(writer.write(order.text, material)) as pieces:
        async for piece in pieces:
            yield piece


def packed(groups: Iterable[Part], room: int) -> list[Part]:
    """The passages in parts that take at most `room` bytes, each group in one where it fits."""
    parts: list[list[Passage]] = [[]]
    left = room
    for group in groups:
        pieces = [piece for passage in group for piece in _cut(passage, room)]
        whole = sum(map(_size, pieces))
        if left < whole <= room:
            parts, left = [*parts, []], room
        for piece in pieces:
            if left < _size(piece):
                parts, left = [*parts, []], room
            parts[-1].append(piece)
            left -= _size(piece)
    return [tuple(part) for part in parts if part]


async def _notes(
    writer: Writer, parts: Sequence[Part], instructions: str, sources: Sources
) -> list[Passage]:
    turns = asyncio.Semaphore(_CALLS)

    async def noted(part: Part) -> Passage:
        async with turns:
            text = await _whole(writer.write(instructions, _joined(part)))
        known = frozenset[int]().union(*(passage.numbers for passage in part))
        must_cite = all(passage.numbers for passage in part)
        kept = sources.noted(text, known, must_cite=must_cite) if known else text
        kept = _lines_within(kept, writer.room // _NOTES_IN_A_PART - len(_SEPARATOR))
        return Passage("", kept, frozenset(numbers_in(kept)) if must_cite else frozenset())

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(noted(part)) for part in parts]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks if task.result().text]


async def _whole(pieces: AsyncGenerator[str]) -> str:
    """All of a text; of one that became too long, the lines that were ended."""
    heard = ""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                heard += piece
    except CutOffError:
        return heard.rpartition("\n")[0]
    return heard


_SEPARATOR = "\n\n"


def _joined(part: Part) -> str:
    return _SEPARATOR.join(map(str, part))


def _size(passage: Passage) -> int:
    return len(str(passage).encode()) + len(_SEPARATOR)


def _cut(passage: Passage, room: int) -> Iterator[Passage]:
    """The passage, or pieces of it that overlap and have its head each."""
    if _size(passage) <= room:
        yield passage
        return
    head = f"{passage.head} (in pieces)" if passage.head else ""
    size = max(room - len(head.encode()) - 2 * len(_SEPARATOR), _LEAST)
    for text in _pieces(passage.text, size):
        yield Passage(head, text, passage.numbers)


def _pieces(text: str, size: int) -> Iterator[str]:
    start = 0
    while True:
        piece = _first_bytes(text[start : start + size], size)
        end = start + len(piece)
        if end >= len(text):
            yield piece
            return
        end = start + _last_gap(piece)
        yield text[start:end]
        start = end - min(_OVERLAP, len(piece) // 4)


def _first_bytes(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")


def _last_gap(piece: str) -> int:
    """Where a piece is best ended: after a line, else a word, near its end."""
    late = len(piece) * 3 // 4
    return max(piece.rfind("\n", late), 0) or max(piece.rfind(" ", late), 0) or len(piece)


def _lines_within(text: str, size: int) -> str:
    """As many whole lines as fit."""
    if len(text.encode()) <= size:
        return text
    whole, _, _ = _first_bytes(text, size).rpartition("\n")
    return whole or _first_bytes(text, size)
