"""Stories: the conversations in a set of mails, each with what it asks, decides and tells."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.utils import parseaddr

from tools.mail.message import Email
from tools.summaries.clues import Kind
from tools.summaries.people import People
from tools.summaries.phrases import finder
from tools.summaries.points import Point, points_of

_AUTOMATIC = re.compile(
    r"(?:.*[._+-])?(?:(?:do-?)?no[t._-]?reply|alerts?|notif\w*|mailer-daemon|postmaster|bounces?"
    r"|updates?|billing|loans|automated)(?:[._+-].*)?",
    re.IGNORECASE,
)
_NEWSY = re.compile(
    r"(?:.*[._+-])?(?:news\w*|digest|editors?|letter|marketing|promo\w*|offers?|deals)(?:[._+-].*)?",
    re.IGNORECASE,
)
_WAY_OUT = finder("ways_out")
_LIST_ADDRESS = re.compile(
    r".*-(?:list|talk|users|devel|dev|announce|discuss|l)@.*|.*@(?:lists?|groups|mailman)\..*"
    r"|.*@(?:yahoogroups|googlegroups)\..*",
    re.IGNORECASE,
)
_TAG = re.compile(r"^\[(?P<tag>[\w-]{2,20})\]")
_CALENDAR = re.compile(
    r"^(?:invitation|updated invitation|accepted|declined|tentative|cancell?ed|einladung|zugesagt"
    r"|abgesagt|annul[ée]|accept[ée])\b[^:]{0,30}:",
    re.IGNORECASE,
)
_STILL_OPEN = 3  # mails of a conversation, the newest included
_ANSWER_MARKS = re.compile(r"^(?:(?:re|aw|wg|fwd?|tr|sv|antw)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)


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
        return _ANSWER_MARKS.sub("", self.newest.subject).strip()

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
    is_of_a_list = all(_is_of_a_list(email) for email in emails)
    return Story(
        emails,
        tuple(points),
        is_of_a_list=is_of_a_list,
        is_newsletter=not is_of_a_list and all(_is_newsletter(email) for email in emails),
        is_automatic=all(_is_automatic(email) for email in emails),
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


def _is_of_a_list(email: Email) -> bool:
    """Whether it went to mailing lists alone, by the address or a tag that names it."""
    addresses = [parseaddr(one)[1].lower() for one in email.to]
    tag = _TAG.match(_ANSWER_MARKS.sub("", email.subject).strip())
    return bool(addresses) and all(
        _LIST_ADDRESS.fullmatch(one) or (tag and one.startswith(tag["tag"].lower()))
        for one in addresses
    )


def _is_automatic(email: Email) -> bool:
    return bool(_AUTOMATIC.fullmatch(_mailbox_name(email)))


def _is_newsletter(email: Email) -> bool:
    """Whether it has a newsletter's sender, a way to leave the list, or its headings and links."""
    content = email.content[:20_000]
    if _NEWSY.fullmatch(_mailbox_name(email)):
        return True
    if not _is_automatic(email) and _WAY_OUT.search(content):
        return True
    lines = [line.strip() for line in content.splitlines()]
    headings = sum(line.isupper() and len(line.split()) > 1 for line in lines)
    addresses = sum(line.startswith("http") and " " not in line for line in lines)
    return headings > 0 and headings + addresses >= 3


def _mailbox_name(email: Email) -> str:
    return parseaddr(email.sender)[1].partition("@")[0]
