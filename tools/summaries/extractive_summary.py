"""Extractive summary: Markdown made of ranked sentences, every line linked to its email."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from tools.mail.message.emails import Email
from tools.markdown.plain_text import escape_markdown, truncate
from tools.moments.date_format import format_day
from tools.prose.email_references import (
    coverage_note,
    email_link,
    format_count,
    format_date_range,
    without_year,
)
from tools.summaries.focus import Focus
from tools.summaries.sentence_features import SentenceKind
from tools.summaries.sentence_ranking import RankedSentence
from tools.summaries.topics import (
    EmailTopic,
    select_decisions,
    select_key_sentences,
    select_requests,
    select_short,
    urgency,
)

_MAX_ITEMS = 20
_MAX_ISSUES = 5
_ITEM_LENGTH = 170
_SENTENCE_ENDS = (".", "!", "?", "…", '"', "”", "\u3002", "\uff01", "\uff1f")
_LINK_WITH_URL_TEXT = re.compile(
    r"(?P<shown>(?:https?://|www\.)[^\s()<>]+)\s*\((?P<real>https?://[^\s()<>]+)\)"
)


@dataclass(frozen=True)
class ExtractiveSummary:
    """Summary of topics; `unreadable` are the emails that could not be read."""

    topics: tuple[EmailTopic, ...]
    emails: tuple[Email, ...]
    unreadable: tuple[Email, ...]
    focus: Focus | None
    now: datetime

    def markdown(self) -> str:
        """Format the whole summary."""
        middle = self._focused(self.focus) if self.focus else self._sections()
        return "\n\n".join(
            part for part in (self._head(), *middle, coverage_note(self.emails)) if part
        )

    def omitted_topics(self, topics: Iterable[EmailTopic]) -> str:
        """Format topics that a generated summary left out; "" for none."""
        items = self._items(
            topics, lambda t: select_requests(t) if t.needs_action else select_key_sentences(t)
        )
        return _section("Not mentioned above", items)

    def _head(self) -> str:
        requests = sum(topic.needs_action for topic in self.topics)
        texts = {0: "nothing is asked of you", 1: "one asks something of you"}
        text = texts.get(requests, f"{requests} ask something of you")
        if len(self.topics) < len(self.emails) - len(self.unreadable):
            text = f"{format_count(len(self.topics), 'conversation')}, {text}"
        count = format_count(len(self.emails), "email")
        return f"**{count}**, {format_date_range(self.emails)}: {text}."

    def _sections(self) -> list[str]:
        topics = self.topics
        requests = sorted((t for t in topics if t.needs_action), key=urgency)
        personal = [t for t in topics if not (t.is_bulk or t.needs_action)]
        decisions = [t for t in personal if t.kind == SentenceKind.DECISION]
        decisions = [t for t in decisions if not t.is_calendar_notice]
        others = [t for t in personal if t not in decisions]
        lists = [t for t in topics if t.is_mailing_list]
        newsletters = [t for t in topics if t.is_newsletter]
        notices = [t for t in topics if t.is_automatic and t not in newsletters and t not in lists]
        bulk = [*self._items(notices, _key_sentence), *_newsletter_lines(newsletters)]
        return [
            _section("Needs you", self._items(requests, select_requests)),
            _section("Decisions", self._items(decisions, select_decisions)),
            _section("Worth knowing", self._items(others, select_key_sentences)),
            _section("Mailing lists", self._items(lists, _key_sentence)),
            _section("Newsletters and notices", bulk),
        ]

    def _focused(self, focus: Focus) -> list[str]:
        found = [(topic, focus.matching_sentences(topic)) for topic in self.topics]
        found = [(topic, sentences) for topic, sentences in found if sentences]
        if not found:
            missing = f"Nothing about “{escape_markdown(focus.words)}” in them."
            return [missing, *self._sections()]
        found.sort(key=lambda pair: (pair[0].is_bulk, -focus.score(pair[1][0]), pair[0].kind))
        title = escape_markdown(focus.words[:1].upper() + focus.words[1:])
        items = [self._item(topic, select_short(sentences)) for topic, sentences in found]
        left = len(self.topics) - len(items)
        rest = f"{format_count(left, 'other conversation')} on other things." if left else ""
        return [_section(title, items), rest]

    def _items(
        self, topics: Iterable[EmailTopic], select: Callable[[EmailTopic], list[RankedSentence]]
    ) -> list[str]:
        return [self._item(topic, select(topic)) for topic in topics]

    def _item(self, topic: EmailTopic, sentences: Sequence[RankedSentence]) -> str:
        senders = dict.fromkeys(sentence.email.sender_name for sentence in sentences)
        names = escape_markdown(", ".join(senders) or topic.newest.sender_name)
        text = " ".join(self._sentence(sentence) for sentence in sentences)
        link = email_link(sentences[0].email if sentences else topic.newest, topic.subject)
        more = f" ({len(topic.emails)} emails)" if len(topic.emails) > 1 else ""
        warning = misleading_link_warning(topic.emails)
        return f"- **{names}**: {f'{text} · ' if text else ''}{link}{more}{warning}"

    def _sentence(self, sentence: RankedSentence) -> str:
        """Format a sentence with its deadline in bold.

        A relative deadline ("by Friday") gets the date of its email, if that is not today.
        """
        text = escape_markdown(truncate(sentence.text, _ITEM_LENGTH).rstrip(":,;"))
        text += "" if text.endswith(_SENTENCE_ENDS) else "."
        due = escape_markdown(sentence.features.deadline)
        if not due or due not in text:
            return text
        is_today = sentence.email.date.astimezone(self.now.tzinfo).date() == self.now.date()
        needs_date = sentence.features.is_relative and not is_today
        date = f" (said {without_year(format_day(sentence.email.date))})" if needs_date else ""
        return text.replace(due, f"**{due}**{date}", 1)


def _key_sentence(topic: EmailTopic) -> list[RankedSentence]:
    return select_key_sentences(topic)[:1]


def _section(title: str, lines: list[str]) -> str:
    if len(lines) > _MAX_ITEMS:
        lines = [*lines[:_MAX_ITEMS], f"- … and {len(lines) - _MAX_ITEMS} more"]
    return f"### {title}\n\n" + "\n".join(lines) if lines else ""


def _newsletter_lines(newsletters: Sequence[EmailTopic]) -> list[str]:
    """Format a line for each sender, with links to the issues."""
    sources: dict[str, list[str]] = defaultdict(list)
    for topic in newsletters:
        sources[topic.newest.sender_name].append(email_link(topic.newest, topic.subject))
    return [
        f"- **{escape_markdown(name)}**: {_first_links(links)}" for name, links in sources.items()
    ]


def _first_links(links: Sequence[str]) -> str:
    left = len(links) - _MAX_ISSUES
    return " · ".join(links[:_MAX_ISSUES]) + (f" and {left} more" if left > 0 else "")


def misleading_link_warning(emails: Sequence[Email]) -> str:
    """Warn of the first link that displays another host than its own; "" for none."""
    for displayed, real in (pair for email in emails for pair in misleading_links(email.content)):
        shown, target = escape_markdown(displayed), escape_markdown(real)
        return f" · **careful**: a link says {shown} and leads to {target}"
    return ""


def misleading_links(content: str) -> Iterator[tuple[str, str]]:
    """Yield the displayed and the real host of every link where they differ."""
    for found in _LINK_WITH_URL_TEXT.finditer(content[:20_000]):
        shown, real = _host(found["shown"]), _host(found["real"])
        shown = shown.removeprefix("www.")
        if shown and real and _registered_domain(shown) != _registered_domain(real):
            yield shown, real


def _host(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""


def _registered_domain(host: str) -> str:
    """Return the last two labels of a host, roughly its owner."""
    return ".".join(host.lower().split(".")[-2:])
