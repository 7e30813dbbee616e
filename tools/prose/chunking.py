"""Chunking: fit material into the context window of a model (map-reduce).

If there are several chunks, notes are taken of each, and the text is written from the notes.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from tools.prose.citations import CitedSources, cited_numbers
from tools.prose.source_material import Passage
from tools.prose.text_writer import OutputLimitError, TextWriter

_OVERLAP = 200  # characters shared by two pieces of a passage, so that no sentence is lost
_MIN_PIECE = 500  # bytes of text in a piece, however long its head is
_NOTES_PER_CHUNK = 4  # so that every round of notes has fewer chunks
_MAX_CONCURRENT = 2  # at once

Chunk = tuple[Passage, ...]


@dataclass(frozen=True)
class WritingPrompts:
    """Instructions for the text, and for the notes of a chunk."""

    text: str
    notes: str


async def write_from_chunks(
    writer: TextWriter, groups: Iterable[Chunk], prompts: WritingPrompts, sources: CitedSources
) -> AsyncGenerator[str]:
    """Write a text about passages; yield it in pieces.

    Args:
        writer: the text writer.
        groups: passages that stay in one chunk if they fit.
        prompts: the instructions.
        sources: counts the statements that are dropped from notes, because they cite no source.

    Raises:
        ToolError: the writer failed.
    """
    chunks = pack_chunks(groups, writer.capacity)
    while len(chunks) > 1:
        notes = await _notes(writer, chunks, prompts.notes, sources)
        chunks = pack_chunks([(note,) for note in notes], writer.capacity)
        if not chunks:  # no note cites a source
            return
    material = _join(chunks[0]) if chunks else ""
    async with aclosing(writer.write(prompts.text, material)) as pieces:
        async for piece in pieces:
            yield piece


def pack_chunks(groups: Iterable[Chunk], capacity: int) -> list[Chunk]:
    """Pack passages into chunks of at most `capacity` bytes, a group in one chunk if it fits."""
    chunks: list[list[Passage]] = [[]]
    left = capacity
    for group in groups:
        pieces = [piece for passage in group for piece in _split_passage(passage, capacity)]
        whole = sum(map(_size, pieces))
        if left < whole <= capacity:
            chunks, left = [*chunks, []], capacity
        for piece in pieces:
            if left < _size(piece):
                chunks, left = [*chunks, []], capacity
            chunks[-1].append(piece)
            left -= _size(piece)
    return [tuple(chunk) for chunk in chunks if chunk]


async def _notes(
    writer: TextWriter, chunks: Sequence[Chunk], instructions: str, sources: CitedSources
) -> list[Passage]:
    turns = asyncio.Semaphore(_MAX_CONCURRENT)

    async def take_notes(chunk: Chunk) -> Passage:
        async with turns:
            text = await _read_whole(writer.write(instructions, _join(chunk)))
        known = frozenset[int]().union(*(passage.numbers for passage in chunk))
        must_cite = all(passage.numbers for passage in chunk)
        notes = sources.filter_notes(text, known, must_cite=must_cite) if known else text
        notes = _truncate_lines(notes, writer.capacity // _NOTES_PER_CHUNK - len(_SEPARATOR))
        return Passage("", notes, frozenset(cited_numbers(notes)) if must_cite else frozenset())

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(take_notes(chunk)) for chunk in chunks]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks if task.result().text]


async def _read_whole(pieces: AsyncGenerator[str]) -> str:
    """Read a whole text; of one that became too long, the complete lines."""
    text = ""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                text += piece
    except OutputLimitError:
        return text.rpartition("\n")[0]
    return text


_SEPARATOR = "\n\n"


def _join(chunk: Chunk) -> str:
    return _SEPARATOR.join(map(str, chunk))


def _size(passage: Passage) -> int:
    return len(str(passage).encode()) + len(_SEPARATOR)


def _split_passage(passage: Passage, capacity: int) -> Iterator[Passage]:
    """Split a passage into overlapping pieces with the same head, if it is too large."""
    if _size(passage) <= capacity:
        yield passage
        return
    head = f"{passage.head} (in pieces)" if passage.head else ""
    size = max(capacity - len(head.encode()) - 2 * len(_SEPARATOR), _MIN_PIECE)
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
    """Find the last line end, otherwise the last space, near the end of a piece."""
    late = len(piece) * 3 // 4
    return max(piece.rfind("\n", late), 0) or max(piece.rfind(" ", late), 0) or len(piece)


def _truncate_lines(text: str, size: int) -> str:
    """Return the whole lines that fit."""
    if len(text.encode()) <= size:
        return text
    whole, _, _ = _truncate_bytes(text, size).rpartition("\n")
    return whole or _truncate_bytes(text, size)
