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
_OPEN_EMAILS = 3  # emails of a conversation, the newest included
_MAX_SENTENCES = 2
_MAX_CHARACTERS = 260
_FEW_WORDS = 5


@dataclass(frozen=True)
class EmailTopic:
    """Emails of one conversation, newest first, with their relevant sentences."""

    emails: tuple[Email, ...]
    sentences: tuple[RankedSentence, ...]
    is_mailing_list: bool
    is_newsletter: bool
    is_automatic: bool

    @property
    def is_bulk(self) -> bool:
        """Whether it is not personal mail to the reader."""
        return self.is_mailing_list or self.is_newsletter or self.is_automatic

    @property
    def newest(self) -> Email:
        """Newest email."""
        return self.emails[0]

    @property
    def subject(self) -> str:
        """Subject without "Re:" and other prefixes."""
        return REPLY_PREFIXES.sub("", self.newest.subject).strip()

    @property
    def kind(self) -> SentenceKind:
        """Most important kind of its sentences."""
        return min((each.kind for each in self.sentences), default=SentenceKind.FACT)

    @property
    def needs_action(self) -> bool:
        """Whether it has a request or a question to the reader."""
        return not (self.is_bulk or self.is_calendar_notice) and self.kind <= SentenceKind.QUESTION

    @property
    def is_calendar_notice(self) -> bool:
        """Whether a calendar sent it, such as an invitation."""
        return bool(_CALENDAR_SUBJECT.match(self.newest.subject))


def group_topics(emails: Sequence[Email]) -> tuple[EmailTopic, ...]:
    """Group emails by conversation, the most recent first."""
    people = Participants.in_emails(emails)
    threads: dict[str, list[Email]] = defaultdict(list)
    for email in sorted(emails, key=lambda each: (each.date, each.id), reverse=True):
        threads[email.thread_id or email.id].append(email)
    return tuple(_topic(tuple(thread), people) for thread in threads.values())


def _topic(emails: tuple[Email, ...], people: Participants) -> EmailTopic:
    newest, *older = ranked = [rank_sentences(email, people) for email in emails]
    sentences = [
        *newest,
        *(each for some in older for each in some if each.kind > SentenceKind.QUESTION),
    ]
    if not any(each.kind <= SentenceKind.QUESTION for each in newest):
        sentences += _open_questions(emails, ranked, people)
    to_lists = all(is_mailing_list(email) for email in emails)
    return EmailTopic(
        emails,
        tuple(sentences),
        is_mailing_list=to_lists,
        is_newsletter=not to_lists and all(_is_newsletter(email) for email in emails),
        is_automatic=all(is_automatic(email) for email in emails),
    )


def _open_questions(
    emails: Sequence[Email], ranked: Sequence[Sequence[RankedSentence]], people: Participants
) -> Iterator[RankedSentence]:
    """Find requests and questions of the previous emails that the reader has not answered."""
    for email, sentences in list(zip(emails, ranked, strict=True))[:_OPEN_EMAILS]:
        if people.wrote(email):
            return
        if email is not emails[0]:
            yield from (each for each in sentences if each.kind <= SentenceKind.QUESTION)


def _is_newsletter(email: Email) -> bool:
    """Detect a newsletter by its sender, an unsubscribe link, or headings and links."""
    content = email.content[:20_000]
    if has_newsletter_sender(email):
        return True
    if not is_automatic(email) and _UNSUBSCRIBE.search(content):
        return True
    lines = [line.strip() for line in content.splitlines()]
    headings = sum(line.isupper() and len(line.split()) > 1 for line in lines)
    addresses = sum(line.startswith("http") and " " not in line for line in lines)
    return headings > 0 and headings + addresses >= 3


def urgency(topic: EmailTopic) -> tuple[bool, SentenceKind, float]:
    """Return a sort key: topics with deadlines first, then by kind, then the newest."""
    has_deadline = any(each.features.deadline for each in select_requests(topic))
    return not has_deadline, topic.kind, -topic.newest.date.timestamp()


def select_requests(topic: EmailTopic) -> list[RankedSentence]:
    """Select requests, those with a deadline first; to a single one without date, add a date."""
    requests = [each for each in topic.sentences if each.kind <= SentenceKind.QUESTION]
    requests.sort(key=lambda each: (not each.features.deadline, each.kind, -each.weight))
    chosen = select_short(requests)
    if len(chosen) > 1 or any(map(_has_date, chosen)):
        return chosen
    dated = [s for s in topic.sentences if s.email is chosen[0].email and _has_date(s)]
    dated.sort(key=lambda each: (not each.features.deadline, -each.weight))
    return _in_topic_order(select_short([*chosen, *dated]), topic)


def select_decisions(topic: EmailTopic) -> list[RankedSentence]:
    """Select the decisions."""
    return select_short(each for each in topic.sentences if each.kind == SentenceKind.DECISION)


def select_key_sentences(topic: EmailTopic) -> list[RankedSentence]:
    """Select the main sentences of the newest email; of a calendar notice, its date."""
    sentences = [each for each in topic.sentences if each.email is topic.newest]
    sentences = sentences or list(topic.sentences)
    if topic.is_calendar_notice:
        return [each for each in sentences if each.features.dates][:1]
    new = [each for each in sentences if each.text.lower() not in topic.subject.lower()]
    return _in_topic_order(select_short(sorted(new, key=_score, reverse=True)), topic)


def select_short(sentences: Iterable[RankedSentence]) -> list[RankedSentence]:
    """Select the first sentences that fit on a line, without repetition."""
    chosen: list[RankedSentence] = []
    for sentence in sentences:
        length = sum(len(each.text) for each in chosen) + len(sentence.text)
        repeated = any(_overlaps(sentence, each) for each in chosen)
        if not repeated and (not chosen or length <= _MAX_CHARACTERS):
            chosen.append(sentence)
        if len(chosen) == _MAX_SENTENCES:
            break
    return chosen


def _has_date(sentence: RankedSentence) -> bool:
    return bool(sentence.features.dates or sentence.features.deadline)


def _overlaps(one: RankedSentence, other: RankedSentence) -> bool:
    return one.text in other.text or other.text in one.text


def _score(sentence: RankedSentence) -> float:
    features = sentence.features
    is_dated = any(not is_relative(date) for date in features.dates)
    facts = 0.4 * is_dated + 0.3 * bool(features.amounts) + 0.5 * bool(features.deadline)
    is_whole = sentence.text.endswith((".", "!", "?", "…", '"', "”", ")"))
    is_short = len(sentence.text.split()) < _FEW_WORDS
    return sentence.weight + facts - 0.5 * (not is_whole) - 0.8 * is_short


def _in_topic_order(sentences: list[RankedSentence], topic: EmailTopic) -> list[RankedSentence]:
    return sorted(sentences, key=topic.sentences.index)
