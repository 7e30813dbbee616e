"""The aggregator: the newest mail and the newest newsletters in short, for other programs."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from tools.mail.mailbox import Mailbox
from tools.mail.place_names import place_among, place_named
from tools.mail.query_syntax import parse_query
from tools.moments import Clock, shifted
from tools.newsletters.finding import find_newsletters
from tools.newsletters.item import MailItem
from tools.tool import ToolError

INBOX = "in:inbox"

Count = Annotated[int, Field(ge=1, le=100, strict=True)]
Seconds = Annotated[int, Field(ge=0, le=10**9, strict=True)]


@dataclass(frozen=True)
class Health:
    """Whether the mailbox answered, what was looked for, and one newsletter if it holds any."""

    ok: bool
    filter: str
    sample: MailItem | None


class Aggregator:
    """Lists mail in short over one mailbox (which may combine several accounts).

    Args:
        mailbox: where the mail is.
        clock: what the time limit is counted back from.
        seconds: the limit for those that name none; 0 for none.
    """

    def __init__(self, mailbox: Mailbox, clock: Clock, seconds: int = 0) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._seconds = seconds

    async def read_latest(self, query: str | None = None) -> MailItem:
        """Read the newest mail.

        Gives id, thread_id, internal_date_unix, from, subject, date and snippet of one mail.

        Args:
            query: Gmail search syntax; in:inbox if left out.
        """
        found = await self._mailbox.search(parse_query(query or INBOX, self._clock), 1)
        if not found:
            raise ToolError("no messages found")
        return MailItem.of(found[0])

    async def get(
        self, mailbox: str = "inbox", n_last: Count = 10, tsec_last: Seconds | None = None
    ) -> list[MailItem]:
        """List the newest newsletters.

        Gives a list of id, thread_id, internal_date_unix, from, subject, date and snippet, newest
        first.

        Args:
            mailbox: The folder or label to look into.
            n_last: How many newsletters, 1 to 100.
            tsec_last: How many seconds back; 0 for no limit, also where one is configured.
        """
        place = await place_named(self._mailbox, mailbox)
        seconds = self._seconds if tsec_last is None else tsec_last
        since = shifted(self._clock(), -timedelta(seconds=seconds)) if seconds else None
        found = await find_newsletters(self._mailbox, place, since, n_last)
        return [MailItem.of(email) for email in found.newsletters]

    async def healthcheck(self, mailbox: str = "inbox") -> Health:
        """Look whether newsletters can be listed.

        Gives ok, which says that the mailbox answered, filter, and sample: a newsletter, or null.

        Args:
            mailbox: The folder or label to look into.
        """
        wanted = f"in:{mailbox} newsletter"
        silent = Health(ok=False, filter=wanted, sample=None)
        try:
            folders = await self._mailbox.folders()
        except ToolError:
            return silent
        place = place_among(folders, mailbox)
        try:
            found = await find_newsletters(self._mailbox, place, None, 1)
        except ToolError:
            return silent
        sample = MailItem.of(found.newsletters[0]) if found.newsletters else None
        return Health(ok=True, filter=wanted, sample=sample)
