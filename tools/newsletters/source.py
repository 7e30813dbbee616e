"""A source: who sends a newsletter, and which emails are newsletters at all."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parseaddr

from tools.mail.message import Email
from tools.summaries.bulk import has_newsy_sender, is_of_a_list

_NOTICE = re.compile(
    r"(?:.*[._+-])?(?:alerts?|notif\w*|mailer-daemon|postmaster|bounces?|billing|invoices?|orders?"
    r"|receipts?|security|accounts?)(?:[._+-].*)?",
    re.IGNORECASE,
)
_LIST_ID = re.compile(r"<([^<>]+)>\s*$")


@dataclass(frozen=True)
class Source:
    """A newsletter by its name, with the issues that were found, newest first."""

    name: str
    emails: tuple[Email, ...]


def is_newsletter(email: Email) -> bool:
    """Whether a source sends it to all who read it.

    That tells a List-Id, a List-Unsubscribe or the sender's address; what people write to a list
    is none, nor are notices of what the reader did.
    """
    address = parseaddr(email.sender)[1].lower()
    if is_of_a_list(email) or _went_to_its_list(email) or _NOTICE.fullmatch(_name_in(address)):
        return False
    return bool(email.mailing_list) or has_newsy_sender(email)


def sources_of(emails: Iterable[Email]) -> tuple[Source, ...]:
    """The sources of newsletters, the one with the newest issue first.

    Args:
        emails: newsletters, newest first.
    """
    issues: dict[str, list[Email]] = defaultdict(list)
    for email in emails:
        issues[_list_id(email) or parseaddr(email.sender)[1].lower()].append(email)
    return tuple(Source(_name(of_one), tuple(of_one)) for of_one in issues.values())


def _list_id(email: Email) -> str:
    found = _LIST_ID.search(email.mailing_list)
    return (found[1] if found else email.mailing_list).strip().lower()


def _name(emails: list[Email]) -> str:
    """What readers know a source by: the one sender, else what the list calls itself."""
    senders = {email.sender_name for email in emails}
    if len(senders) == 1:
        return senders.pop()
    called = _LIST_ID.sub("", emails[0].mailing_list).strip(' "')
    return called or _list_id(emails[0]) or emails[0].sender_name


def _went_to_its_list(email: Email) -> bool:
    """Whether it was written to the address that its list has."""
    return any(parseaddr(one)[1].lower().replace("@", ".") == _list_id(email) for one in email.to)


def _name_in(address: str) -> str:
    return address.partition("@")[0]
