"""The layout of a summary: Markdown to be read in seconds, every line linked to its mail."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tools.mail.message import Email
from tools.moments import day_in_words
from tools.plain_words import in_markdown, shortened
from tools.prose.coverage import counted, coverage, email_link, span, without_year
from tools.summaries.choice import asked, decided, pressure, sayable, telling
from tools.summaries.clues import Kind
from tools.summaries.focus import Focus
from tools.summaries.points import Point
from tools.summaries.stories import Story
from tools.summaries.traps import false_links

_MOST_ITEMS = 20
_MOST_ISSUES = 5
_ITEM_LENGTH = 170
_SENTENCE_ENDS = (".", "!", "?", "…", '"', "”", "\u3002", "\uff01", "\uff1f")


@dataclass(frozen=True)
class Layout:
    """The mails that could be read as stories, those that could not, and what is looked for."""

    stories: tuple[Story, ...]
    emails: tuple[Email, ...]
    unreadable: tuple[Email, ...]
    focus: Focus | None
    now: datetime

    def markdown(self) -> str:
        """The whole summary."""
        middle = self._focused(self.focus) if self.focus else self._sections()
        return "\n\n".join(part for part in (self._head(), *middle, coverage(self.emails)) if part)

    def unsaid(self, stories: Iterable[Story]) -> str:
        """Conversations that a summary in other words does not speak of; "" for none."""
        items = (self._item(s, asked(s) if s.is_pressing else telling(s)) for s in stories)
        return _section("Not spoken of above", items)

    def _head(self) -> str:
        asking = sum(story.is_pressing for story in self.stories)
        needs = {0: "nothing is asked of you", 1: "one asks something of you"}
        told = needs.get(asking, f"{asking} ask something of you")
        if len(self.stories) < len(self.emails) - len(self.unreadable):
            told = f"{counted(len(self.stories), 'conversation')}, {told}"
        return f"**{counted(len(self.emails), 'email')}**, {span(self.emails)}: {told}."

    def _sections(self) -> list[str]:
        pressing = sorted((s for s in self.stories if s.is_pressing), key=pressure)
        personal = [s for s in self.stories if not (s.is_bulk or s.is_pressing)]
        decisions = [s for s in personal if s.kind == Kind.DECISION and not s.is_about_an_event]
        others = [s for s in personal if s not in decisions]
        lists = [s for s in self.stories if s.is_of_a_list]
        notices = [
            s for s in self.stories if s.is_automatic and not (s.is_newsletter or s.is_of_a_list)
        ]
        newsletters = [s for s in self.stories if s.is_newsletter]
        return [
            _section("Needs you", (self._item(s, asked(s)) for s in pressing)),
            _section("Decisions", (self._item(s, decided(s)) for s in decisions)),
            _section("Worth knowing", (self._item(s, telling(s)) for s in others)),
            _section("Mailing lists", (self._item(s, telling(s)[:1]) for s in lists)),
            _section(
                "Newsletters and notices",
                [*(self._item(s, telling(s)[:1]) for s in notices), *_by_source(newsletters)],
            ),
        ]

    def _focused(self, focus: Focus) -> list[str]:
        found = [(story, focus.points_in(story)) for story in self.stories]
        found = [(story, points) for story, points in found if points]
        if not found:
            missing = f"Nothing about “{in_markdown(focus.words)}” in them."
            return [missing, *self._sections()]
        found.sort(key=lambda pair: (pair[0].is_bulk, -focus.measure(pair[1][0]), pair[0].kind))
        title = in_markdown(focus.words[:1].upper() + focus.words[1:])
        items = [self._item(story, sayable(points)) for story, points in found]
        left = len(self.stories) - len(items)
        rest = f"{counted(left, 'other conversation')} on other things." if left else ""
        return [_section(title, items), rest]

    def _item(self, story: Story, points: Sequence[Point]) -> str:
        shown = dict.fromkeys(point.email.sender_name for point in points)
        names = in_markdown(", ".join(shown) or story.newest.sender_name)
        said = " ".join(self._said(point) for point in points)
        link = email_link(points[0].email if points else story.newest, story.subject)
        more = f" ({len(story.emails)} emails)" if len(story.emails) > 1 else ""
        return f"- **{names}**: {f'{said} · ' if said else ''}{link}{more}{warning(story.emails)}"

    def _said(self, point: Point) -> str:
        """The sentence with its deadline in bold.

        A day that has no date of its own ("by Friday") gets the day that it was named on, if that
        is not today.
        """
        shown = in_markdown(shortened(point.sentence, _ITEM_LENGTH).rstrip(":,;"))
        shown += "" if shown.endswith(_SENTENCE_ENDS) else "."
        due = in_markdown(point.clues.deadline)
        if not due or due not in shown:
            return shown
        needs_day = point.clues.is_relative and not self._is_of_today(point.email)
        named = f" (said {without_year(day_in_words(point.email.date))})" if needs_day else ""
        return shown.replace(due, f"**{due}**{named}", 1)

    def _is_of_today(self, email: Email) -> bool:
        return email.date.astimezone(self.now.tzinfo).date() == self.now.date()


def _section(title: str, items: Iterable[str]) -> str:
    lines = list(items)
    if len(lines) > _MOST_ITEMS:
        lines = [*lines[:_MOST_ITEMS], f"- … and {len(lines) - _MOST_ITEMS} more"]
    return f"### {title}\n\n" + "\n".join(lines) if lines else ""


def _by_source(newsletters: Sequence[Story]) -> list[str]:
    """One line a sender, with a link to every issue."""
    sources: dict[str, list[str]] = defaultdict(list)
    for story in newsletters:
        sources[story.newest.sender_name].append(email_link(story.newest, story.subject))
    return [f"- **{in_markdown(name)}**: {_some(links)}" for name, links in sources.items()]


def _some(links: Sequence[str]) -> str:
    left = len(links) - _MOST_ISSUES
    return " · ".join(links[:_MOST_ISSUES]) + (f" and {left} more" if left > 0 else "")


def warning(emails: Sequence[Email]) -> str:
    """What to say of the first link in the emails that leads elsewhere than it says."""
    false = [one for email in emails for one in false_links(email.content)][:1]
    told = [
        f" · **careful**: a link says {in_markdown(a)} and leads to {in_markdown(b)}"
        for a, b in false
    ]
    return "".join(told)
