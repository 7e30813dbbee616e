"""A written summary: what a writer makes of emails, each point checked against its source."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from tools.plain_words import in_markdown
from tools.prose.citations import Sources
from tools.prose.cited import CitedPoints, checked
from tools.prose.coverage import counted, coverage, email_link, span
from tools.prose.instructions import instructions
from tools.prose.material import Material, Passage, email_passage
from tools.prose.parts import Order, Part, written
from tools.prose.writer import Writer
from tools.summaries.layout import Layout, warning
from tools.summaries.stories import Story
from tools.tool import BrokenOffError, ToolError

_TASK = "A summary of the user's emails: what they ask of the user, decide and tell."


@dataclass(frozen=True)
class WrittenSummary:
    """A summary of the emails of a layout; where none can be written, it is the layout's own."""

    layout: Layout
    focus: str
    writer: Writer

    async def pieces(self) -> AsyncGenerator[str]:
        """The summary as it is written, in Markdown."""
        stories = sorted(self.layout.stories, key=_rank)
        material = _material(stories)
        sources = Sources(material.links)
        text = written(self.writer, material.groups, self._order(), sources)
        begun, broken = False, None
        try:
            async for said in checked(text, CitedPoints(sources)):
                if said and not begun:
                    yield self._head()
                    begun = True
                yield said
        except ToolError as error:
            broken = BrokenOffError(error)
        if begun:
            for note in self._notes(stories, sources, broken):
                yield f"\n\n{note}"
        else:
            yield f"*Summed up without the model: {in_markdown(str(broken or _why(sources)))}*\n\n"
            yield await asyncio.to_thread(self.layout.markdown)
        if broken:
            raise broken

    def _head(self) -> str:
        emails = self.layout.emails
        return f"**{counted(len(emails), 'email')}**, {span(emails)}.\n\n"

    def _notes(
        self, stories: list[Story], sources: Sources, broken: BrokenOffError | None
    ) -> Iterator[str]:
        """What the reader should know about the summary, and what it leaves out."""
        if broken:
            yield f"*The summary broke off here: {in_markdown(str(broken))}*"
        if not self.focus and (unsaid := self.layout.unsaid(_unnamed(stories, sources.named))):
            yield unsaid
        if sources.dropped:
            yield sources.left_out()
        if not broken:
            yield coverage(self.layout.emails)

    def _order(self) -> Order:
        names = ("summary", "summary_focus") if self.focus else ("summary",)
        now = self.layout.now
        return Order(
            instructions(*names, now=now, focus=self.focus),
            instructions("notes", now=now, task=_TASK, focus=self.focus),
        )


def _material(stories: Iterable[Story]) -> Material:
    """The conversations, each from its oldest email on."""
    groups: list[Part] = []
    links: list[str] = []
    for story in stories:
        group: list[Passage] = []
        for email in reversed(story.emails):
            links.append(f"{email_link(email, story.subject)}{warning([email])}")
            group.append(email_passage(email, len(links), _kind(story)))
        groups.append(tuple(group))
    return Material(tuple(groups), tuple(links))


def _unnamed(stories: list[Story], named: Collection[int]) -> list[Story]:
    """The conversations of people of which no email is named; the emails are numbered in order."""
    numbers = count(1)
    unnamed = []
    for story in stories:
        own = {next(numbers) for _ in story.emails}
        if not (story.is_bulk or own.intersection(named)):
            unnamed.append(story)
    return unnamed


def _rank(story: Story) -> tuple[bool, bool]:
    return story.is_bulk, story.is_newsletter


def _kind(story: Story) -> str:
    if story.is_newsletter:
        return "newsletter"
    if story.is_of_a_list:
        return "mailing list"
    return "automatic notice" if story.is_automatic else ""


def _why(sources: Sources) -> str:
    if sources.dropped:
        return "nothing that it wrote names the email it is from."
    return "it wrote nothing about them."
