"""Mail reading: the tools that list, search and read email."""

from datetime import timedelta
from typing import Annotated

from annotated_types import Ge, Le, MinLen

from tools.mail.mailbox import Mailbox, find_folder
from tools.mail.message.emails import EmailWithThread
from tools.mail.reading_results import (
    ContactList,
    EmailsBySender,
    EmailsByTime,
    FoundEmails,
    LatestEmails,
    account_errors,
)
from tools.mail.search.query import And, Contains, Query, Since, TextField
from tools.moments.clock import Clock, add_duration

MAX_BY_TIME = 500
MAX_CONTACTS = 20

Count = Annotated[int, Ge(1), Le(50)]
Amount = Annotated[int, Ge(1), Le(1_000_000)]


class MailReading:
    """The reading tools over one mailbox (which may combine several accounts)."""

    def __init__(self, mailbox: Mailbox, clock: Clock) -> None:
        self.mailbox = mailbox
        self._clock = clock

    async def read_latest_emails(self, count: Count = 10, mailbox: str = "INBOX") -> LatestEmails:
        """Read the latest emails.

        Use it for the newest emails of a mailbox, from any sender. Gives emails, count and
        mailbox; newest first.

        Args:
            count: How many emails, 1 to 50.
            mailbox: The folder or label to read, such as INBOX, Sent or Archive.
        """
        folder = await find_folder(self.mailbox, mailbox)
        emails = await self.mailbox.search(Query(folder), count)
        return LatestEmails(tuple(emails), len(emails), folder.name, errors=account_errors(emails))

    async def read_emails_by_sender(
        self, sender: Annotated[str, MinLen(1)], count: Count = 10
    ) -> EmailsBySender:
        """Read emails from one sender.

        Use it for the newest emails that a person or company sent. Gives emails, count and
        sender; newest first.

        Args:
            sender: Part of the sender's name or address, in any case, such as Sarah or @acme.com.
            count: How many emails, 1 to 50.
        """
        query = Query(Contains(sender.strip(), TextField.FROM))
        emails = await self.mailbox.search(query, count)
        return EmailsBySender(tuple(emails), len(emails), sender, errors=account_errors(emails))

    async def read_emails_by_time(
        self,
        hours: Amount | None = None,
        minutes: Amount | None = None,
        mailbox: str = "INBOX",
    ) -> EmailsByTime:
        """Read the emails of the past hours or minutes.

        Use it for everything that came in a stretch of time that ends now; without hours and
        minutes it is the past 24 hours. Gives emails, count, time_range and mailbox.

        Args:
            hours: How many hours back.
            minutes: How many minutes back; added to the hours where both are given.
            mailbox: The folder or label to read, such as INBOX, Sent or Archive.
        """
        if hours is None and minutes is None:
            hours = 24
        folder = await find_folder(self.mailbox, mailbox)
        span = timedelta(hours=hours or 0, minutes=minutes or 0)
        query = Query(And((folder, Since(add_duration(self._clock(), -span)))))
        emails = await self.mailbox.search(query, MAX_BY_TIME)
        time_range = _format_time_range(hours, minutes)
        return EmailsByTime(
            tuple(emails),
            len(emails),
            time_range,
            folder.name,
            errors=account_errors(emails),
        )

    async def search_emails(self, query: str, count: Count = 10) -> FoundEmails:
        """Search emails.

        Use it to find emails by words, people, dates or marks. Gives emails, count and query;
        newest first.

        Args:
            query: Gmail search syntax: words, "phrases", from: to: subject: after:2026/11/20
                before: newer_than:2d is:unread has:attachment filename: label: in: list:, joined
                by OR, - and brackets.
            count: How many emails, 1 to 50.
        """
        from tools.mail.search.query_syntax import parse_query  # noqa: PLC0415 — only to search

        emails = await self.mailbox.search(parse_query(query, self._clock), count)
        return FoundEmails(tuple(emails), len(emails), query, errors=account_errors(emails))

    async def read_email(self, id: str) -> EmailWithThread:
        """Read one email with its conversation.

        Use it when the id of an email is known. Gives the email's own fields, its attachments,
        and the emails of its thread, oldest first.

        Args:
            id: The email's id, as another reading tool gave it.
        """
        email = await self.mailbox.read(id.strip().removeprefix("mail:"))
        account = "" if email.account == self.mailbox.account else email.account  # one of several
        return EmailWithThread.of(email, await self.mailbox.thread(email.thread_id), account)

    async def find_contact(self, name: Annotated[str, MinLen(1)]) -> ContactList:
        """Find a person's address.

        Use it when a person is known by name only. Gives contacts with name, address and source,
        the likeliest first, and count.

        Args:
            name: Part of the person's name or address.
        """
        found = await self.mailbox.contacts(name.strip(), MAX_CONTACTS)
        return ContactList(tuple(found), len(found), name)


def _format_time_range(hours: int | None, minutes: int | None) -> str:
    amounts = ((hours, "hour"), (minutes, "minute"))
    return " ".join(f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in amounts if n is not None)
