"""Summary tools: summarise emails."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BeforeValidator

from tools.mail.message.emails import Email
from tools.mail.reading_results import EmailList
from tools.moments.clock import Clock
from tools.proposal import StreamedResult
from tools.prose.source_material import unique_emails
from tools.prose.text_writer import TextWriter, stream_result

if TYPE_CHECKING:
    from tools.summaries.extractive_summary import ExtractiveSummary

_MAX_EMAILS = 1_000


def _emails_from_json(given: object) -> object:
    """Extract the list of emails from the JSON of a reading tool; return other values unchanged."""
    if isinstance(given, list) and len(given) > _MAX_EMAILS:  # to refuse each alone would take long
        raise ValueError(f"there are {len(given):,} of them; it takes {_MAX_EMAILS:,}")
    if not isinstance(given, Mapping):
        return given
    if "emails" in given:
        return _emails_from_json(given["emails"])
    return [{name: given[name] for name in given if name != "thread"}, *given.get("thread", ())]


GivenEmails: TypeAlias = Annotated[
    EmailList | list[Email] | Email, BeforeValidator(_emails_from_json)
]
"""Results of reading tools, or their JSON."""


_NO_FOCUS = {"", "all", "everything", "none"}


@dataclass(frozen=True)
class SummarizedEmail:
    """Email that is part of a summary."""

    sender: str
    subject: str
    date: datetime
    id: str


@dataclass(frozen=True)
class Summary:
    """Summary in Markdown; each line is linked to its email."""

    summary: str
    email_count: int
    focus: str | None
    emails_summarized: tuple[SummarizedEmail, ...]

    def markdown(self) -> str:
        """Return the summary."""
        return self.summary


class SummaryTools:
    """Tool that summarises emails, by a text writer if there is one, otherwise by extraction.

    By extraction the same emails on the same day give the same summary.
    """

    def __init__(self, clock: Clock, writer: TextWriter | None = None) -> None:
        self._clock = clock
        self._writer = writer

    async def summarize_emails(
        self, emails_data: GivenEmails, focus: str | None = None
    ) -> Summary | StreamedResult[Summary]:
        """Summarise emails.

        Use it after a tool that reads emails, with its whole result. Gives first the
        requests to the user with their deadlines, then decisions, other news, and newsletters.

        Args:
            emails_data: The whole result of the step that read the emails, such as $step1.
            focus: The subject to look for: action items, deadlines, decisions, questions, amounts,
                meetings, a person's name, or any other words. Leave out for everything.
        """
        emails = unique_emails(emails_data)
        words = _parse_focus(focus)
        summarized = tuple(SummarizedEmail(e.sender, e.subject, e.date, e.id) for e in emails)

        def summary(text: str) -> Summary:
            return Summary(text, len(emails), words, summarized)

        if not emails:
            return summary("There were no emails to summarise.")
        extractive = await asyncio.to_thread(_summarize, emails, words, self._clock())
        if self._writer is None or not extractive.topics:
            return summary(await asyncio.to_thread(extractive.markdown))
        from tools.summaries.generated_summary import GeneratedSummary  # noqa: PLC0415 — as below

        generated = GeneratedSummary(extractive, words or "", self._writer)
        return stream_result(generated.pieces(), summary)


def _parse_focus(focus: str | None) -> str | None:
    """Normalise the focus; words for everything are none."""
    words = (focus or "").strip()
    return None if words.casefold() in _NO_FOCUS else words


def _summarize(emails: tuple[Email, ...], focus: str | None, now: datetime) -> "ExtractiveSummary":
    # Loads the stemmer, which most runs do not need.
    from tools.summaries.extractive_summary import ExtractiveSummary  # noqa: PLC0415
    from tools.summaries.focus import Focus  # noqa: PLC0415
    from tools.summaries.topics import group_topics  # noqa: PLC0415

    readable = [email for email in emails if email.is_readable]
    return ExtractiveSummary(
        topics=group_topics(readable),
        emails=emails,
        unreadable=tuple(email for email in emails if email.problem),
        focus=Focus.on(focus) if focus else None,
        now=now,
    )
