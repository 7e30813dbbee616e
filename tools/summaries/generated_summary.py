"""Generated summary: emails summarised by a language model, with checked citations."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from tools.markdown.plain_text import escape_markdown
from tools.prose.chunking import Chunk, WritingPrompts, write_from_chunks
from tools.prose.citation_stream import CitedListFilter, filter_stream
from tools.prose.citations import CitedSources
from tools.prose.email_references import coverage_note, email_link, format_count, format_date_range
from tools.prose.source_material import Passage, SourceMaterial, email_passage
from tools.prose.text_writer import TextWriter, build_instructions
from tools.summaries.extractive_summary import ExtractiveSummary, misleading_link_warning
from tools.summaries.topics import Topic
from tools.tool_errors import IncompleteTextError, ToolError

_TASK = "A summary of the user's emails: what they ask of the user, decide and tell."


@dataclass(frozen=True)
class GeneratedSummary:
    """A summary of the emails of a layout; where none can be written, it is the layout's own."""

    layout: ExtractiveSummary
    focus: str
    writer: TextWriter

    async def pieces(self) -> AsyncGenerator[str]:
        """The summary as it is written, in Markdown."""
        stories = sorted(self.layout.stories, key=_rank)
        material = _material(stories)
        sources = CitedSources(material.links)
        text = write_from_chunks(self.writer, material.groups, self._order(), sources)
        begun, broken = False, None
        try:
            async for said in filter_stream(text, CitedListFilter(sources)):
                if said and not begun:
                    yield self._head()
                    begun = True
                yield said
        except ToolError as error:
            broken = IncompleteTextError(error)
        if begun:
            for note in self._notes(stories, sources, broken):
                yield f"\n\n{note}"
        else:
            reason = escape_markdown(str(broken or _failure_reason(sources)))
            yield f"*Summed up without the model: {reason}*\n\n"
            yield await asyncio.to_thread(self.layout.markdown)
        if broken:
            raise broken

    def _head(self) -> str:
        emails = self.layout.emails
        return f"**{format_count(len(emails), 'email')}**, {format_date_range(emails)}.\n\n"

    def _notes(
        self, stories: list[Topic], sources: CitedSources, broken: IncompleteTextError | None
    ) -> Iterator[str]:
        """What the reader should know about the summary, and what it leaves out."""
        if broken:
            yield f"*The summary broke off here: {escape_markdown(str(broken))}*"
        if not self.focus and (
            unsaid := self.layout.unsaid(_uncited_topics(stories, sources.named))
        ):
            yield unsaid
        if sources.dropped:
            yield sources.left_out()
        if not broken:
            yield coverage_note(self.layout.emails)

    def _order(self) -> WritingPrompts:
        names = ("summary", "summary_focus") if self.focus else ("summary",)
        now = self.layout.now
        return WritingPrompts(
            build_instructions(*names, now=now, focus=self.focus),
            build_instructions("notes", now=now, task=_TASK, focus=self.focus),
        )


def _material(stories: Iterable[Topic]) -> SourceMaterial:
    """The conversations, each from its oldest email on."""
    groups: list[Chunk] = []
    links: list[str] = []
    for story in stories:
        group: list[Passage] = []
        for email in reversed(story.emails):
            links.append(f"{email_link(email, story.subject)}{misleading_link_warning([email])}")
            group.append(email_passage(email, len(links), _bulk_kind(story)))
        groups.append(tuple(group))
    return SourceMaterial(tuple(groups), tuple(links))


def _uncited_topics(stories: list[Topic], named: Collection[int]) -> list[Topic]:
    """The conversations of people of which no email is named; the emails are numbered in order."""
    numbers = count(1)
    unnamed = []
    for story in stories:
        own = {next(numbers) for _ in story.emails}
        if not (story.is_bulk or own.intersection(named)):
            unnamed.append(story)
    return unnamed


def _rank(story: Topic) -> tuple[bool, bool]:
    return story.is_bulk, story.is_newsletter


def _bulk_kind(story: Topic) -> str:
    if story.is_newsletter:
        return "newsletter"
    if story.is_of_a_list:
        return "mailing list"
    return "automatic notice" if story.is_automatic else ""


def _failure_reason(sources: CitedSources) -> str:
    if sources.dropped:
        return "nothing that it wrote names the email it is from."
    return "it wrote nothing about them."
