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
from tools.summaries.topics import EmailTopic
from tools.tool_errors import IncompleteTextError, ToolError

_TASK = "A summary of the user's emails: what they ask of the user, decide and tell."


@dataclass(frozen=True)
class GeneratedSummary:
    """Summary by a language model; the extractive one if the model writes none."""

    extractive: ExtractiveSummary
    focus: str
    writer: TextWriter

    async def pieces(self) -> AsyncGenerator[str]:
        """Yield the summary in Markdown, as it is written.

        Raises:
            IncompleteTextError: the model failed; after the text that there is.
        """
        topics = sorted(
            self.extractive.topics, key=lambda topic: (topic.is_bulk, topic.is_newsletter)
        )
        material = _material(topics)
        sources = CitedSources(material.links)
        text = write_from_chunks(self.writer, material.groups, self._prompts(), sources)
        has_text, failure = False, None
        try:
            async for piece in filter_stream(text, CitedListFilter(sources)):
                if piece and not has_text:
                    yield self._head()
                    has_text = True
                yield piece
        except ToolError as error:
            failure = IncompleteTextError(error)
        if has_text:
            for note in self._notes(topics, sources, failure):
                yield f"\n\n{note}"
        else:
            reason = escape_markdown(str(failure or _failure_reason(sources)))
            yield f"*Summarised without the model: {reason}*\n\n"
            yield await asyncio.to_thread(self.extractive.markdown)
        if failure:
            raise failure

    def _head(self) -> str:
        emails = self.extractive.emails
        return f"**{format_count(len(emails), 'email')}**, {format_date_range(emails)}.\n\n"

    def _notes(
        self, topics: list[EmailTopic], sources: CitedSources, failure: IncompleteTextError | None
    ) -> Iterator[str]:
        """Yield notes on failures, omitted topics and statements, and on the emails read."""
        if failure:
            yield f"*The summary broke off here: {escape_markdown(str(failure))}*"
        omitted = self.extractive.omitted_topics(_uncited_topics(topics, sources.cited))
        if omitted and not self.focus:
            yield omitted
        if sources.dropped:
            yield sources.dropped_note()
        if not failure:
            yield coverage_note(self.extractive.emails)

    def _prompts(self) -> WritingPrompts:
        names = ("summary", "summary_focus") if self.focus else ("summary",)
        now = self.extractive.now
        return WritingPrompts(
            build_instructions(*names, now=now, focus=self.focus),
            build_instructions("notes", now=now, task=_TASK, focus=self.focus),
        )


def _material(topics: Iterable[EmailTopic]) -> SourceMaterial:
    """Make passages of the topics, the oldest email of each first."""
    groups: list[Chunk] = []
    links: list[str] = []
    for topic in topics:
        group: list[Passage] = []
        for email in reversed(topic.emails):
            links.append(f"{email_link(email, topic.subject)}{misleading_link_warning([email])}")
            group.append(email_passage(email, len(links), _bulk_kind(topic)))
        groups.append(tuple(group))
    return SourceMaterial(tuple(groups), tuple(links))


def _uncited_topics(topics: list[EmailTopic], cited: Collection[int]) -> list[EmailTopic]:
    """Select personal topics without a cited email; emails are numbered in the order of topics."""
    numbers = count(1)
    uncited = []
    for topic in topics:
        own = {next(numbers) for _ in topic.emails}
        if not (topic.is_bulk or own.intersection(cited)):
            uncited.append(topic)
    return uncited


def _bulk_kind(topic: EmailTopic) -> str:
    if topic.is_newsletter:
        return "newsletter"
    if topic.is_mailing_list:
        return "mailing list"
    return "automatic notice" if topic.is_automatic else ""


def _failure_reason(sources: CitedSources) -> str:
    if sources.dropped:
        return "its text does not cite any email."
    return "it wrote no text."
