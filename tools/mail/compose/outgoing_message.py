"""Outgoing message: a checked email, ready to be sent or saved as a draft."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address, BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy, Policy
from email.utils import format_datetime
from typing import Any

from tools.mail.compose.outgoing_attachments import OutgoingAttachment
from tools.mail.compose.replies_and_forwards import ReplyHeaders
from tools.markdown.plain_text import (
    has_escaped_links,
    has_internal_links,
    strip_control_characters,
    strip_markup,
)
from tools.recipients import Recipient, reject_hidden_characters
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class OutgoingMessage:
    """An email that is ready to be sent; its Message-ID and date are fixed."""

    sender: Recipient
    to: tuple[Recipient, ...]
    subject: str
    body: str
    message_id: str
    date: datetime
    cc: tuple[Recipient, ...] = ()
    bcc: tuple[Recipient, ...] = ()
    attachments: tuple[OutgoingAttachment, ...] = ()
    reply_headers: ReplyHeaders | None = None

    def to_mime(self) -> EmailMessage:
        """Return the MIME message; blocks while it reads the attachments.

        Raises:
            ToolError: an attachment is missing or has changed.
        """
        message = EmailMessage(policy=_policy())
        message["From"] = _address_header(self.sender)
        for field, people in (("To", self.to), ("Cc", self.cc), ("Bcc", self.bcc)):
            if people:
                message[field] = [_address_header(each) for each in people]
        message["Subject"] = self.subject
        message["Date"] = format_datetime(self.date)
        message["Message-ID"] = self.message_id
        if self.reply_headers:
            message["In-Reply-To"] = self.reply_headers.in_reply_to
            message["References"] = " ".join(self.reply_headers.references)
        message.set_content(self.body)
        for attachment in self.attachments:
            _attach(message, attachment)
        return message


def new_message_id(address: str) -> str:
    """Return a unique Message-ID in the domain of the address."""
    return f"<{uuid.uuid4().hex}@{address.rpartition('@')[2]}>"


def check_subject(subject: str) -> str:
    """Return the subject without surrounding whitespace.

    Raises:
        ToolError: it has line breaks or hidden characters, or is too long for a header.
    """
    reject_hidden_characters("subject", subject)
    if len(subject) > 500:
        raise ToolError(f"The subject has {len(subject)} characters; at most 500 can be sent.")
    return subject.strip()


def plain_text_body(body: str) -> str:
    """Return the body as plain text.

    Only text with references that this program alone resolves, or with links that it defused, is
    Markdown of its own; any other text was written by the user and stays as it is.
    """
    text = strip_control_characters(body.replace("\r\n", "\n").replace("\r", "\n"))
    return strip_markup(text) if has_internal_links(text) or has_escaped_links(text) else text


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
