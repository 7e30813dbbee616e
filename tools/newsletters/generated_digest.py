"""Generated digest: newsletters summarised by a language model, with checked citations."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from tools.mail.message.emails import Email
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
    """Digest by a language model; after its failure, the extractive one for the other sources."""

    digest: ExtractiveDigest
    writer: TextWriter

    async def pieces(self) -> AsyncGenerator[str]:
        """Yield the digest in Markdown, as it is written.

        Raises:
            IncompleteTextError: the model failed; after the whole digest.
        """
        yield self.digest.head()
        writer: TextWriter | None = self.writer
        failure: IncompleteTextError | None = None
        has_text = False
        for source in self.digest.sources:
            section = _Section(self.digest, source, writer)
            async with aclosing(section.pieces()) as pieces:
                async for piece in pieces:
                    yield piece
            has_text = has_text or section.has_text
            if section.failure:
                writer, failure = None, section.failure
        if not has_text:
            yield f"\n\n{self.digest.nothing_found()}"
        yield f"\n\n{self.digest.coverage()}"
        if failure:
            raise failure


@dataclass
class _Section:
    """Section of one source; `has_text` and `failure` are set while it is written."""

    digest: ExtractiveDigest
    source: NewsletterSource
    writer: TextWriter | None
    has_text: bool = False
    failure: IncompleteTextError | None = None

    async def pieces(self) -> AsyncGenerator[str]:
        """Yield the section under its heading; nothing for an empty one."""
        emails = [email for email in self.source.emails if email.id in self.digest.topics]
        links = [f"{email_link(email)}{misleading_link_warning([email])}" for email in emails]
        sources = CitedSources(links)
        if self.writer and emails:
            text = self._text(self.writer, emails, sources)
            try:
                async for piece in filter_stream(text, CitedListFilter(sources)):
                    yield self._with_heading(piece)
            except ToolError as error:
                self.failure = IncompleteTextError(error)
        if rest := self._rest(sources):
            yield rest
        if self.failure:
            yield f"\n\n*The model stopped writing: {escape_markdown(str(self.failure))}*"

    def _text(
        self, writer: TextWriter, emails: Sequence[Email], sources: CitedSources
    ) -> AsyncGenerator[str]:
        passages = [email_passage(each, number) for number, each in enumerate(emails, 1)]
        now, focus = self.digest.now, self.digest.focus
        prompts = WritingPrompts(
            build_instructions("newsletter", now=now, focus=focus),
            build_instructions("notes", now=now, task=_TASK, focus=focus),
        )
        return write_from_chunks(writer, [(passage,) for passage in passages], prompts, sources)

    def _with_heading(self, piece: str) -> str:
        if not piece or self.has_text:
            return piece
        self.has_text = True
        return f"\n\n### {escape_markdown(self.source.name)}\n\n{piece}"

    def _rest(self, sources: CitedSources) -> str:
        """Format the issues that the model left out; none if it was to look for a focus."""
        is_complete = self.writer is not None and self.failure is None
        if is_complete and self.digest.focus:
            return ""
        if not self.has_text:
            section = self.digest.section(self.source, self.digest.lines(self.source))
            self.has_text = bool(section)
            return f"\n\n{section}" if section else ""
        uncited = [link for n, link in enumerate(sources.links, 1) if n not in sources.cited]
        return f"\n- Also: {' · '.join(uncited)}" if uncited else ""
