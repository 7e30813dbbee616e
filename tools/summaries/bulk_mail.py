"""Bulk mail: detect mailing lists, automatic mail and newsletters by their addresses."""

import re
from email.utils import parseaddr

from tools.mail.message.emails import Email

REPLY_PREFIXES = re.compile(r"^(?:(?:re|aw|wg|fwd?|tr|sv|antw)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)

_AUTOMATIC_ADDRESS = re.compile(
    r"(?:.*[._+-])?(?:(?:do-?)?no[t._-]?reply|alerts?|notif\w*|mailer-daemon|postmaster|bounces?"
    r"|updates?|billing|loans|automated)(?:[._+-].*)?",
    re.IGNORECASE,
)
_NEWSLETTER_ADDRESS = re.compile(
    r"(?:.*[._+-])?(?:news\w*|digest|editors?|letter|marketing|promo\w*|offers?|deals)(?:[._+-].*)?",
    re.IGNORECASE,
)
_LIST_ADDRESS = re.compile(
    r".*-(?:list|talk|users|devel|dev|announce|discuss|l)@.*|.*@(?:lists?|groups|mailman)\..*"
    r"|.*@(?:yahoogroups|googlegroups)\..*",
    re.IGNORECASE,
)
_TAG = re.compile(r"^\[(?P<tag>[\w-]{2,20})\]")


def is_mailing_list(email: Email) -> bool:
    """Whether all recipients are mailing lists, by their addresses or the tag in the subject."""
    addresses = [parseaddr(one)[1].lower() for one in email.to]
    tag = _TAG.match(REPLY_PREFIXES.sub("", email.subject).strip())
    return bool(addresses) and all(
        _LIST_ADDRESS.fullmatch(one) or (tag and one.startswith(tag["tag"].lower()))
        for one in addresses
    )


def is_automatic(email: Email) -> bool:
    """Whether a program sent it, by the local part of its address."""
    return bool(_AUTOMATIC_ADDRESS.fullmatch(sender_local_part(email)))


def has_newsletter_sender(email: Email) -> bool:
    """Whether the local part of its address is typical of newsletters."""
    return bool(_NEWSLETTER_ADDRESS.fullmatch(sender_local_part(email)))


def sender_local_part(email: Email) -> str:
    """Return the part of the sender's address before the @."""
    return parseaddr(email.sender)[1].partition("@")[0]
