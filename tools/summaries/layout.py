"""The layout of a summary: Markdown that a person reads in seconds, every line linked to its mail."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools.mail.message import Email
from tools.mail.plain_words import in_markdown
from tools.moments import day_in_words
from tools.summaries.clues import Kind
from tools.summaries.focus import Focus
from tools.summaries.points import Point
from tools.summaries.sentences import shortened
from tools.summaries.stories import Story

_MOST_POINTS = 2
_MOST_FOUND = 20
_ITEM_LENGTH = 170
_TITLE_LENGTH = 70


@dataclass(frozen=True)
class Layout:
    """The mails that could be read as stories, those that could not, and what is looked for."""

    stories: tuple[Story, ...]
    emails: tuple[Email, ...]
    unreadable: tuple[Email, ...]
    focus: Focus | None

    def markdown(self) -> str:
        """The whole summary."""
        parts = [
            self._head(),
            *(self._focused() if self.focus else self._sections()),
            self._coverage(),
        ]
        return "\n\n".join(part for part in parts if part)

    def _head(self) -> str:
        days = sorted(email.date for email in self.emails)
        first, last = day_in_words(days[0]), day_in_words(days[-1])
        span = first if first == last else f"{first} to {last}"
        asking = sum(_is_pressing(story) for story in self.stories)
        needs = {0: "nothing asked of you", 1: "one asks something of you"}
        told = needs.get(asking, f"{asking} ask something of you")
        if len(self.stories) < len(self.emails):
            told = f"{_counted(len(self.stories), 'conversation')}, {told}"
        return f"**{_counted(len(self.emails), 'email')}**, {span}: {told}."

    def _sections(self) -> list[str]:
        rest = [story for story in self.stories if not story.is_bulk]
        pressing = sorted((s for s in rest if _is_pressing(s)), key=_pressure)
        decided = [s for s in rest if s not in pressing and s.kind == Kind.DECISION]
        told = [s for s in rest if s not in pressing and s not in decided]
        bulk = [story for story in self.stories if story.is_bulk]
        return [
            _section("Needs you", (_item(s, _asked(s)) for s in pressing)),
            _section("Decisions", (_item(s, _decided(s)) for s in decided)),
            _section("Worth knowing", (_item(s, _telling(s)) for s in told)),
            _section("Newsletters and notices", (_item(s, _telling(s)[:1]) for s in bulk)),
        ]

    def _focused(self) -> list[str]:
        focus = self.focus
        if focus is None:
            return []
        found = [(story, focus.points_in(story)) for story in self.stories]
        found = [(story, points) for story, points in found if points]
        if not found:
            missing = f"Nothing about “{in_markdown(focus.words)}” in them."
            return [missing, *self._sections()]
        found.sort(key=lambda pair: (pair[0].is_bulk, -focus.measure(pair[1][0]), pair[1][0].kind))
        title = focus.words[:1].upper() + focus.words[1:]
        items = [_item(story, points[:_MOST_POINTS]) for story, points in found[:_MOST_FOUND]]
        others = len(self.stories) - len(found)
        left = f"{_counted(others, 'other conversation')} had nothing on this." if others else ""
        return [_section(in_markdown(title), items), left]

    def _coverage(self) -> str:
        read = len(self.emails) - len(self.unreadable)
        if not self.unreadable:
            return f"*Read {'all ' if read > 1 else ''}{_counted(read, 'email')}.*"
        missed = "\n".join(f"- {_link(one)}: {in_markdown(one.problem)}" for one in self.unreadable)
        return (
            f"*Read {read} of {_counted(len(self.emails), 'email')}.* Could not read:\n\n{missed}"
        )


def _is_pressing(story: Story) -> bool:
    return not story.is_bulk and not story.is_about_an_event and story.kind <= Kind.QUESTION


def _pressure(story: Story) -> tuple[bool, Kind, float]:
    asked = [point for point in story.points if point.kind <= Kind.QUESTION]
    return (
        not any(point.clues.deadline for point in asked),
        story.kind,
        -story.newest.date.timestamp(),
    )


def _asked(story: Story) -> list[Point]:
    asked = [point for point in story.points if point.kind <= Kind.QUESTION]
    asked.sort(key=lambda point: (not point.clues.deadline, point.kind, -point.weight))
    return asked[:_MOST_POINTS]


def _decided(story: Story) -> list[Point]:
    return [point for point in story.points if point.kind == Kind.DECISION][:_MOST_POINTS]


def _telling(story: Story) -> list[Point]:
    def worth(point: Point) -> float:
        clues = point.clues
        return (
            point.weight
            + 0.5 * bool(clues.dates)
            + 0.4 * bool(clues.amounts)
            + 0.5 * bool(clues.deadline)
        )

    return sorted(story.points, key=worth, reverse=True)[:1]


def _section(title: str, items: Iterable[str]) -> str:
    lines = list(items)
    return f"### {title}\n\n" + "\n".join(lines) if lines else ""


def _item(story: Story, points: Sequence[Point]) -> str:
    names = dict.fromkeys(point.email.sender_name for point in points) or {
        story.newest.sender_name: None
    }
    said = " ".join(_said(point) for point in points)
    more = f" ({len(story.emails)} emails)" if len(story.emails) > 1 else ""
    link = _link(points[0].email if points else story.newest, story.subject)
    return f"- **{in_markdown(', '.join(names))}**: {said + ' · ' if said else ''}{link}{more}"


def _said(point: Point) -> str:
    """The sentence with its deadline in bold; a day that is only named gets the day it was named on."""
    sentence = shortened(point.sentence, _ITEM_LENGTH)
    shown = in_markdown(sentence)
    due = in_markdown(point.clues.deadline)
    if due and due in shown:
        shown = shown.replace(due, f"**{due}**", 1)
    elif due:
        shown += f" **{due}**"
    if due and point.clues.is_relative:
        shown += f" (said {_day(point.email)})"
    return shown


def _day(email: Email) -> str:
    return day_in_words(email.date).rpartition(" ")[0]


def _link(email: Email, subject: str = "") -> str:
    words = in_markdown(shortened(subject or email.subject or "(no subject)", _TITLE_LENGTH))
    return f"[{words}](mail:{email.id})"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
