"""Send or save: the approval of an sender message, and its result as sent or saved."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tools.mail.compose.outgoing_message import OutgoingMessage
from tools.mail.senders import MailSender
from tools.markdown.plain_text import escape_markdown
from tools.proposal import Choice, Proposal, ProposalField, Sink
from tools.text_links import display_link, find_links
from tools.tool_errors import ToolError, UnknownOutcomeError

if TYPE_CHECKING:
    from email.message import EmailMessage

T = TypeVar("T")


@dataclass(frozen=True)
class SentEmail:
    """An email that was sent; `note` is further information for the user."""

    to: tuple[str, ...]
    subject: str
    note: str = ""

    def __str__(self) -> str:
        """Return the sentence of the public contract."""
        return f'Email successfully sent to {", ".join(self.to)} with subject "{self.subject}".'

    def wire(self) -> str:
        """Return the sentence of the public contract."""
        return str(self)

    def markdown(self) -> str:
        """Return the sentence with the note."""
        sentence = f"Email successfully sent to {escape_markdown(', '.join(self.to))} with subject "
        return f'{sentence}"{escape_markdown(self.subject)}". {self.note}'.strip()


@dataclass(frozen=True)
class SavedDraft:
    """An email that was saved and not sent; `place` says where."""

    to: tuple[str, ...]
    subject: str
    place: str

    def __str__(self) -> str:
        """Return the result in a sentence."""
        to = ", ".join(self.to)
        return f'Saved as a draft in {self.place}, not sent: "{self.subject}" to {to}.'

    def markdown(self) -> str:
        """Return the result in a sentence."""
        return escape_markdown(str(self))


DeliveryResult = Proposal[SentEmail] | Choice[SentEmail] | Proposal[SavedDraft] | Choice[SavedDraft]
"""The approval of an outgoing message, to be sent or saved as a draft."""


@dataclass(frozen=True)
class DeliveryOption:
    """An outgoing message with one account it can be sent from.

    `thread_id` is the thread of that account the message belongs to, "" for a new one; `context`
    holds further fields of the approval.
    """

    sender: MailSender
    message: OutgoingMessage
    thread_id: str = ""
    context: tuple[ProposalField, ...] = ()

    async def send(self) -> SentEmail:
        """Send the message.

        Raises:
            ToolError: it was not sent; names the recipients and the reason.
            UnknownOutcomeError: it may have been sent.
        """
        to = _addresses(self.message)
        try:
            mime = await asyncio.to_thread(_write_mime, self.message)
            note = await self.sender.send(mime, self.thread_id)
        except UnknownOutcomeError:
            raise
        except ToolError as error:
            text = f"Failed to send email to {', '.join(to)}. Error: {error}"
            raise ToolError(text, error.remedy) from error
        return SentEmail(to, self.message.subject, note)

    async def save(self) -> SavedDraft:
        """Save the message as a draft."""
        mime = await asyncio.to_thread(_write_mime, self.message)
        place = await self.sender.save_draft(mime, self.thread_id)
        return SavedDraft(_addresses(self.message), self.message.subject, place)

    def sending_proposal(self) -> Proposal[SentEmail]:
        """Return the proposal to send the message.

        Raises:
            ToolError: there is no recipient.
        """
        if not self.message.to:
            raise ToolError("'to' is empty; name a recipient.")
        return Proposal("Send this email", "Send", self._fields(), self.message.body, self.send)

    def saving_proposal(self) -> Proposal[SavedDraft]:
        """Return the proposal to save a draft; text that stays on this computer is routine."""
        is_routine = not (self.sender.drafts_online or self.message.attachments)
        return Proposal(
            "Save this email as a draft",
            "Save draft",
            self._fields(),
            self.message.body,
            self.save,
            "if_exposed" if is_routine else "always",
        )

    @property
    def name(self) -> str:
        """Label of this option in a choice of accounts."""
        return " · ".join(filter(None, (self.sender.account, self.sender.address)))

    def _fields(self) -> tuple[ProposalField, ...]:
        account = self.sender.account
        address = str(self.message.sender)
        shown = address if account in {"", self.sender.address} else f"{address} · {account}"
        return (ProposalField("From", (shown,)), *_message_fields(self.message), *self.context)


async def propose_sending(
    options: Sequence[DeliveryOption],
) -> Proposal[SentEmail] | Choice[SentEmail]:
    """Propose to send the message, with a choice of accounts if there are several.

    Raises:
        ToolError: the only account needs attention first.
    """
    if len(options) == 1:
        await options[0].sender.ensure_ready()
    return _one_or_choice([(each.name, each.sending_proposal()) for each in options])


async def send_or_save(options: Sequence[DeliveryOption], *, send: bool) -> DeliveryResult:
    """Propose to send the message, or to save it as a draft.

    Raises:
        ToolError: the only account needs attention first.
    """
    if send:
        return await propose_sending(options)
    if len(options) == 1 and options[0].sender.drafts_online:
        await options[0].sender.ensure_ready()
    return _one_or_choice([(each.name, each.saving_proposal()) for each in options])


def _one_or_choice(options: Sequence[tuple[str, Proposal[T]]]) -> Proposal[T] | Choice[T]:
    return options[0][1] if len(options) == 1 else Choice("From which account?", tuple(options))


def _write_mime(message: OutgoingMessage) -> "EmailMessage":
    from tools.mail.compose.mime_message import write_mime  # noqa: PLC0415 — slow to import

    return write_mime(message)


def _addresses(message: OutgoingMessage) -> tuple[str, ...]:
    return tuple(each.address for each in message.to)


def _message_fields(message: OutgoingMessage) -> Iterator[ProposalField]:
    for label, people in (("To", message.to), ("Cc", message.cc), ("Bcc", message.bcc)):
        if people:
            yield ProposalField(label, _texts(people), Sink.RECIPIENT)
    yield ProposalField("Subject", (message.subject,))
    if message.attachments:
        yield ProposalField("Attachments", _texts(message.attachments), Sink.ATTACHMENT)
    if links := find_links(message.subject, message.body):
        yield ProposalField("Links", tuple(map(display_link, links)), Sink.LINK)


def _texts(values: Sequence[object]) -> tuple[str, ...]:
    return tuple(map(str, values))
