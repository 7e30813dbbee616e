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
from tools.summaries.bulk_mail import has_newsletter_sender, is_mailing_list, sender_local_part

_NOTICE_ADDRESS = re.compile(
    r"(?:.*[._+-])?(?:alerts?|notif\w*|mailer-daemon|postmaster|bounces?|billing|invoices?|orders?"
    r"|receipts?|security|accounts?)(?:[._+-].*)?",
    re.IGNORECASE,
)
_LIST_ID = re.compile(r"<([^<>]+)>\s*$")


@dataclass(frozen=True)
class NewsletterSource:
    """Newsletter with the issues that were found, newest first."""

    name: str
    emails: tuple[Email, ...]


def is_newsletter(email: Email) -> bool:
    """Detect a newsletter by List-Id, List-Unsubscribe or the address of its sender.

    Mail to a mailing list is not a newsletter, nor are transactional notices.
    """
    if is_mailing_list(email) or _is_sent_to_its_list(email):
        return False
    if _NOTICE_ADDRESS.fullmatch(sender_local_part(email)):
        return False
    return bool(email.mailing_list) or has_newsletter_sender(email)


def group_by_source(emails: Iterable[Email]) -> tuple[NewsletterSource, ...]:
    """Group newsletters by source, the one with the newest issue first.

    Args:
        emails: newsletters, newest first.
    """
    issues: dict[str, list[Email]] = defaultdict(list)
    for email in emails:
        issues[_list_id(email) or parseaddr(email.sender)[1].lower()].append(email)
    return tuple(NewsletterSource(_source_name(some), tuple(some)) for some in issues.values())


def _list_id(email: Email) -> str:
    found = _LIST_ID.search(email.mailing_list)
    return (found[1] if found else email.mailing_list).strip().lower()


def _source_name(emails: list[Email]) -> str:
    """Return the only sender, otherwise the name of the list."""
    senders = {email.sender_name for email in emails}
    if len(senders) == 1:
        return senders.pop()
    list_name = _LIST_ID.sub("", emails[0].mailing_list).strip(' "')
    return list_name or _list_id(emails[0]) or emails[0].sender_name


def _is_sent_to_its_list(email: Email) -> bool:
    """Whether it was sent to the address of its list, as members do."""
    return any(parseaddr(one)[1].lower().replace("@", ".") == _list_id(email) for one in email.to)


MAX_SEARCHED = 500
_FIRST_BATCH = 50


@dataclass(frozen=True)
class FoundNewsletters:
    """Newsletters, newest first.

    `limit` is the number of the newest emails or newsletters that were considered ("500 emails"),
    "" for all; `account_errors` has a sentence for each account that failed.
    """

    newsletters: tuple[Email, ...]
    limit: str
    account_errors: tuple[str, ...]


async def find_newsletters(
    mailbox: Mailbox, folder: Term, since: datetime | None, count: int
) -> FoundNewsletters:
    """Find at most `count` newsletters of a folder, no older than `since`.

    Emails are read in growing batches until there are enough newsletters among them.

    Raises:
        ToolError: the mailbox cannot be read.
    """
    query = Query(And((folder, Since(since))) if since else folder)
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
