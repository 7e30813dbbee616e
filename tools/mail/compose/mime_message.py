"""MIME message: an outgoing message written with the standard library's email package."""

from email.headerregistry import Address, BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy, Policy
from email.utils import format_datetime
from typing import Any

from tools.mail.compose.outgoing_attachments import OutgoingAttachment
from tools.mail.compose.outgoing_message import OutgoingMessage
from tools.recipients import Recipient


def write_mime(message: OutgoingMessage) -> EmailMessage:
    """Return the MIME message; blocks while it reads the attachments.

    Raises:
        ToolError: an attachment is missing or has changed.
    """
    mime = EmailMessage(policy=_policy())
    mime["From"] = _address_header(message.sender)
    for field, people in (("To", message.to), ("Cc", message.cc), ("Bcc", message.bcc)):
        if people:
            mime[field] = [_address_header(each) for each in people]
    mime["Subject"] = message.subject
    mime["Date"] = format_datetime(message.date)
    mime["Message-ID"] = message.message_id
    if message.reply_headers:
        mime["In-Reply-To"] = message.reply_headers.in_reply_to
        mime["References"] = " ".join(message.reply_headers.references)
    mime.set_content(message.body)
    for attachment in message.attachments:
        _attach(mime, attachment)
    return mime


class _MessageIdHeader(BaseHeader):
    """A header of message ids, one per line; the standard library would encode long ids."""

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        kwds["parse_tree"], kwds["decoded"] = None, value

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {f'{policy.linesep} '.join(self.split())}{policy.linesep}"


def _policy() -> "EmailPolicy[EmailMessage]":
    headers = HeaderRegistry()
    for name in ("references", "in-reply-to"):
        headers.map_to_type(name, _MessageIdHeader)
    return SMTP.clone(header_factory=headers)


def _address_header(recipient: Recipient) -> Address:
    return Address(recipient.name, addr_spec=recipient.address)


def _attach(message: EmailMessage, attachment: OutgoingAttachment) -> None:
    main, _, sub = attachment.type.partition("/")
    message.add_attachment(
        attachment.content(), maintype=main, subtype=sub, filename=attachment.name
    )
