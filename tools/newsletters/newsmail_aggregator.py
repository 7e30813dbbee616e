"""Newsmail aggregator: previews of the newest mail and newsletters, for the bus."""

from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime
from typing import Annotated, Any

from pydantic import Field

from tools.mail.mailbox import Mailbox, find_folder, match_folder
from tools.mail.message.emails import Email
from tools.mail.search.query_syntax import parse_query
from tools.markdown.plain_text import escape_markdown
from tools.moments.clock import Clock, add_duration
from tools.newsletters.newsletter_search import find_newsletters
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class EmailPreview:
    """Preview of an email.

    `internal_date_unix` is in seconds, `date` in the form of mail headers (RFC 5322) and the zone
    of the email, `snippet` the beginning of the content on one line.
    """

    id: str
    thread_id: str
    internal_date_unix: int
    sender: str
    subject: str
    date: str
    snippet: str

    @classmethod
    def of(cls, email: Email) -> "EmailPreview":
        """Make the preview of an email."""
        return cls(
            email.id,
            email.thread_id,
            int(email.date.timestamp()),
            email.sender,
            email.subject,
            format_datetime(email.date),
            " ".join(email.content_preview.split()),
        )

    def wire(self) -> dict[str, Any]:
        """Return the fields of the public contract."""
        return {"from" if name == "sender" else name: value for name, value in vars(self).items()}

    def markdown(self) -> str:
        """Format an item of a Markdown list: sender, linked subject, date and snippet."""
        link = f"[{escape_markdown(self.subject) or '(no subject)'}](mail:{self.id})"
        heads = f"- **{escape_markdown(self.sender)}** · {link} · {self.date}"
        return f"{heads}  \n  {escape_markdown(self.snippet)}"


INBOX = "in:inbox"

PreviewCount = Annotated[int, Field(ge=1, le=100, strict=True)]
AgeLimit = Annotated[int, Field(ge=0, le=10**9, strict=True)]


@dataclass(frozen=True)
class AggregatorHealth:
    """Whether the mailbox answered, the filter, and a newsletter if there is one."""

    ok: bool
    filter: str
    sample: EmailPreview | None


class NewsmailAggregator:
    """Tools that list previews of the mail in one mailbox, which may combine several accounts.

    Args:
        mailbox: the mailbox.
        clock: the time from which the age limit is counted.
        seconds: the limit for those that name none; 0 for none.
    """

    def __init__(self, mailbox: Mailbox, clock: Clock, seconds: int = 0) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._seconds = seconds

    async def read_latest(self, query: str | None = None) -> EmailPreview:
        """Read the newest mail.

        Gives id, thread_id, internal_date_unix, from, subject, date and snippet of one mail.

        Args:
            query: Gmail search syntax; in:inbox if left out.
        """
        found = await self._mailbox.search(parse_query(query or INBOX, self._clock), 1)
        if not found:
            raise ToolError("no messages found")
        return EmailPreview.of(found[0])

    async def get(
        self, mailbox: str = "inbox", n_last: PreviewCount = 10, tsec_last: AgeLimit | None = None
    ) -> list[EmailPreview]:
        """List the newest newsletters.

        Gives a list of id, thread_id, internal_date_unix, from, subject, date and snippet, newest
        first.

        Args:
            mailbox: The folder or label to look into.
            n_last: How many newsletters, 1 to 100.
            tsec_last: How many seconds back; 0 for no limit, also where one is configured.
        """
        place = await find_folder(self._mailbox, mailbox)
        seconds = self._seconds if tsec_last is None else tsec_last
        since = add_duration(self._clock(), -timedelta(seconds=seconds)) if seconds else None
        found = await find_newsletters(self._mailbox, place, since, n_last)
        return [EmailPreview.of(email) for email in found.newsletters]

    async def healthcheck(self, mailbox: str = "inbox") -> AggregatorHealth:
        """Look whether newsletters can be listed.

        Gives ok (whether the mailbox answered), filter, and sample: a newsletter, or null.

        Args:
            mailbox: The folder or label to look into.
        """
        wanted = f"in:{mailbox} newsletter"
        failed = AggregatorHealth(ok=False, filter=wanted, sample=None)
        try:
            folders = await self._mailbox.folders()
        except ToolError:
            return failed
        place = match_folder(folders, mailbox)
        try:
            found = await find_newsletters(self._mailbox, place, None, 1)
        except ToolError:
            return failed
        sample = EmailPreview.of(found.newsletters[0]) if found.newsletters else None
        return AggregatorHealth(ok=True, filter=wanted, sample=sample)
