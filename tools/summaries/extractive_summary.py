"""Extractive summary: Markdown made of ranked sentences, every line linked to its email."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
    Topic,
    select_decisions,
    select_key_sentences,
    select_requests,
    select_short,
    urgency,
)

_LINK_WITH_URL_TEXT = re.compile(
    r"(?P<shown>(?:https?://|www\.)[^\s()<>]+)\s*\((?P<real>https?://[^\s()<>]+)\)"
)


def misleading_links(content: str) -> Iterator[tuple[str, str]]:
    """The host that is shown and the one it leads to, of every false link."""
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
    """The last two names of a host, near enough to whom it belongs."""
    return ".".join(host.lower().split(".")[-2:])


_MAX_ITEMS = 20
_MAX_ISSUES = 5
_ITEM_LENGTH = 170
_SENTENCE_ENDS = (".", "!", "?", "…", '"', "”", "\u3002", "\uff01", "\uff1f")


@dataclass(frozen=True)
class ExtractiveSummary:
    """The mails that could be read as stories, those that could not, and what is looked for."""

    stories: tuple[Topic, ...]
    emails: tuple[Email, ...]
    unreadable: tuple[Email, ...]
    focus: Focus | None
    now: datetime

    def markdown(self) -> str:
        """The whole summary."""
        middle = self._focused(self.focus) if self.focus else self._sections()
        return "\n\n".join(
            part for part in (self._head(), *middle, coverage_note(self.emails)) if part
        )

    def unsaid(self, stories: Iterable[Topic]) -> str:
        """Conversations that a summary in other words does not speak of; "" for none."""
        items = (
            self._item(s, select_requests(s) if s.is_pressing else select_key_sentences(s))
            for s in stories
        )
        return _section("Not spoken of above", items)

    def _head(self) -> str:
        asking = sum(story.is_pressing for story in self.stories)
        needs = {0: "nothing is asked of you", 1: "one asks something of you"}
        told = needs.get(asking, f"{asking} ask something of you")
        if len(self.stories) < len(self.emails) - len(self.unreadable):
            told = f"{format_count(len(self.stories), 'conversation')}, {told}"
        count = format_count(len(self.emails), "email")
        return f"**{count}**, {format_date_range(self.emails)}: {told}."

    def _sections(self) -> list[str]:
        pressing = sorted((s for s in self.stories if s.is_pressing), key=urgency)
        personal = [s for s in self.stories if not (s.is_bulk or s.is_pressing)]
        decisions = [
            s for s in personal if s.kind == SentenceKind.DECISION and not s.is_about_an_event
        ]
        others = [s for s in personal if s not in decisions]
        lists = [s for s in self.stories if s.is_of_a_list]
        notices = [
            s for s in self.stories if s.is_automatic and not (s.is_newsletter or s.is_of_a_list)
        ]
        newsletters = [s for s in self.stories if s.is_newsletter]
        return [
            _section("Needs you", (self._item(s, select_requests(s)) for s in pressing)),
            _section("Decisions", (self._item(s, select_decisions(s)) for s in decisions)),
            _section("Worth knowing", (self._item(s, select_key_sentences(s)) for s in others)),
            _section("Mailing lists", (self._item(s, select_key_sentences(s)[:1]) for s in lists)),
            _section(
                "Newsletters and notices",
                [
                    *(self._item(s, select_key_sentences(s)[:1]) for s in notices),
                    *_newsletter_lines(newsletters),
                ],
            ),
        ]

    def _focused(self, focus: Focus) -> list[str]:
        found = [(story, focus.points_in(story)) for story in self.stories]
        found = [(story, points) for story, points in found if points]
        if not found:
            missing = f"Nothing about “{escape_markdown(focus.words)}” in them."
            return [missing, *self._sections()]
        found.sort(key=lambda pair: (pair[0].is_bulk, -focus.measure(pair[1][0]), pair[0].kind))
        title = escape_markdown(focus.words[:1].upper() + focus.words[1:])
        items = [self._item(story, select_short(points)) for story, points in found]
        left = len(self.stories) - len(items)
        rest = f"{format_count(left, 'other conversation')} on other things." if left else ""
        return [_section(title, items), rest]

    def _item(self, story: Topic, points: Sequence[RankedSentence]) -> str:
        shown = dict.fromkeys(point.email.sender_name for point in points)
        names = escape_markdown(", ".join(shown) or story.newest.sender_name)
        said = " ".join(self._said(point) for point in points)
        link = email_link(points[0].email if points else story.newest, story.subject)
        more = f" ({len(story.emails)} emails)" if len(story.emails) > 1 else ""
        warning = misleading_link_warning(story.emails)
        return f"- **{names}**: {f'{said} · ' if said else ''}{link}{more}{warning}"

    def _said(self, point: RankedSentence) -> str:
        """The sentence with its deadline in bold.

        A day that has no date of its own ("by Friday") gets the day that it was named on, if that
        is not today.
        """
        shown = escape_markdown(truncate(point.sentence, _ITEM_LENGTH).rstrip(":,;"))
        shown += "" if shown.endswith(_SENTENCE_ENDS) else "."
        due = escape_markdown(point.clues.deadline)
        if not due or due not in shown:
            return shown
        needs_day = point.clues.is_relative and not self._is_of_today(point.email)
        named = f" (said {without_year(format_day(point.email.date))})" if needs_day else ""
        return shown.replace(due, f"**{due}**{named}", 1)

    def _is_of_today(self, email: Email) -> bool:
        return email.date.astimezone(self.now.tzinfo).date() == self.now.date()


def _section(title: str, items: Iterable[str]) -> str:
    lines = list(items)
    if len(lines) > _MAX_ITEMS:
        lines = [*lines[:_MAX_ITEMS], f"- … and {len(lines) - _MAX_ITEMS} more"]
    return f"### {title}\n\n" + "\n".join(lines) if lines else ""


def _newsletter_lines(newsletters: Sequence[Topic]) -> list[str]:
    """One line a sender, with a link to every issue."""
    sources: dict[str, list[str]] = defaultdict(list)
    for story in newsletters:
        sources[story.newest.sender_name].append(email_link(story.newest, story.subject))
    return [
        f"- **{escape_markdown(name)}**: {_first_links(links)}" for name, links in sources.items()
    ]


def _first_links(links: Sequence[str]) -> str:
    left = len(links) - _MAX_ISSUES
    return " · ".join(links[:_MAX_ISSUES]) + (f" and {left} more" if left > 0 else "")


def misleading_link_warning(emails: Sequence[Email]) -> str:
    """What to say of the first link in the emails that leads elsewhere than it says."""
    false = [one for email in emails for one in misleading_links(email.content)][:1]
    told = [
        f" · **careful**: a link says {escape_markdown(a)} and leads to {escape_markdown(b)}"
        for a, b in false
    ]
    return "".join(told)
