"""Finding: the newest newsletters of a mailbox."""

from dataclasses import dataclass
from datetime import datetime

from tools.mail.listing import unanswered
from tools.mail.mailbox import Mailbox
from tools.mail.message import Email
from tools.mail.query import Every, Query, Since, Term
from tools.newsletters.source import is_newsletter

MOST_LOOKED_AT = 500
_AT_FIRST = 50


@dataclass(frozen=True)
class Found:
    """Newsletters, newest first.

    `limit` is of what only the newest were looked at ("500 emails"), "" where that is all;
    `unanswered` says why some accounts gave none.
    """

    newsletters: tuple[Email, ...]
    limit: str
    unanswered: tuple[str, ...]


async def find_newsletters(
    mailbox: Mailbox, place: Term, since: datetime | None, count: int
) -> Found:
    """At most `count` newsletters of a place, no older than a moment.

    The emails are read a few at first, then more while too few newsletters are among them.

    Raises:
        ToolError: as the mailbox does.
    """
    query = Query(Every((place, Since(since))) if since else place)
    size = max(count, _AT_FIRST)
    while True:
        emails = await mailbox.search(query, size)
        newsletters = tuple(filter(is_newsletter, emails))
        if len(emails) < size and len(newsletters) <= count:
            return Found(newsletters, "", unanswered(emails))
        if len(newsletters) >= count:
            return Found(newsletters[:count], f"{count} newsletters", unanswered(emails))
        if size >= MOST_LOOKED_AT:
            return Found(newsletters, f"{len(emails)} emails", unanswered(emails))
        size = min(3 * size, MOST_LOOKED_AT)
