"""Generated text: answers and letters by a language model about source material."""

from collections.abc import AsyncGenerator, Iterator
from datetime import datetime

from tools.markdown.plain_text import escape_markdown
from tools.prose.chunking import WritingPrompts, write_from_chunks
from tools.prose.citation_stream import CitedTextFilter, StreamFilter, filter_stream
from tools.prose.citations import CitedSources
from tools.prose.email_references import coverage_note
from tools.prose.markdown_sanitizer import MarkdownSanitizer
from tools.prose.source_material import SourceMaterial
from tools.prose.text_writer import TextWriter, build_instructions
from tools.tool_errors import IncompleteTextError, ToolError


async def generate_letter(
    writer: TextWriter, task: str, material: object, now: datetime, signature: str
) -> AsyncGenerator[str]:
    """Write a text to be sent, without links.

    Raises:
        ToolError: there is no text, or it broke off.
    """
    groups = SourceMaterial.of(material, numbered=False).groups
    prompts = _prompts(("letter",), now, task=task, signature=signature)
    pieces = write_from_chunks(writer, groups, prompts, CitedSources(()))
    async for piece in filter_stream(pieces, MarkdownSanitizer()):
        yield piece


async def generate_answer(
    writer: TextWriter, task: str, material: object, now: datetime
) -> AsyncGenerator[str]:
    """Write a text for the user, with links to its sources and notes on them.

    Raises:
        IncompleteTextError: it broke off; after the text that there is, and a note.
        ToolError: there is no text.
    """
    given = SourceMaterial.of(material, numbered=True)
    sources, has_text, failure = CitedSources(given.links), False, None
    prompts = _prompts(("answer", "cite") if given.links else ("answer",), now, task=task)
    pieces = write_from_chunks(writer, given.groups, prompts, sources)
    text: StreamFilter = CitedTextFilter(sources) if given.links else MarkdownSanitizer()
    try:
        async for piece in filter_stream(pieces, text):
            has_text = has_text or bool(piece)
            yield piece
    except ToolError as error:
        if not has_text:
            raise
        failure = IncompleteTextError(error)
    for note in _notes(sources, given, failure):
        yield f"\n\n{note}"
    if failure:
        raise failure


def _prompts(
    names: tuple[str, ...], now: datetime, task: str, signature: str = ""
) -> WritingPrompts:
    return WritingPrompts(
        build_instructions(*names, now=now, task=task, signature=signature),
        build_instructions("notes", now=now, task=task),
    )


def _notes(
    sources: CitedSources, material: SourceMaterial, failure: IncompleteTextError | None
) -> Iterator[str]:
    """Yield notes on a failure, the sources, dropped statements and the emails read."""
    if failure:
        yield f"*The text broke off here: {escape_markdown(str(failure))}*"
    elif sources.accepted and not sources.cited:
        yield sources.sources_note()
    if sources.dropped:
        yield sources.dropped_note()
    if material.emails and not failure:
        yield coverage_note(material.emails)
