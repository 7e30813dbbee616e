"""Topics: the conversations in a set of emails, and the sentences that represent each."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tools.mail.message.emails import Email
from tools.summaries.bulk_mail import (
    REPLY_PREFIXES,
    has_newsletter_sender,
    is_automatic,
    is_mailing_list,
)
from tools.summaries.sentence_features import SentenceKind, is_relative
from tools.summaries.sentence_ranking import Participants, RankedSentence, rank_sentences
from tools.summaries.vocabulary import phrase_pattern

_UNSUBSCRIBE = phrase_pattern("ways_out")
_CALENDAR_SUBJECT = re.compile(
    r"^(?:invitation|updated invitation|accepted|declined|tentative|cancell?ed|einladung|zugesagt"
    r"|abgesagt|annul[ée]|accept[ée])\b[^:]{0,30}:",
    re.IGNORECASE,
)
_OPEN_EMAILS = 3  # mails of a conversation, the newest included


@dataclass(frozen=True)
class Topic:
    """The mails of one conversation, newest first, and their points in order of worth."""

    emails: tuple[Email, ...]
    points: tuple[RankedSentence, ...]
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
        return REPLY_PREFIXES.sub("", self.newest.subject).strip()

    @property
    def kind(self) -> SentenceKind:
        """The most pressing thing in it."""
        return min((point.kind for point in self.points), default=SentenceKind.FACT)

    @property
    def is_pressing(self) -> bool:
        """Whether it wants something of the reader."""
        return not (self.is_bulk or self.is_about_an_event) and self.kind <= SentenceKind.QUESTION

    @property
    def is_about_an_event(self) -> bool:
        """Whether it is a calendar's own mail."""
        return bool(_CALENDAR_SUBJECT.match(self.newest.subject))


def group_topics(emails: Sequence[Email]) -> tuple[Topic, ...]:
    """The conversations, the most recent first."""
    people = Participants.in_emails(emails)
    threads: dict[str, list[Email]] = defaultdict(list)
    for email in sorted(emails, key=lambda one: (one.date, one.id), reverse=True):
        threads[email.thread_id or email.id].append(email)
    return tuple(_topic(tuple(thread), people) for thread in threads.values())


def _topic(emails: tuple[Email, ...], people: Participants) -> Topic:
    of_each = [rank_sentences(email, people) for email in emails]
    points = [
        *of_each[0],
        *(p for own in of_each[1:] for p in own if p.kind > SentenceKind.QUESTION),
    ]
    if not any(point.kind <= SentenceKind.QUESTION for point in of_each[0]):
        points += _open_questions(emails, of_each, people)
    went_to_lists = all(is_mailing_list(email) for email in emails)
    return Topic(
        emails,
        tuple(points),
        is_of_a_list=went_to_lists,
        is_newsletter=not went_to_lists and all(_is_newsletter(email) for email in emails),
        is_automatic=all(is_automatic(email) for email in emails),
    )


def _open_questions(
    emails: Sequence[Email], of_each: Sequence[Sequence[RankedSentence]], people: Participants
) -> Iterator[RankedSentence]:
    """What the last mails but one asked, unless the reader has written since."""
    for email, points in list(zip(emails, of_each, strict=True))[:_OPEN_EMAILS]:
        if people.wrote(email):
            return
        if email is not emails[0]:
            yield from (point for point in points if point.kind <= SentenceKind.QUESTION)


def _is_newsletter(email: Email) -> bool:
    """Whether it has a newsletter's sender, a way to leave the list, or its headings and links."""
    content = email.content[:20_000]
    if has_newsletter_sender(email):
        return True
    if not is_automatic(email) and _UNSUBSCRIBE.search(content):
        return True
    lines = [line.strip() for line in content.splitlines()]
    headings = sum(line.isupper() and len(line.split()) > 1 for line in lines)
    addresses = sum(line.startswith("http") and " " not in line for line in lines)
    return headings > 0 and headings + addresses >= 3


_MAX_SENTENCES = 2
_MAX_CHARACTERS = 260
_FEW_WORDS = 5


def urgency(story: Topic) -> tuple[bool, SentenceKind, float]:
    """How soon a conversation wants the reader: deadlines first, then requests, then the newest."""
    some_deadline = any(point.clues.deadline for point in select_requests(story))
    return not some_deadline, story.kind, -story.newest.date.timestamp()


def select_requests(story: Topic) -> list[RankedSentence]:
    """What is asked of the reader, those with a deadline first; a lone request with its day."""
    open_points = [point for point in story.points if point.kind <= SentenceKind.QUESTION]
    open_points.sort(key=lambda point: (not point.clues.deadline, point.kind, -point.weight))
    chosen = select_short(open_points)
    if len(chosen) > 1 or any(point.clues.dates or point.clues.deadline for point in chosen):
        return chosen
    same = [point for point in story.points if point.email is chosen[0].email]
    days = [point for point in same if point.clues.dates or point.clues.deadline]
    days.sort(key=lambda point: (not point.clues.deadline, -point.weight))
    return _in_topic_order(select_short([*chosen, *days]), story)


def select_decisions(story: Topic) -> list[RankedSentence]:
    """What was decided."""
    return select_short(point for point in story.points if point.kind == SentenceKind.DECISION)


def select_key_sentences(story: Topic) -> list[RankedSentence]:
    """What says most of the newest mail; of an event, when it is."""
    points = [point for point in story.points if point.email is story.newest] or list(story.points)
    if story.is_about_an_event:
        return [point for point in points if point.clues.dates][:1]
    fresh = [point for point in points if point.sentence.lower() not in story.subject.lower()]
    return _in_topic_order(select_short(sorted(fresh, key=_score, reverse=True)), story)


def select_short(points: Iterable[RankedSentence]) -> list[RankedSentence]:
    """The first points, as many as fit on a line, none said inside another."""
    chosen: list[RankedSentence] = []
    for point in points:
        length = sum(len(one.sentence) for one in chosen) + len(point.sentence)
        repeated = any(_overlaps(point, one) for one in chosen)
        if not repeated and (not chosen or length <= _MAX_CHARACTERS):
            chosen.append(point)
        if len(chosen) == _MAX_SENTENCES:
            break
    return chosen


def _overlaps(one: RankedSentence, other: RankedSentence) -> bool:
    return one.sentence in other.sentence or other.sentence in one.sentence


def _score(point: RankedSentence) -> float:
    clues = point.clues
    is_dated = any(not is_relative(date) for date in clues.dates)
    facts = 0.4 * is_dated + 0.3 * bool(clues.amounts) + 0.5 * bool(clues.deadline)
    is_whole = point.sentence.endswith((".", "!", "?", "…", '"', "”", ")"))
    is_short = len(point.sentence.split()) < _FEW_WORDS
    return point.weight + facts - 0.5 * (not is_whole) - 0.8 * is_short


def _in_topic_order(points: list[RankedSentence], story: Topic) -> list[RankedSentence]:
    return sorted(points, key=story.points.index)
