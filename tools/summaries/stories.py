"""Stories: the conversations in a set of mails, each with what it asks, decides and tells."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.mail.message import Email
from tools.summaries.bulk import ANSWER_MARKS, has_newsy_sender, is_automatic, is_of_a_list
from tools.summaries.clues import Kind
from tools.summaries.people import People
from tools.summaries.phrases import finder
from tools.summaries.points import Point, points_of

_WAY_OUT = finder("ways_out")
_CALENDAR = re.compile(
    r"^(?:invitation|updated invitation|accepted|declined|tentative|cancell?ed|einladung|zugesagt"
    r"|abgesagt|annul[ée]|accept[ée])\b[^:]{0,30}:",
    re.IGNORECASE,
)
_STILL_OPEN = 3  # mails of a conversation, the newest included


@dataclass(frozen=True)
class Story:
    """The mails of one conversation, newest first, and their points in order of worth."""

    emails: tuple[Email, ...]
    points: tuple[Point, ...]
    is_of_a_list: bool
    is_newsletter: bool
    is_automatic: bool

    @property
    def is_bulk(self) -> bool:
        """Whether nobody wrote it to this reader."""
        return self.is_of_a_list or self.is_newsletter or self.is_automatic

    @property
    def newest(self) -> Email:
        """The mail that came last."""
        return self.emails[0]

    @property
    def subject(self) -> str:
        """What it is about, without Re: and the like."""
        return ANSWER_MARKS.sub("", self.newest.subject).strip()

    @property
    def kind(self) -> Kind:
        """The most pressing thing in it."""
        return min((point.kind for point in self.points), default=Kind.FACT)

    @property
    def is_pressing(self) -> bool:
        """Whether it wants something of the reader."""
        return not (self.is_bulk or self.is_about_an_event) and self.kind <= Kind.QUESTION

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
    points = [*of_each[0], *(p for own in of_each[1:] for p in own if p.kind > Kind.QUESTION)]
    if not any(point.kind <= Kind.QUESTION for point in of_each[0]):
        points += _still_open(emails, of_each, people)
    went_to_lists = all(is_of_a_list(email) for email in emails)
    return Story(
        emails,
        tuple(points),
        is_of_a_list=went_to_lists,
        is_newsletter=not went_to_lists and all(_is_newsletter(email) for email in emails),
        is_automatic=all(is_automatic(email) for email in emails),
    )


def _still_open(
    emails: Sequence[Email], of_each: Sequence[Sequence[Point]], people: People
) -> Iterator[Point]:
    """What the last mails but one asked, unless the reader has written since."""
    for email, points in list(zip(emails, of_each, strict=True))[:_STILL_OPEN]:
        if people.wrote(email):
            return
        if email is not emails[0]:
            yield from (point for point in points if point.kind <= Kind.QUESTION)


def _is_newsletter(email: Email) -> bool:
    """Whether it has a newsletter's sender, a way to leave the list, or its headings and links."""
    content = email.content[:20_000]
    if has_newsy_sender(email):
        return True
    if not is_automatic(email) and _WAY_OUT.search(content):
        return True
    lines = [line.strip() for line in content.splitlines()]
    headings = sum(line.isupper() and len(line.split()) > 1 for line in lines)
    addresses = sum(line.startswith("http") and " " not in line for line in lines)
    return headings > 0 and headings + addresses >= 3
