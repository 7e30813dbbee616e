"""A mail filter: which mail a request means, as a reading step and in words."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from assistant.planners.phrases.intent import PlanBuilder
from assistant.planners.phrases.lexicon import SEARCH_OPERATORS, SEARCH_STOP_WORDS
from assistant.planners.phrases.time_slots import count_in_words, moment_in_words, range_in_words
from assistant.planners.phrases.value_slots import Topic

MAX_EMAILS = 50  # the limit of the reading tools
LIMIT_NOTE = f"; {MAX_EMAILS} is the most I read at once"
_PLAIN_OPERAND = r"[\w@][\w@.+&'-]*"


class MailFilter(NamedTuple):
    """Criteria for emails; all of them are optional."""

    mails: bool = False
    plural: bool | None = None  # True for "emails", False for "email", None for neither
    limit: int | None = None
    newest: bool = False
    everything: bool = False
    sender: str = ""
    recipient: str = ""
    folder: str = ""
    label: str = ""
    mailing_list: str = ""
    topic: Topic | None = None
    subject: Topic | None = None
    unread: bool = False
    starred: bool = False
    attached: bool = False
    file_type: str = ""
    hours: int = 0
    minutes: int = 0
    days: int = 0
    weeks: int = 0
    months: int = 0
    weekday: str = ""
    date: str = ""
    since: str = ""
    until: str = ""

    @property
    def is_consistent(self) -> bool:
        """Whether it names one time range at most."""
        lengths = (self.hours, self.minutes, self.days, self.weeks, self.months)
        ranges = [*lengths, self.weekday, self.date, self.since or self.until]
        return len([each for each in ranges if each]) <= 1

    @property
    def is_one(self) -> bool:
        """Whether it means a single email: "the latest email from Sarah"."""
        return self.plural is False and self.newest and self.limit is None and not self.everything

    @property
    def has_time(self) -> bool:
        """Whether it names a time range."""
        return bool(self._time())

    @property
    def exceeds_limit(self) -> bool:
        """Whether it asks for more emails than a tool returns at once."""
        return self.limit is not None and self.limit > MAX_EMAILS

    def add_step(self, plan: PlanBuilder) -> str:
        """Add the step that reads these emails; the next step depends on finding any."""
        found = self._read_step(plan)
        plan.unless_empty(f"{found}.emails")
        return found

    def _read_step(self, plan: PlanBuilder) -> str:
        terms, count = self._terms(), self._count()
        if not terms or terms == ["in:inbox"]:
            return plan.step("read_latest_emails", count=count)
        if len(terms) == 1 and self.sender:
            return plan.step("read_emails_by_sender", sender=self.sender, count=count)
        is_recent = bool(self.hours or self.minutes) and terms == ["in:inbox", *self._time()]
        if is_recent and count in {None, MAX_EMAILS}:
            hours, minutes = self.hours or None, self.minutes or None
            return plan.step("read_emails_by_time", hours=hours, minutes=minutes)
        is_a_set = self.has_time or self.unread or self.starred
        if count is None and is_a_set and not self.newest:
            count = MAX_EMAILS
        return plan.step("search_emails", query=" ".join(terms), count=count)

    def _count(self) -> int | None:
        if self.is_one:
            return 1
        if self.limit is not None:
            return min(self.limit, MAX_EMAILS)
        return MAX_EMAILS if self.everything else None

    def _terms(self) -> list[str]:
        """Return the search terms in Gmail's syntax; a time range alone means the inbox."""
        terms = [*self._conditions()]
        is_time_only = self._time() and set(terms) <= {*self._time(), "is:unread"}
        return ["in:inbox", *terms] if is_time_only else terms

    def _conditions(self) -> Iterator[str]:
        operators = {"from": self.sender, "to": self.recipient, "in": self.folder}
        operators |= {"label": self.label, "list": self.mailing_list}
        for operator, value in operators.items():
            if value:
                yield f"{operator}:{_quoted(value)}"
        if self.subject:
            yield f"subject:{_quoted(_without_article(self.subject))}"
        states = {"is:unread": self.unread, "is:starred": self.starred}
        states |= {"has:attachment": self.attached}
        yield from (term for term, wanted in states.items() if wanted)
        if self.file_type:
            yield f"filename:{self.file_type}"
        yield from self._time()
        if self.topic:
            yield from _topic_terms(self.topic)

    def _time(self) -> tuple[str, ...]:
        if self.minutes:  # an "m" after newer_than is a month
            return (f'after:"{count_in_words(self.minutes, "minute")} ago"',)
        if self.hours:
            return (f"newer_than:{self.hours}h",)
        if self.days or self.weeks:
            return (f"newer_than:{self.days or 7 * self.weeks}d",)
        if self.months:
            return (f"newer_than:{self.months}m",)
        if self.weekday or self.date:
            day = f"last {self.weekday}" if self.weekday else self.date
            return (f"after:{_quoted(day)}", f'before:"end of {day}"')
        bounds = {"after": self.since, "before": self.until}
        return tuple(f"{operator}:{_quoted(at)}" for operator, at in bounds.items() if at)

    def in_words(self) -> str:
        """Describe the emails as a reply does: "the unread mail from Sarah"."""
        states = {"latest": self.newest, "unread": self.unread, "starred": self.starred}
        noun = " ".join([*(state for state, holds in states.items() if holds), "mail"])
        whose = "the" if any(self._qualifiers()) else "your"
        return " ".join([whose, noun, *self._qualifiers()])

    def _qualifiers(self) -> Iterator[str]:
        for word, value in {"from": self.sender, "to": self.recipient}.items():
            if value:
                yield f"{word} {value}"
        if self.folder not in {"", "inbox"}:
            yield f"in {self.folder.capitalize()}"
        if self.label or self.mailing_list:
            yield f"labelled {self.label}" if self.label else f"on the list {self.mailing_list}"
        if self.attached or self.file_type:
            yield " ".join(filter(None, ["with", self.file_type, "attachments"]))
        if self.subject:
            yield f"with “{_without_article(self.subject)}” in the subject"
        if self.topic:
            yield f"about “{_without_article(self.topic)}”"
        if time := self._time_in_words():
            yield time

    def _time_in_words(self) -> str:
        for unit in ("hour", "minute", "day", "week", "month"):
            number = getattr(self, f"{unit}s")
            if number:
                return f"from the past {unit if number == 1 else count_in_words(number, unit)}"
        if self.weekday or self.date:
            return f"from {moment_in_words(self.weekday or self.date)}"
        if not self.since:
            return f"before {moment_in_words(self.until)}" if self.until else ""
        time_range = range_in_words(self.since, self.until)
        return time_range if time_range.startswith("since") else f"from {time_range}"


def _without_article(topic: Topic) -> str:
    words = topic.text.split()
    is_article = len(words) > 1 and words[0].casefold() in {"a", "an", "the", "my", "our"}
    return " ".join(words[is_article and not topic.exact :])


def _topic_terms(topic: Topic) -> Iterator[str]:
    if topic.exact:
        yield f'"{_one_line(topic.text)}"'
        return
    for word in topic.text.replace("\u2019", "'").split():
        if word.casefold() not in SEARCH_STOP_WORDS:
            plain = word.removesuffix("'s")
            yield f'"{plain}"' if plain.casefold() in SEARCH_OPERATORS else _quoted(plain)


def _quoted(value: str) -> str:
    """Return the value as one operand, quoted unless it is a plain word."""
    return value if re.fullmatch(_PLAIN_OPERAND, value) else f'"{_one_line(value)}"'


def _one_line(text: str) -> str:
    return " ".join(text.replace('"', " ").split())
