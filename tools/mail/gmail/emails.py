"""Emails: messages of Gmail in the form that every mailbox gives out."""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from tools.mail.dates import from_seconds
from tools.mail.gmail.payload import GmailMessage, Unfetched
from tools.mail.message import Email, preview


def emails(
    found: Sequence[GmailMessage | Unfetched], account: str, zone: tzinfo | None
) -> list[Email]:
    """The emails in their order; one that could not be had stands beside its neighbours.

    Args:
        found: what there is of them.
        account: the name of the account that they are of.
        zone: in which dates are shown.
    """
    made: list[Email] = []
    moment = next((each.received for each in found if isinstance(each, GmailMessage)), 0)
    for each in found:
        if isinstance(each, Unfetched):
            made.append(_unfetched(each, account, _date(moment, zone)))
            continue
        moment = each.received
        made.append(_email(each, account, _date(moment, zone)))
    return made


def _date(milliseconds: int, zone: tzinfo | None) -> datetime:
    return from_seconds(milliseconds / 1000).astimezone(zone)


def _email(message: GmailMessage, account: str, date: datetime) -> Email:
    parsed = message.parsed
    content = parsed.content
    return Email(
        id=message.id,
        thread_id=message.thread_id,
        account=account,
        sender=str(parsed.sender),
        to=tuple(map(str, parsed.people("to"))),
        subject=parsed.subject,
        date=date,
        content=content,
        content_preview=preview(content),
        unread="UNREAD" in message.labels,
        attachments=parsed.attachments,
        problem=parsed.problem,
        mailing_list=parsed.mailing_list,
    )


def _unfetched(message: Unfetched, account: str, date: datetime) -> Email:
    return Email(
        id=message.id,
        thread_id=message.thread_id,
        account=account,
        sender="",
        to=(),
        subject="",
        date=date,
        content="",
        content_preview="",
        unread=False,
        attachments=(),
        problem=message.problem,
    )
