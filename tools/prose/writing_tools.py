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
    """A text in Markdown; the only links in it are to the emails and events it was made from."""

    text: str

    def markdown(self) -> str:
        """The text."""
        return self.text


class WritingTools:
    """Lets a writer write; what it writes is text and nothing else."""

    def __init__(self, writer: TextWriter, clock: Clock, name: str = "") -> None:
        """Nothing is written yet.

        Args:
            writer: who writes.
            clock: gives the present moment.
            name: how the user signs; "" where that is unknown.
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

        Use it for what has to be put into words: an answer to a question about emails or events
        that an earlier step found ("what does Sarah say about the budget?" is search_emails, then
        this), an explanation, a comparison, a translation, or the text of a letter or an email
        before it is sent. Without material it is written from general knowledge. Gives text.

        Args:
            instruction: What to write, in the user's own words and language, with everything
                that the text needs to say.
            material: What it is about: the whole result of an earlier step such as $step1, or a
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
        """A letter that breaks off is none, since it could be sent."""
        pieces = write_from_chunks(
            self._writer,
            material.groups,
            self._order(("letter",), task, self._name),
            CitedSources(()),
        )
        async for said in filter_stream(pieces, MarkdownSanitizer()):
            yield said

    async def _answer(self, task: str, material: SourceMaterial) -> AsyncGenerator[str]:
        sources, begun, broken = CitedSources(material.links), False, None
        order = self._order(("answer", "cite") if material.links else ("answer",), task)
        pieces = write_from_chunks(self._writer, material.groups, order, sources)
        text: StreamFilter = CitedTextFilter(sources) if material.links else MarkdownSanitizer()
        try:
            async for said in filter_stream(pieces, text):
                begun = begun or bool(said)
                yield said
        except ToolError as error:
            if not begun:
                raise
            broken = IncompleteTextError(error)
        for note in _notes(sources, material, broken):
            yield f"\n\n{note}"
        if broken:
            raise broken

    def _order(self, names: tuple[str, ...], task: str, signature: str = "") -> WritingPrompts:
        now = self._clock()
        return WritingPrompts(
            build_instructions(*names, now=now, task=task, signature=signature),
            build_instructions("notes", now=now, task=task),
        )


def _notes(
    sources: CitedSources, material: SourceMaterial, broken: IncompleteTextError | None
) -> Iterator[str]:
    """What the reader should know about a text."""
    if broken:
        yield f"*The text broke off here: {escape_markdown(str(broken))}*"
    elif sources.kept and not sources.named:
        yield sources.unnamed()
    yield from filter(None, [sources.left_out()])
    if material.emails and not broken:
        yield coverage_note(material.emails)
