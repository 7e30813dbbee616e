"""Generated digest: newsletters summarised by a language model, with checked citations."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from tools.markdown.plain_text import escape_markdown
from tools.newsletters.extractive_digest import ExtractiveDigest
from tools.newsletters.newsletter_search import NewsletterSource
from tools.prose.chunking import WritingPrompts, write_from_chunks
from tools.prose.citation_stream import CitedListFilter, filter_stream
from tools.prose.citations import CitedSources
from tools.prose.email_references import email_link
from tools.prose.source_material import email_passage
from tools.prose.text_writer import TextWriter, build_instructions
from tools.summaries.extractive_summary import misleading_link_warning
from tools.tool_errors import IncompleteTextError, ToolError

_TASK = "A digest of a newsletter that the user gets: what its issues tell."


@dataclass(frozen=True)
class GeneratedDigest:
    """A digest in a writer's words; from where it breaks off, in those of the newsletters."""

    digest: ExtractiveDigest
    writer: TextWriter

    async def pieces(self) -> AsyncGenerator[str]:
        """The digest as it is written, in Markdown."""
        yield self.digest.head()
        writer: TextWriter | None = self.writer
        broken: IncompleteTextError | None = None
        is_told = False
        for source in self.digest.sources:
            section = _Section(self.digest, source, writer)
            async with aclosing(section.pieces()) as pieces:
                async for piece in pieces:
                    yield piece
            is_told = is_told or section.is_told
            if section.broken:
                writer, broken = None, section.broken
        if not is_told:
            yield f"\n\n{self.digest.nothing()}"
        yield f"\n\n{self.digest.coverage()}"
        if broken:
            raise broken


@dataclass
class _Section:
    """What is said of one source; `is_told` once something is, `broken` if the writer failed."""

    digest: ExtractiveDigest
    source: NewsletterSource
    writer: TextWriter | None
    is_told: bool = False
    broken: IncompleteTextError | None = None

    async def pieces(self) -> AsyncGenerator[str]:
        """The section under its heading; nothing where there is nothing to tell."""
        emails = [email for email in self.source.emails if email.id in self.digest.stories]
        sources = CitedSources(
            [f"{email_link(email)}{misleading_link_warning([email])}" for email in emails]
        )
        if self.writer and emails:
            try:
                async for said in filter_stream(
                    self._text(self.writer, sources), CitedListFilter(sources)
                ):
                    yield self._under_heading(said)
            except ToolError as error:
                self.broken = IncompleteTextError(error)
        if rest := self._rest(sources):
            yield rest
        if self.broken:
            yield f"\n\n*The model wrote no more: {escape_markdown(str(self.broken))}*"

    def _text(self, writer: TextWriter, sources: CitedSources) -> AsyncGenerator[str]:
        emails = [email for email in self.source.emails if email.id in self.digest.stories]
        passages = [email_passage(each, number) for number, each in enumerate(emails, 1)]
        now, focus = self.digest.now, self.digest.focus
        order = WritingPrompts(
            build_instructions("newsletter", now=now, focus=focus),
            build_instructions("notes", now=now, task=_TASK, focus=focus),
        )
        return write_from_chunks(writer, [(passage,) for passage in passages], order, sources)

    def _under_heading(self, said: str) -> str:
        if not said or self.is_told:
            return said
        self.is_told = True
        return f"\n\n### {escape_markdown(self.source.name)}\n\n{said}"

    def _rest(self, sources: CitedSources) -> str:
        """What the writer did not speak of; with a focus it was not meant to."""
        wrote = self.writer is not None and self.broken is None
        if wrote and self.digest.focus:
            return ""
        if not self.is_told:
            own = self.digest.section(self.source, self.digest.lines(self.source))
            self.is_told = bool(own)
            return f"\n\n{own}" if own else ""
        unnamed = [link for n, link in enumerate(sources.links, 1) if n not in sources.named]
        return f"\n- Also: {' · '.join(unnamed)}" if unnamed else ""
