"""A digest: newsletters by source in Markdown, a line for each issue with a link to its mail."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from tools.mail.listing import not_whole
from tools.mail.message import Email
from tools.moments import day_in_words
from tools.newsletters.finding import Found
from tools.newsletters.headlines import headlines
from tools.newsletters.source import Source, sources_of
from tools.plain_words import in_markdown, shortened
from tools.prose.coverage import counted, email_link
from tools.summaries.choice import sayable, telling
from tools.summaries.focus import Focus
from tools.summaries.layout import warning
from tools.summaries.points import Point
from tools.summaries.stories import Story, stories_in

_LINE_LENGTH = 220


@dataclass(frozen=True)
class Digest:
    """What was found, by source; `stories` are what the issues that can be read tell."""

    sources: tuple[Source, ...]
    stories: dict[str, Story]
    found: Found
    since: datetime
    focus: str
    now: datetime

    @classmethod
    def of(cls, found: Found, since: datetime, focus: str, now: datetime) -> "Digest":
        """Read the newsletters that were found; takes a while for many."""
        alone = (stories_in([email]) for email in found.newsletters if _is_readable(email))
        stories = {story.newest.id: story for one in alone for story in one}
        return cls(sources_of(found.newsletters), stories, found, since, focus, now)

    @property
    def newsletters(self) -> Sequence[Email]:
        """All that were found."""
        return self.found.newsletters

    @property
    def unreadable(self) -> Sequence[Email]:
        """Those that could not be read, or not wholly."""
        return [email for email in self.newsletters if email.problem]

    def markdown(self) -> str:
        """The whole digest, by extraction."""
        if not self.newsletters:
            return f"No newsletters since {day_in_words(self.since)}.{self._limit()}"
        sections = [self.section(source, self.lines(source)) for source in self.sources]
        told = [section for section in sections if section] or [self.nothing()]
        return "\n\n".join([self.head(), *told, self.coverage()])

    def head(self) -> str:
        """How many there are, of how many sources, since when."""
        count = counted(len(self.newsletters), "newsletter")
        sources = counted(len(self.sources), "source")
        about = f" on “{in_markdown(self.focus)}”" if self.focus else ""
        return f"**{count} from {sources}** since {day_in_words(self.since)}{about}."

    def section(self, source: Source, lines: Iterable[str]) -> str:
        """A source and what it told; "" where that is nothing."""
        told = "\n".join(lines)
        return f"### {in_markdown(source.name)}\n\n{told}" if told else ""

    def lines(self, source: Source) -> Iterator[str]:
        """What the issues of a source tell, each linked; with a focus only those on it."""
        focus = Focus.on(self.focus) if self.focus else None
        stories = (self.stories.get(email.id) for email in source.emails)
        for story in filter(None, stories):
            said = _on(focus, story) if focus else _gist(story)
            if said or not focus:
                yield _line(said, story)

    def nothing(self) -> str:
        """That the newsletters do not speak of the focus."""
        return f"Nothing about “{in_markdown(self.focus)}” in them." if self.focus else ""

    def coverage(self) -> str:
        """How many were found, read and not readable, and those with a link."""
        found, missed = len(self.newsletters), self.unreadable
        told = f"*Found {counted(found, 'newsletter')}, read {found - len(missed)}"
        if not missed:
            return f"{told}.*{self._limit()}"
        lines = (f"- {email_link(one)}: {in_markdown(one.problem)}" for one in missed)
        listed = "\n".join(lines)
        return f"{told}, {len(missed)} not readable, or not wholly.*{self._limit()}\n\n{listed}"

    def _limit(self) -> str:
        """What keeps it from being all that there is, after a space; "" where nothing does."""
        return "".join(f" {each}" for each in self._limits())

    def _limits(self) -> Iterator[str]:
        if self.found.limit:
            yield f"*Only the newest {self.found.limit} were looked at.*"
        yield from not_whole(self.found.unanswered)


def _is_readable(email: Email) -> bool:
    return bool(email.content) or not email.problem


def _gist(story: Story) -> str:
    """What an issue brings: its headlines, else the sentence that says most of it."""
    return "; ".join(headlines(story.newest.content)) or _joined(telling(story)[:1])


def _on(focus: Focus, story: Story) -> str:
    return _joined(sayable(focus.points_in(story)))


def _joined(points: Iterable[Point]) -> str:
    return " ".join(point.sentence.rstrip(":,;") for point in points)


def _line(said: str, story: Story) -> str:
    shown = in_markdown(shortened(said, _LINE_LENGTH))
    link = email_link(story.newest, story.subject)
    return f"- {f'{shown} · ' if shown else ''}{link}{warning(story.emails)}"
