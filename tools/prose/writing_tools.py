"""Writing tools: answer, explain, translate and draft with a language model."""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from tools.markdown.plain_text import escape_markdown
from tools.moments.clock import Clock
from tools.proposal import StreamedResult
from tools.prose.chunking import WritingPrompts, write_from_chunks
from tools.prose.citation_stream import CitedTextFilter, StreamFilter, filter_stream
from tools.prose.citations import CitedSources
from tools.prose.email_references import coverage_note
from tools.prose.markdown_sanitizer import MarkdownSanitizer
from tools.prose.source_material import SourceMaterial
from tools.prose.text_writer import TextWriter, build_instructions, stream_result
from tools.tool_errors import IncompleteTextError, ToolError

Purpose = Literal["answer", "letter"]


@dataclass(frozen=True)
class WrittenText:
    """Text in Markdown; its only links are to the emails and events that it was made from."""

    text: str

    def markdown(self) -> str:
        """Return the text."""
        return self.text


class WritingTools:
    """Tool that writes texts, with no other effect."""

    def __init__(self, writer: TextWriter, clock: Clock, name: str = "") -> None:
        """Make the tool.

        Args:
            writer: the text writer.
            clock: the current time.
            name: the name with which the user signs; "" if unknown.
        """
        self._writer = writer
        self._clock = clock
        self._name = name

    async def write_text(
        self,
        instruction: Annotated[str, Field(min_length=1)],
        material: Any = None,
        purpose: Purpose = "answer",
    ) -> StreamedResult[WrittenText]:
        """Write a text.

        Use it for everything that needs wording: an answer to a question about emails or events
        that an earlier step found ("what does Sarah say about the budget?" is search_emails, then
        this), an explanation, a comparison, a translation, or the text of a letter or an email
        before it is sent. Without material it is written from general knowledge. Gives text.

        Args:
            instruction: The task, in the user's own words and language, with everything
                that the text needs to say.
            material: The subject: the whole result of an earlier step such as $step1, or a
                list of several.
            purpose: "answer" for the user to read, with links to the emails it comes from;
                "letter" for a text that goes out or into a document as it is, such as the body
                of an email.
        """
        if purpose == "letter":
            return stream_result(
                self._letter(instruction, SourceMaterial.of(material, numbered=False)), WrittenText
            )
        return stream_result(
            self._answer(instruction, SourceMaterial.of(material, numbered=True)), WrittenText
        )

    async def _letter(self, task: str, material: SourceMaterial) -> AsyncGenerator[str]:
        """Write a text to be sent; one that breaks off raises its error."""
        prompts = self._prompts(("letter",), task, self._name)
        pieces = write_from_chunks(self._writer, material.groups, prompts, CitedSources(()))
        async for piece in filter_stream(pieces, MarkdownSanitizer()):
            yield piece

    async def _answer(self, task: str, material: SourceMaterial) -> AsyncGenerator[str]:
        sources, has_text, failure = CitedSources(material.links), False, None
        prompts = self._prompts(("answer", "cite") if material.links else ("answer",), task)
        pieces = write_from_chunks(self._writer, material.groups, prompts, sources)
        text: StreamFilter = CitedTextFilter(sources) if material.links else MarkdownSanitizer()
        try:
            async for piece in filter_stream(pieces, text):
                has_text = has_text or bool(piece)
                yield piece
        except ToolError as error:
            if not has_text:
                raise
            failure = IncompleteTextError(error)
        for note in _notes(sources, material, failure):
            yield f"\n\n{note}"
        if failure:
            raise failure

    def _prompts(self, names: tuple[str, ...], task: str, signature: str = "") -> WritingPrompts:
        now = self._clock()
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
