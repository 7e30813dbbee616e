"""A choice: the one or two points of a conversation that stand for it."""

from collections.abc import Iterable

from tools.summaries.clues import Kind
from tools.summaries.dates import is_relative
from tools.summaries.points import Point
from tools.summaries.stories import Story

_MOST_POINTS = 2
_MOST_CHARACTERS = 260
_FEW_WORDS = 5


def pressure(story: Story) -> tuple[bool, Kind, float]:
    """How soon a conversation wants the reader: deadlines first, then requests, then the newest."""
    some_deadline = any(point.clues.deadline for point in asked(story))
    return not some_deadline, story.kind, -story.newest.date.timestamp()


def asked(story: Story) -> list[Point]:
    """What is asked of the reader, those with a deadline first; a lone request with its day."""
    open_points = [point for point in story.points if point.kind <= Kind.QUESTION]
    open_points.sort(key=lambda point: (not point.clues.deadline, point.kind, -point.weight))
    chosen = sayable(open_points)
    if len(chosen) > 1 or any(point.clues.dates or point.clues.deadline for point in chosen):
        return chosen
    same = [point for point in story.points if point.email is chosen[0].email]
    days = [point for point in same if point.clues.dates or point.clues.deadline]
    days.sort(key=lambda point: (not point.clues.deadline, -point.weight))
    return _in_order(sayable([*chosen, *days]), story)


def decided(story: Story) -> list[Point]:
    """What was decided."""
    return sayable(point for point in story.points if point.kind == Kind.DECISION)


def telling(story: Story) -> list[Point]:
    """What says most of the newest mail; of an event, when it is."""
    points = [point for point in story.points if point.email is story.newest] or list(story.points)
    if story.is_about_an_event:
        return [point for point in points if point.clues.dates][:1]
    fresh = [point for point in points if point.sentence.lower() not in story.subject.lower()]
    return _in_order(sayable(sorted(fresh, key=_worth, reverse=True)), story)


def sayable(points: Iterable[Point]) -> list[Point]:
    """The first points, as many as fit on a line, none said inside another."""
    chosen: list[Point] = []
    for point in points:
        length = sum(len(one.sentence) for one in chosen) + len(point.sentence)
        repeated = any(_overlap(point, one) for one in chosen)
        if not repeated and (not chosen or length <= _MOST_CHARACTERS):
            chosen.append(point)
        if len(chosen) == _MOST_POINTS:
            break
    return chosen


def _overlap(one: Point, other: Point) -> bool:
    return one.sentence in other.sentence or other.sentence in one.sentence


def _worth(point: Point) -> float:
    clues = point.clues
    is_dated = any(not is_relative(date) for date in clues.dates)
    facts = 0.4 * is_dated + 0.3 * bool(clues.amounts) + 0.5 * bool(clues.deadline)
    is_whole = point.sentence.endswith((".", "!", "?", "…", '"', "”", ")"))
    is_short = len(point.sentence.split()) < _FEW_WORDS
    return point.weight + facts - 0.5 * (not is_whole) - 0.8 * is_short


def _in_order(points: list[Point], story: Story) -> list[Point]:
    return sorted(points, key=story.points.index)
