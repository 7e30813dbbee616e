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
    """An email that is ready to go out; its Message-ID and date are settled."""

    sender: Recipient
    to: tuple[Recipient, ...]
    subject: str
    body: str
    message_id: str
    date: datetime
    cc: tuple[Recipient, ...] = ()
    bcc: tuple[Recipient, ...] = ()
    attachments: tuple[OutgoingAttachment, ...] = ()
    answer: ReplyHeaders | None = None

    def message(self) -> EmailMessage:
        """The letter as it goes out; blocks while it reads what is attached.

        Raises:
            ToolError: an attachment is gone or has changed.
        """
        message = EmailMessage(policy=_policy())
        message["From"] = _address_header(self.sender)
        for field, people in (("To", self.to), ("Cc", self.cc), ("Bcc", self.bcc)):
            if people:
                message[field] = [_address_header(each) for each in people]
        message["Subject"] = self.subject
        message["Date"] = format_datetime(self.date)
        message["Message-ID"] = self.message_id
        if self.answer:
            message["In-Reply-To"] = self.answer.in_reply_to
            message["References"] = " ".join(self.answer.references)
        message.set_content(self.body)
        for enclosure in self.attachments:
            _attach(message, enclosure)
        return message


def new_message_id(address: str) -> str:
    """An id that no other message has, in the domain that the message comes from."""
    return f"<{uuid.uuid4().hex}@{address.rpartition('@')[2]}>"


def check_subject(subject: str) -> str:
    """The subject without blanks around it.

    Raises:
        ToolError: it has line breaks or hidden characters, or is too long for a header.
    """
    reject_hidden_characters("subject", subject)
    if len(subject) > 500:
        raise ToolError(f"The subject has {len(subject)} characters; at most 500 can be sent.")
    return subject.strip()


def plain_text_body(body: str) -> str:
    """The body as it can go out, as plain text.

    Only a text with references that this program alone can follow, or with links that it made
    inert, is Markdown of its own; any other is somebody's own words and goes out as it is.
    """
    text = strip_control_characters(body.replace("\r\n", "\n").replace("\r", "\n"))
    return strip_markup(text) if has_internal_links(text) or has_escaped_links(text) else text


class _MessageIdHeader(BaseHeader):
    """Message ids, one a line: the standard library would encode those too long for a line."""

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


def _attach(message: EmailMessage, enclosure: OutgoingAttachment) -> None:
    main, _, sub = enclosure.type.partition("/")
    message.add_attachment(enclosure.content(), maintype=main, subtype=sub, filename=enclosure.name)
