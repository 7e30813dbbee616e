"""Chunking: fit material into the context window, with intermediate notes (map-reduce)."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from tools.prose.citations import CitedSources, cited_numbers
from tools.prose.source_material import Passage
from tools.prose.text_writer import OutputLimitError, TextWriter

_OVERLAP = 200  # characters that two pieces of one passage share, so that no sentence is lost
_MIN_PIECE = 500  # bytes of a passage's own words in a part, however long its head is
_NOTES_PER_CHUNK = 4  # so that every round of notes makes fewer parts
_MAX_CONCURRENT = 2  # at once

Chunk = tuple[Passage, ...]


@dataclass(frozen=True)
class WritingPrompts:
    """What a writer is told: for the text, and for notes of a part of the material."""

    text: str
    notes: str


async def write_from_chunks(
    writer: TextWriter, groups: Iterable[Chunk], order: WritingPrompts, sources: CitedSources
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
    parts = pack_chunks(groups, writer.room)
    while len(parts) > 1:
        notes = await _notes(writer, parts, order.notes, sources)
        parts = pack_chunks([(note,) for note in notes], writer.room)
        if not parts:  # no note kept to a source: there is nothing to write from
            return
    material = _join(parts[0]) if parts else ""
    async with aclosing(writer.write(order.text, material)) as pieces:
        async for piece in pieces:
            yield piece


def pack_chunks(groups: Iterable[Chunk], room: int) -> list[Chunk]:
    """The passages in parts that take at most `room` bytes, each group in one where it fits."""
    parts: list[list[Passage]] = [[]]
    left = room
    for group in groups:
        pieces = [piece for passage in group for piece in _split_passage(passage, room)]
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
    writer: TextWriter, parts: Sequence[Chunk], instructions: str, sources: CitedSources
) -> list[Passage]:
    turns = asyncio.Semaphore(_MAX_CONCURRENT)

    async def noted(part: Chunk) -> Passage:
        async with turns:
            text = await _read_whole(writer.write(instructions, _join(part)))
        known = frozenset[int]().union(*(passage.numbers for passage in part))
        must_cite = all(passage.numbers for passage in part)
        kept = sources.noted(text, known, must_cite=must_cite) if known else text
        kept = _truncate_lines(kept, writer.room // _NOTES_PER_CHUNK - len(_SEPARATOR))
        return Passage("", kept, frozenset(cited_numbers(kept)) if must_cite else frozenset())

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(noted(part)) for part in parts]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks if task.result().text]


async def _read_whole(pieces: AsyncGenerator[str]) -> str:
    """All of a text; of one that became too long, the lines that were ended."""
    heard = ""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                heard += piece
    except OutputLimitError:
        return heard.rpartition("\n")[0]
    return heard


_SEPARATOR = "\n\n"


def _join(part: Chunk) -> str:
    return _SEPARATOR.join(map(str, part))


def _size(passage: Passage) -> int:
    return len(str(passage).encode()) + len(_SEPARATOR)


def _split_passage(passage: Passage, room: int) -> Iterator[Passage]:
    """The passage, or pieces of it that overlap and have its head each."""
    if _size(passage) <= room:
        yield passage
        return
    head = f"{passage.head} (in pieces)" if passage.head else ""
    size = max(room - len(head.encode()) - 2 * len(_SEPARATOR), _MIN_PIECE)
    for text in _pieces(passage.text, size):
        yield Passage(head, text, passage.numbers)


def _pieces(text: str, size: int) -> Iterator[str]:
    start = 0
    while True:
        piece = _truncate_bytes(text[start : start + size], size)
        end = start + len(piece)
        if end >= len(text):
            yield piece
            return
        end = start + _break_position(piece)
        yield text[start:end]
        start = end - min(_OVERLAP, len(piece) // 4)


def _truncate_bytes(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")


def _break_position(piece: str) -> int:
    """Where a piece is best ended: after a line, else a word, near its end."""
    late = len(piece) * 3 // 4
    return max(piece.rfind("\n", late), 0) or max(piece.rfind(" ", late), 0) or len(piece)


def _truncate_lines(text: str, size: int) -> str:
    """As many whole lines as fit."""
    if len(text.encode()) <= size:
        return text
    whole, _, _ = _truncate_bytes(text, size).rpartition("\n")
    return whole or _truncate_bytes(text, size)
