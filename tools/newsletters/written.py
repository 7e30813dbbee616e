"""A written digest: what a writer makes of newsletters, source by source, each point checked."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from tools.newsletters.digest import Digest
from tools.newsletters.source import Source
from tools.plain_words import in_markdown
from tools.prose.citations import Sources
from tools.prose.cited import CitedPoints, checked
from tools.prose.coverage import email_link
from tools.prose.instructions import instructions
from tools.prose.material import email_passage
from tools.prose.parts import Order, written
from tools.prose.writer import Writer
from tools.summaries.layout import warning
from tools.tool import BrokenOffError, ToolError

_TASK = "A digest of a newsletter that the user gets: what its issues tell."


@dataclass(frozen=True)
class WrittenDigest:
    """A digest in a writer's words; from where it breaks off, in those of the newsletters."""

    digest: Digest
    writer: Writer

    async def pieces(self) -> AsyncGenerator[str]:
        """The digest as it is written, in Markdown."""
        yield self.digest.head()
        writer: Writer | None = self.writer
        broken: BrokenOffError | None = None
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

    digest: Digest
    source: Source
    writer: Writer | None
    is_told: bool = False
    broken: BrokenOffError | None = None

    async def pieces(self) -> AsyncGenerator[str]:
        """The section under its heading; nothing where there is nothing to tell."""
        emails = [email for email in self.source.emails if email.id in self.digest.stories]
        sources = Sources([f"{email_link(email)}{warning([email])}" for email in emails])
        if self.writer and emails:
            try:
                async for said in checked(self._text(self.writer, sources), CitedPoints(sources)):
                    yield self._under_heading(said)
            except ToolError as error:
                self.broken = BrokenOffError(error)
        if rest := self._rest(sources):
            yield rest
        if self.broken:
            yield f"\n\n*The model wrote no more: {in_markdown(str(self.broken))}*"

    def _text(self, writer: Writer, sources: Sources) -> AsyncGenerator[str]:
        emails = [email for email in self.source.emails if email.id in self.digest.stories]
        passages = [email_passage(each, number) for number, each in enumerate(emails, 1)]
        now, focus = self.digest.now, self.digest.focus
        order = Order(
            instructions("newsletter", now=now, focus=focus),
            instructions("notes", now=now, task=_TASK, focus=focus),
        )
        return written(writer, [(passage,) for passage in passages], order, sources)

    def _under_heading(self, said: str) -> str:
        if not said or self.is_told:
            return said
        self.is_told = True
        return f"\n\n### {in_markdown(self.source.name)}\n\n{said}"

    def _rest(self, sources: Sources) -> str:
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
