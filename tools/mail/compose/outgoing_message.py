"""Outgoing message: a checked email, ready to be sent or saved as a draft."""

import uuid
from dataclasses import dataclass
from datetime import datetime

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
