"""Summarising: the tool that says what a set of mails asks, decides and tells, without a model."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

from tools.mail.listing import EmailList
from tools.mail.message import Email
from tools.moments import Clock


def _emails_of_json(given: object) -> object:
    """The list of emails in the JSON of a reading tool's result; anything else as it is."""
    if not isinstance(given, Mapping):
        return given
    if "emails" in given:
        return given["emails"]
    return [{name: given[name] for name in given if name != "thread"}, *given.get("thread", ())]


GivenEmails: TypeAlias = Annotated[
    EmailList | list[Email] | Email, BeforeValidator(_emails_of_json)
]
"""What reading tools give out, or the JSON of it."""


@dataclass(frozen=True)
class SummarizedEmail:
    """One of the emails that a summary is about."""

    sender: str
    subject: str
    date: datetime
    id: str


@dataclass(frozen=True)
class Summary:
    """What the emails say, in Markdown; each line of it is linked to its email."""

    summary: str
    email_count: int
    focus: str | None
    emails_summarized: tuple[SummarizedEmail, ...]

    def markdown(self) -> str:
        """The summary."""
        return self.summary


class Summaries:
    """Summarises mail by extraction: the same emails on the same day give the same summary."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def summarize_emails(self, emails_data: GivenEmails, focus: str | None = None) -> Summary:
        """Summarise emails.

        Use it after a tool that reads emails, with its whole result. Says first what the emails ask
        of the user and until when, then what was decided, what is worth knowing, and newsletters.

        Args:
            emails_data: The whole result of the step that read the emails, such as $step1.
            focus: What to look for: action items, deadlines, decisions, questions, amounts,
                meetings, a person's name, or any other words. Leave out for everything.
        """
        emails = _emails_in(emails_data)
        words = (focus or "").strip() or None
        text = await asyncio.to_thread(_summary, emails, words, self._clock())
        told = tuple(SummarizedEmail(e.sender, e.subject, e.date, e.id) for e in emails)
        return Summary(text, len(emails), words, told)


def _emails_in(given: EmailList | list[Email] | Email) -> tuple[Email, ...]:
    """The emails, each once."""
    if isinstance(given, Email):
        emails = [given, *getattr(given, "thread", ())]
    else:
        emails = list(given.emails if isinstance(given, EmailList) else given)
    return tuple({email.id: email for email in reversed(emails)}.values())[::-1]


def _summary(emails: tuple[Email, ...], focus: str | None, now: datetime) -> str:
    # Loads the stemmer, which most runs do not need.
    from tools.summaries.focus import Focus  # noqa: PLC0415
    from tools.summaries.layout import Layout  # noqa: PLC0415
    from tools.summaries.stories import stories_in  # noqa: PLC0415

    if not emails:
        return "There were no emails to summarise."
    readable = [email for email in emails if not email.problem or email.content]
    layout = Layout(
        stories=stories_in(readable),
        emails=emails,
        unreadable=tuple(email for email in emails if email.problem),
        focus=Focus.on(focus) if focus else None,
        now=now,
    )
    return layout.markdown()
