"""Newsletter search: classify emails as newsletters, find the newest, group them by source."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parseaddr

from tools.mail.mailbox import Mailbox
from tools.mail.message.emails import Email
from tools.mail.reading_results import account_errors
from tools.mail.search.query import And, Query, Since, Term
from tools.summaries.bulk_mail import has_newsletter_sender, is_mailing_list

_NOTICE_ADDRESS = re.compile(
    r"(?:.*[._+-])?(?:alerts?|notif\w*|mailer-daemon|postmaster|bounces?|billing|invoices?|orders?"
    r"|receipts?|security|accounts?)(?:[._+-].*)?",
    re.IGNORECASE,
)
_LIST_ID = re.compile(r"<([^<>]+)>\s*$")


@dataclass(frozen=True)
class NewsletterSource:
    """A newsletter by its name, with the issues that were found, newest first."""

    name: str
    emails: tuple[Email, ...]


def is_newsletter(email: Email) -> bool:
    """Whether a source sends it to all who read it.

    That tells a List-Id, a List-Unsubscribe or the sender's address; what people write to a list
    is none, nor are notices of what the reader did.
    """
    address = parseaddr(email.sender)[1].lower()
    if (
        is_mailing_list(email)
        or _is_sent_to_its_list(email)
        or _NOTICE_ADDRESS.fullmatch(_local_part(address))
    ):
        return False
    return bool(email.mailing_list) or has_newsletter_sender(email)


def group_by_source(emails: Iterable[Email]) -> tuple[NewsletterSource, ...]:
    """The sources of newsletters, the one with the newest issue first.

    Args:
        emails: newsletters, newest first.
    """
    issues: dict[str, list[Email]] = defaultdict(list)
    for email in emails:
        issues[_list_id(email) or parseaddr(email.sender)[1].lower()].append(email)
    return tuple(
        NewsletterSource(_source_name(of_one), tuple(of_one)) for of_one in issues.values()
    )


def _list_id(email: Email) -> str:
    found = _LIST_ID.search(email.mailing_list)
    return (found[1] if found else email.mailing_list).strip().lower()


def _source_name(emails: list[Email]) -> str:
    """What readers know a source by: the one sender, else what the list calls itself."""
    senders = {email.sender_name for email in emails}
    if len(senders) == 1:
        return senders.pop()
    called = _LIST_ID.sub("", emails[0].mailing_list).strip(' "')
    return called or _list_id(emails[0]) or emails[0].sender_name


def _is_sent_to_its_list(email: Email) -> bool:
    """Whether it was written to the address that its list has."""
    return any(parseaddr(one)[1].lower().replace("@", ".") == _list_id(email) for one in email.to)


def _local_part(address: str) -> str:
    return address.partition("@")[0]


MAX_SEARCHED = 500
_FIRST_BATCH = 50


@dataclass(frozen=True)
class FoundNewsletters:
    """Newsletters, newest first.

    `limit` is of what only the newest were looked at ("500 emails"), "" where that is all;
    `unanswered` says why some accounts gave none.
    """

    newsletters: tuple[Email, ...]
    limit: str
    unanswered: tuple[str, ...]


async def find_newsletters(
    mailbox: Mailbox, place: Term, since: datetime | None, count: int
) -> FoundNewsletters:
    """At most `count` newsletters of a place, no older than a moment.

    The emails are read a few at first, then more while too few newsletters are among them.

    Raises:
        ToolError: as the mailbox does.
    """
    query = Query(And((place, Since(since))) if since else place)
    size = max(count, _FIRST_BATCH)
    while True:
        emails = await mailbox.search(query, size)
        newsletters = tuple(filter(is_newsletter, emails))
        if len(emails) < size and len(newsletters) <= count:
            return FoundNewsletters(newsletters, "", account_errors(emails))
        if len(newsletters) >= count:
            return FoundNewsletters(
                newsletters[:count], f"{count} newsletters", account_errors(emails)
            )
        if size >= MAX_SEARCHED:
            return FoundNewsletters(newsletters, f"{len(emails)} emails", account_errors(emails))
        size = min(3 * size, MAX_SEARCHED)
