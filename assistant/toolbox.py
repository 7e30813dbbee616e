"""The toolbox: all tools of a workspace."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.runs.reply import reply_to_user
from tools.calendar.combined_calendar import CombinedCalendar
from tools.calendar.event_editing_tools import EventEditingTools
from tools.calendar.scheduling_tools import SchedulingTools
from tools.documents.document_folder import DocumentFolder
from tools.mail.mail_organizing import MailOrganizing
from tools.mail.mail_reading import MailReading
from tools.mail.mail_sending import MailSending
from tools.moments.clock import Clock
from tools.newsletters.newsletter_tools import NewsletterTools
from tools.newsletters.newsmail_aggregator import NewsmailAggregator
from tools.proposal import Sink
from tools.prose.text_writer import TextWriter
from tools.prose.writing_tools import WritingTools
from tools.summaries.summary_tools import SummaryTools
from tools.tool import Effect, Tool

_TEXT_SINKS = dict.fromkeys(("subject", "body"), Sink.LINK)
_RECIPIENT_SINKS = dict.fromkeys(("to", "cc", "bcc"), Sink.RECIPIENT)
_EVENT_SINKS = dict.fromkeys(("summary", "description", "location"), Sink.LINK)


@dataclass(frozen=True)
class Toolbox:
    """Creates the tools of a workspace.

    Without `organizing` there are no tools to organize mail, without `writer` none to write text.
    Tools that send are not offered if sending is not set up; called by name, they say which
    setting is missing. `name` is the user's signature, "" if unknown. `newsletter_seconds` limits
    how far back the newsletters for other programs reach by default.
    """

    clock: Clock
    reading: MailReading
    sending: MailSending
    calendar: CombinedCalendar
    documents: Path
    writer: TextWriter | None = None
    name: str = ""
    organizing: MailOrganizing | None = None
    newsletter_seconds: int | None = None

    def tools(self) -> Mapping[str, Tool]:
        """Return the tools by name."""
        tools = (
            Tool.of(reply_to_user, group="reply"),
            *self._reading(),
            *self._sending(),
            *self._organizing(),
            *self._newsletters(),
            *self._calendar(),
            *self._writing(),
        )
        return {tool.name: tool for tool in tools}

    def _reading(self) -> Iterator[Tool]:
        reading = self.reading
        yield Tool.of(reading.read_latest_emails, group="mail")
        yield Tool.of(reading.read_emails_by_sender, group="mail")
        yield Tool.of(reading.read_emails_by_time, group="mail")
        yield Tool.of(reading.search_emails, group="mail")
        yield Tool.of(reading.read_email, group="mail")
        yield Tool.of(reading.find_contact, group="mail")
        yield Tool.of(SummaryTools(self.clock, self.writer).summarize_emails, group="mail")

    def _sending(self) -> Iterator[Tool]:
        sending, offered = self.sending, self.sending.is_available
        yield Tool.of(
            sending.compose_email,
            group="mail",
            effect=Effect.ACT,
            offered=offered,
            sinks={**_RECIPIENT_SINKS, **_TEXT_SINKS, "attachments": Sink.ATTACHMENT},
        )
        yield Tool.of(
            sending.reply_to_email,
            group="mail",
            effect=Effect.ACT,
            offered=offered,
            sinks={"id": Sink.RECIPIENT, "reply_body": Sink.LINK},
            one_of=(
                ("original_sender", "original_subject"),
                ("original_sender",),
                ("original_subject",),
                ("id",),
            ),
        )
        yield Tool.of(
            sending.forward_email,
            group="mail",
            effect=Effect.ACT,
            offered=offered,
            sinks={"id": Sink.TARGET, "to": Sink.RECIPIENT, "note": Sink.LINK},
        )
        yield Tool.of(
            sending.sendEmail,
            group="mail",
            effect=Effect.ACT,
            offered=offered,
            sinks={"to": Sink.RECIPIENT, **_TEXT_SINKS},
            aliases=("send_email",),
        )

    def _organizing(self) -> Iterator[Tool]:
        if self.organizing is None:
            return
        tools = self.organizing
        for call in (tools.archive_emails, tools.mark_emails, tools.delete_emails):
            yield Tool.of(call, group="mail", effect=Effect.ACT, sinks={"ids": Sink.TARGET})

    def _newsletters(self) -> Iterator[Tool]:
        """Yield the digest, and the tools with fixed names for other programs."""
        mailbox = self.reading.mailbox
        digesting = NewsletterTools(mailbox, self.clock, self.writer)
        yield Tool.of(digesting.news_digest, group="mail")
        news = NewsmailAggregator(mailbox, self.clock, self.newsletter_seconds or 0)
        yield Tool.of(news.read_latest, group="gmail", offered=False)
        yield Tool.of(news.get, group="newsmail_aggregator", offered=False)
        yield Tool.of(news.healthcheck, group="newsmail_aggregator", offered=False)

    def _calendar(self) -> Iterator[Tool]:
        scheduling = SchedulingTools(self.calendar, self.clock)
        yield Tool.of(scheduling.list_calendar_events, group="calendar")
        yield Tool.of(
            scheduling.create_calendar_event,
            group="calendar",
            effect=Effect.ACT,
            sinks={"attendees": Sink.ATTENDEE, **_EVENT_SINKS},
        )
        changing = EventEditingTools(self.calendar, self.clock)
        yield Tool.of(
            changing.update_calendar_event,
            group="calendar",
            effect=Effect.ACT,
            sinks={"id": Sink.TARGET, "attendees": Sink.ATTENDEE, **_EVENT_SINKS},
        )
        yield Tool.of(
            changing.delete_calendar_event,
            group="calendar",
            effect=Effect.ACT,
            sinks={"id": Sink.TARGET},
        )

    def _writing(self) -> Iterator[Tool]:
        if self.writer is not None:
            prose = WritingTools(self.writer, self.clock, self.name)
            yield Tool.of(prose.write_text, group="documents")
        writing = DocumentFolder(self.documents, self.clock)
        yield Tool.of(
            writing.create_document,
            group="documents",
            effect=Effect.CREATE,
            sinks={"output_path": Sink.FILE},
            aliases=("create_pages_doc",),
        )
