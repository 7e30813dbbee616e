"""The toolbox: all tools of a workspace, each imported when it is first used."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.runs.reply import reply_to_user
from tools.moments.clock import Clock
from tools.proposal import Sink
from tools.tool import Effect, Tool

if TYPE_CHECKING:
    from assistant.accounts.providers import Providers
    from tools.calendar.event_editing_tools import EventEditingTools
    from tools.calendar.scheduling_tools import SchedulingTools
    from tools.documents.document_folder import DocumentFolder
    from tools.newsletters.newsletter_tools import NewsletterTools
    from tools.newsletters.newsmail_aggregator import NewsmailAggregator
    from tools.prose.text_writer import TextWriter
    from tools.prose.writing_tools import WritingTools
    from tools.summaries.summary_tools import SummaryTools

_TEXT_SINKS = dict.fromkeys(("subject", "body"), Sink.LINK)
_RECIPIENT_SINKS = dict.fromkeys(("to", "cc", "bcc"), Sink.RECIPIENT)
_EVENT_SINKS = dict.fromkeys(("summary", "description", "location"), Sink.LINK)


@dataclass(frozen=True)
class Toolbox:
    """Creates the tools of a workspace.

    Without `writer` there are no tools to write text. Tools that send are not offered if sending
    is not set up; called by name, they say which setting is missing. `user_name` is the user's
    signature, "" if unknown. `newsletter_seconds` limits how far back the newsletters for other
    programs reach by default.
    """

    clock: Clock
    providers: "Providers"
    documents: Path
    writer: "TextWriter | None" = None
    user_name: str = ""
    newsletter_seconds: int | None = None

    def tools(self) -> Mapping[str, Tool]:
        """Return the tools by name."""
        tools = (
            Tool("reply_to_user", "reply", lambda: reply_to_user),
            *self._mail_reading(),
            *self._mail_sending(),
            *self._mail_organizing(),
            *self._newsletters(),
            *self._calendar(),
            *self._documents(),
        )
        return {tool.name: tool for tool in tools}

    def _mail_reading(self) -> Iterator[Tool]:
        for name in (
            "read_latest_emails",
            "read_emails_by_sender",
            "read_emails_by_time",
            "search_emails",
            "read_email",
            "find_contact",
        ):
            yield _lazy_tool(name, lambda: self.providers.reading, group="mail")
        yield _lazy_tool("summarize_emails", self._load_summaries, group="mail")

    def _mail_sending(self) -> Iterator[Tool]:
        tool = partial(
            _lazy_tool,
            load=lambda: self.providers.sending,
            group="mail",
            effect=Effect.ACT,
            offered=self.providers.can_send,
        )
        yield tool(
            "compose_email",
            sinks={**_RECIPIENT_SINKS, **_TEXT_SINKS, "attachments": Sink.ATTACHMENT},
        )
        yield tool(
            "reply_to_email",
            sinks={"id": Sink.RECIPIENT, "reply_body": Sink.LINK},
            one_of=(
                ("original_sender", "original_subject"),
                ("original_sender",),
                ("original_subject",),
                ("id",),
            ),
        )
        yield tool(
            "forward_email",
            sinks={"id": Sink.TARGET, "to": Sink.RECIPIENT, "note": Sink.LINK},
        )
        yield tool(
            "sendEmail", sinks={"to": Sink.RECIPIENT, **_TEXT_SINKS}, aliases=("send_email",)
        )

    def _mail_organizing(self) -> Iterator[Tool]:
        if self.providers.can_organize:
            for name in ("archive_emails", "mark_emails", "delete_emails"):
                yield _lazy_tool(
                    name,
                    lambda: self.providers.organizing,
                    group="mail",
                    effect=Effect.ACT,
                    sinks={"ids": Sink.TARGET},
                )

    def _newsletters(self) -> Iterator[Tool]:
        """The digest, and tools that other programs call by names of their own."""
        yield _lazy_tool("news_digest", self._load_newsletters, group="mail")
        load, hidden = self._load_aggregator, "newsmail_aggregator"
        yield _lazy_tool("read_latest", load, group="gmail", offered=False)
        yield _lazy_tool("get", load, group=hidden, offered=False)
        yield _lazy_tool("healthcheck", load, group=hidden, offered=False)

    def _calendar(self) -> Iterator[Tool]:
        yield _lazy_tool("list_calendar_events", self._load_scheduling, group="calendar")
        yield _lazy_tool(
            "create_calendar_event",
            self._load_scheduling,
            group="calendar",
            effect=Effect.ACT,
            sinks={"attendees": Sink.ATTENDEE, **_EVENT_SINKS},
        )
        yield _lazy_tool(
            "update_calendar_event",
            self._load_event_editing,
            group="calendar",
            effect=Effect.ACT,
            sinks={"id": Sink.TARGET, "attendees": Sink.ATTENDEE, **_EVENT_SINKS},
        )
        yield _lazy_tool(
            "delete_calendar_event",
            self._load_event_editing,
            group="calendar",
            effect=Effect.ACT,
            sinks={"id": Sink.TARGET},
        )

    def _documents(self) -> Iterator[Tool]:
        if self.writer is not None:
            yield _lazy_tool("write_text", partial(self._load_writing, self.writer), "documents")
        yield _lazy_tool(
            "create_document",
            self._load_document_folder,
            group="documents",
            effect=Effect.CREATE,
            sinks={"output_path": Sink.FILE},
            aliases=("create_pages_doc",),
        )

    def _load_summaries(self) -> "SummaryTools":
        from tools.summaries.summary_tools import SummaryTools

        return SummaryTools(self.clock, self.writer)

    def _load_newsletters(self) -> "NewsletterTools":
        from tools.newsletters.newsletter_tools import NewsletterTools

        return NewsletterTools(self.providers.mailbox, self.clock, self.writer)

    def _load_aggregator(self) -> "NewsmailAggregator":
        from tools.newsletters.newsmail_aggregator import NewsmailAggregator

        seconds = self.newsletter_seconds or 0
        return NewsmailAggregator(self.providers.mailbox, self.clock, seconds)

    def _load_scheduling(self) -> "SchedulingTools":
        from tools.calendar.scheduling_tools import SchedulingTools

        return SchedulingTools(self.providers.calendar, self.clock)

    def _load_event_editing(self) -> "EventEditingTools":
        from tools.calendar.event_editing_tools import EventEditingTools

        return EventEditingTools(self.providers.calendar, self.clock)

    def _load_writing(self, writer: "TextWriter") -> "WritingTools":
        from tools.prose.writing_tools import WritingTools

        return WritingTools(writer, self.clock, self.user_name)

    def _load_document_folder(self) -> "DocumentFolder":
        from tools.documents.document_folder import DocumentFolder

        return DocumentFolder(self.documents, self.clock)


def _lazy_tool(
    name: str,
    load: Callable[[], object],
    group: str,
    *,
    effect: Effect = Effect.READ,
    sinks: Mapping[str, Sink] | None = None,
    aliases: tuple[str, ...] = (),
    one_of: tuple[tuple[str, ...], ...] = (),
    offered: bool = True,
) -> Tool:
    """A tool that is the method `name` of the object that `load` gives."""
    method: Callable[[object], Any] = attrgetter(name)
    return Tool(name, group, lambda: method(load()), effect, sinks or {}, aliases, one_of, offered)
