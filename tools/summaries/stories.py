"""Stories: the conversations in a set of mails, each with what it asks, decides and tells."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.utils import parseaddr

from tools.mail.message import Email
from tools.summaries.clues import Kind
from tools.summaries.people import People
from tools.summaries.phrases import finder
from tools.summaries.points import Point, points_of

_AUTOMATIC = re.compile(
    r"^(?:(?:do-?)?no[t._-]?reply|.*[._+-]no-?reply|no-?reply.*|alerts?|notif\w*|mailer-daemon|postmaster|bounces?"
    r"|news\w*|digest|editors?|letter|marketing|promo\w*|updates?|offers?|deals|billing|loans|automated)"
    r"(?:[._+-].*)?$",
    re.IGNORECASE,
)
_NOTICE = finder("notices")
_CALENDAR = re.compile(
    r"^(?:invitation|updated invitation|accepted|declined|tentative|cancell?ed|einladung|zugesagt"
    r"|abgesagt|annul[ée]|accept[ée])\b[^:]{0,30}:",
    re.IGNORECASE,
)
_ANSWER_MARKS = re.compile(r"^(?:(?:re|aw|wg|fwd?|tr|sv|antw)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)


@dataclass(frozen=True)
class Story:
    """The mails of one conversation, newest first, and their points in order of worth."""

    emails: tuple[Email, ...]
    points: tuple[Point, ...]
    is_bulk: bool

    @property
    def newest(self) -> Email:
        """The mail that came last."""
        return self.emails[0]

    @property
    def subject(self) -> str:
        """What it is about, without Re: and the like."""
        return _ANSWER_MARKS.sub("", self.newest.subject).strip()

    @property
    def kind(self) -> Kind:
        """The most pressing thing in it."""
        return min((point.kind for point in self.points), default=Kind.FACT)

    @property
    def is_about_an_event(self) -> bool:
        """Whether it is a calendar's own mail."""
        return bool(_CALENDAR.match(self.newest.subject))


def stories_in(emails: Sequence[Email]) -> tuple[Story, ...]:
    """The conversations, the most recent first."""
    people = People.in_emails(emails)
    threads: dict[str, list[Email]] = defaultdict(list)
    for email in sorted(emails, key=lambda one: (one.date, one.id), reverse=True):
        threads[email.thread_id or email.id].append(email)
    return tuple(_story(tuple(thread), people) for thread in threads.values())


def _story(emails: tuple[Email, ...], people: People) -> Story:
    of_each = [points_of(email, people) for email in emails]
    answered = next((n for n, email in enumerate(emails) if people.wrote(email)), len(emails))
    points: list[Point] = []
    for age, own in enumerate(of_each):
        stale = {Kind.ASK, Kind.QUESTION} if age > max(answered, 0) or age > 0 else set()
        points += [point for point in own if point.kind not in stale]
    if not any(point.kind <= Kind.QUESTION for point in points):
        points += [
            p for own in of_each[1 : min(answered, 3)] for p in own if p.kind <= Kind.QUESTION
        ]
    return Story(emails, tuple(points), _is_bulk(emails))


def _is_bulk(emails: Iterable[Email]) -> bool:
    return all(_is_automatic(email) or _looks_like_a_newsletter(email.content) for email in emails)


def _is_automatic(email: Email) -> bool:
    return bool(_AUTOMATIC.match(parseaddr(email.sender)[1].partition("@")[0]))


def _looks_like_a_newsletter(content: str) -> bool:
    """Headings in capitals, lines that are only an address, or a way to be left out of it."""
    if _NOTICE.search(content[:20_000]):
        return True
    lines = [line.strip() for line in content[:20_000].splitlines()]
    headings = sum(line.isupper() and len(line.split()) > 1 for line in lines)
    addresses = sum(line.startswith("http") and " " not in line for line in lines)
    return headings + addresses >= 3 and headings > 0
