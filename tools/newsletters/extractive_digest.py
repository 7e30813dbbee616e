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
from tools.summaries.topics import EmailTopic, group_topics, select_key_sentences, select_short

_MAX_LINES = 400
_MAX_HEADLINE = 90  # characters
_MAX_LINE = 220  # characters


def headlines(content: str) -> tuple[str, ...]:
    """Find lines in capitals; return them in sentence case, in their order."""
    lines = (line.strip() for line in islice(content.splitlines(), _MAX_LINES))
    return tuple(dict.fromkeys(line.capitalize() for line in lines if _is_headline(line)))


def _is_headline(line: str) -> bool:
    is_short = len(line) <= _MAX_HEADLINE and len(line.split()) > 1
    return is_short and line.isupper() and not line.endswith((".", ":", ","))


@dataclass(frozen=True)
class ExtractiveDigest:
    """Digest of newsletters by source; `topics` are the readable issues by the id of the email."""

    sources: tuple[NewsletterSource, ...]
    topics: dict[str, EmailTopic]
    found: FoundNewsletters
    since: datetime
    focus: str
    now: datetime

    @classmethod
    def of(
        cls, found: FoundNewsletters, since: datetime, focus: str, now: datetime
    ) -> "ExtractiveDigest":
        """Rank the sentences of the newsletters; slow for many."""
        groups = (group_topics([email]) for email in found.newsletters if email.is_readable)
        topics = {topic.newest.id: topic for group in groups for topic in group}
        return cls(group_by_source(found.newsletters), topics, found, since, focus, now)

    @property
    def newsletters(self) -> Sequence[Email]:
        """Newsletters that were found."""
        return self.found.newsletters

    @property
    def unreadable(self) -> Sequence[Email]:
        """Newsletters that could not be read, or only in part."""
        return [email for email in self.newsletters if email.problem]

    def markdown(self) -> str:
        """Format the whole digest."""
        if not self.newsletters:
            return f"No newsletters since {format_day(self.since)}.{self._limits()}"
        sections = [self.section(source, self.lines(source)) for source in self.sources]
        middle = [section for section in sections if section] or [self.nothing_found()]
        return "\n\n".join([self.head(), *middle, self.coverage()])

    def head(self) -> str:
        """Format the numbers of newsletters and sources, and the start of the period."""
        count = format_count(len(self.newsletters), "newsletter")
        sources = format_count(len(self.sources), "source")
        about = f" on “{escape_markdown(self.focus)}”" if self.focus else ""
        return f"**{count} from {sources}** since {format_day(self.since)}{about}."

    def section(self, source: NewsletterSource, lines: Iterable[str]) -> str:
        """Format the lines of a source under its heading; "" without lines."""
        text = "\n".join(lines)
        return f"### {escape_markdown(source.name)}\n\n{text}" if text else ""

    def lines(self, source: NewsletterSource) -> Iterator[str]:
        """Format a linked line for each issue of a source; with a focus, for matching issues."""
        focus = Focus.on(self.focus) if self.focus else None
        topics = (self.topics.get(email.id) for email in source.emails)
        for topic in filter(None, topics):
            sentences = select_short(focus.matching_sentences(topic)) if focus else ()
            text = _join_sentences(sentences) if focus else _issue_line(topic)
            if text or not focus:
                yield _linked_line(text, topic)

    def nothing_found(self) -> str:
        """Format the sentence that nothing matches the focus."""
        return f"Nothing about “{escape_markdown(self.focus)}” in them." if self.focus else ""

    def coverage(self) -> str:
        """Format the numbers of newsletters found and read, with links to the unreadable ones."""
        found, unreadable = len(self.newsletters), self.unreadable
        text = f"*Found {format_count(found, 'newsletter')}, read {found - len(unreadable)}"
        if not unreadable:
            return f"{text}.*{self._limits()}"
        lines = (f"- {email_link(one)}: {escape_markdown(one.problem)}" for one in unreadable)
        listed = "\n".join(lines)
        return (
            f"{text}, {len(unreadable)} not readable, or only in part.*{self._limits()}\n\n{listed}"
        )

    def _limits(self) -> str:
        """Format the limits of the search, after a space; "" without limits."""
        limit = self.found.limit and f"*Only the newest {self.found.limit} were searched.*"
        notes = [limit, *account_errors_markdown(self.found.account_errors)]
        return "".join(f" {note}" for note in notes if note)


def _issue_line(topic: EmailTopic) -> str:
    """Return the headlines of an issue, or its main sentence."""
    lines = headlines(topic.newest.content)
    return "; ".join(lines) or _join_sentences(select_key_sentences(topic)[:1])


def _join_sentences(sentences: Iterable[RankedSentence]) -> str:
    return " ".join(sentence.text.rstrip(":,;") for sentence in sentences)


def _linked_line(text: str, topic: EmailTopic) -> str:
    shown = escape_markdown(truncate(text, _MAX_LINE))
    link = email_link(topic.newest, topic.subject)
    return f"- {f'{shown} · ' if shown else ''}{link}{misleading_link_warning(topic.emails)}"
