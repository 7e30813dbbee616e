"""Extractive digest: newsletters by source in Markdown, one linked line per issue."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from tools.mail.message.emails import Email
from tools.mail.reading_results import account_errors_markdown
from tools.markdown.plain_text import escape_markdown, truncate
from tools.moments.date_format import format_day
from tools.newsletters.newsletter_search import FoundNewsletters, NewsletterSource, group_by_source
from tools.prose.email_references import email_link, format_count
from tools.summaries.extractive_summary import misleading_link_warning
from tools.summaries.focus import Focus
from tools.summaries.sentence_ranking import RankedSentence
from tools.summaries.topics import Topic, group_topics, select_key_sentences, select_short

_MAX_LINES = 400
_MAX_HEADLINE = 90  # characters


def headlines(content: str) -> tuple[str, ...]:
    """The headlines in order, as sentences are written; none where it has no such lines."""
    lines = (line.strip() for line in islice(content.splitlines(), _MAX_LINES))
    return tuple(dict.fromkeys(line.capitalize() for line in lines if _is_headline(line)))


def _is_headline(line: str) -> bool:
    is_short = len(line) <= _MAX_HEADLINE and len(line.split()) > 1
    return is_short and line.isupper() and not line.endswith((".", ":", ","))


_LINE_LENGTH = 220


@dataclass(frozen=True)
class ExtractiveDigest:
    """What was found, by source; `stories` are what the issues that can be read tell."""

    sources: tuple[NewsletterSource, ...]
    stories: dict[str, Topic]
    found: FoundNewsletters
    since: datetime
    focus: str
    now: datetime

    @classmethod
    def of(
        cls, found: FoundNewsletters, since: datetime, focus: str, now: datetime
    ) -> "ExtractiveDigest":
        """Read the newsletters that were found; takes a while for many."""
        alone = (group_topics([email]) for email in found.newsletters if _is_readable(email))
        stories = {story.newest.id: story for one in alone for story in one}
        return cls(group_by_source(found.newsletters), stories, found, since, focus, now)

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
            return f"No newsletters since {format_day(self.since)}.{self._limit()}"
        sections = [self.section(source, self.lines(source)) for source in self.sources]
        told = [section for section in sections if section] or [self.nothing()]
        return "\n\n".join([self.head(), *told, self.coverage()])

    def head(self) -> str:
        """How many there are, of how many sources, since when."""
        count = format_count(len(self.newsletters), "newsletter")
        sources = format_count(len(self.sources), "source")
        about = f" on “{escape_markdown(self.focus)}”" if self.focus else ""
        return f"**{count} from {sources}** since {format_day(self.since)}{about}."

    def section(self, source: NewsletterSource, lines: Iterable[str]) -> str:
        """A source and what it told; "" where that is nothing."""
        told = "\n".join(lines)
        return f"### {escape_markdown(source.name)}\n\n{told}" if told else ""

    def lines(self, source: NewsletterSource) -> Iterator[str]:
        """What the issues of a source tell, each linked; with a focus only those on it."""
        focus = Focus.on(self.focus) if self.focus else None
        stories = (self.stories.get(email.id) for email in source.emails)
        for story in filter(None, stories):
            said = _focus_line(focus, story) if focus else _issue_line(story)
            if said or not focus:
                yield _linked_line(said, story)

    def nothing(self) -> str:
        """That the newsletters do not speak of the focus."""
        return f"Nothing about “{escape_markdown(self.focus)}” in them." if self.focus else ""

    def coverage(self) -> str:
        """How many were found, read and not readable, and those with a link."""
        found, missed = len(self.newsletters), self.unreadable
        told = f"*Found {format_count(found, 'newsletter')}, read {found - len(missed)}"
        if not missed:
            return f"{told}.*{self._limit()}"
        lines = (f"- {email_link(one)}: {escape_markdown(one.problem)}" for one in missed)
        listed = "\n".join(lines)
        return f"{told}, {len(missed)} not readable, or not wholly.*{self._limit()}\n\n{listed}"

    def _limit(self) -> str:
        """What keeps it from being all that there is, after a space; "" where nothing does."""
        return "".join(f" {each}" for each in self._limits())

    def _limits(self) -> Iterator[str]:
        if self.found.limit:
            yield f"*Only the newest {self.found.limit} were looked at.*"
        yield from account_errors_markdown(self.found.unanswered)


def _is_readable(email: Email) -> bool:
    return bool(email.content) or not email.problem


def _issue_line(story: Topic) -> str:
    """What an issue brings: its headlines, else the sentence that says most of it."""
    return "; ".join(headlines(story.newest.content)) or _join_sentences(
        select_key_sentences(story)[:1]
    )


def _focus_line(focus: Focus, story: Topic) -> str:
    return _join_sentences(select_short(focus.points_in(story)))


def _join_sentences(points: Iterable[RankedSentence]) -> str:
    return " ".join(point.sentence.rstrip(":,;") for point in points)


def _linked_line(said: str, story: Topic) -> str:
    shown = escape_markdown(truncate(said, _LINE_LENGTH))
    link = email_link(story.newest, story.subject)
    return f"- {f'{shown} · ' if shown else ''}{link}{misleading_link_warning(story.emails)}"
