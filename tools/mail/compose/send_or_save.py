"""Send or save: the approval of an outgoing message, and its result as sent or saved."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tools.mail.compose.outgoing_message import OutgoingMessage
from tools.mail.senders import MailSender
from tools.markdown.plain_text import escape_markdown
from tools.proposal import Choice, Proposal, ProposalField, Sink
from tools.text_links import display_link, find_links
from tools.tool_errors import ToolError, UnknownOutcomeError


@dataclass(frozen=True)
class SentEmail:
    """An email that went out; `note` is what else the user should know about that."""

    to: tuple[str, ...]
    subject: str
    note: str = ""

    def __str__(self) -> str:
        """The sentence of the public contract."""
        return f'Email successfully sent to {", ".join(self.to)} with subject "{self.subject}".'

    def wire(self) -> str:
        """The sentence of the public contract."""
        return str(self)

    def markdown(self) -> str:
        """The sentence, and what else the user should know."""
        said = f"Email successfully sent to {escape_markdown(', '.join(self.to))} with subject "
        return f'{said}"{escape_markdown(self.subject)}". {self.note}'.strip()


@dataclass(frozen=True)
class SavedDraft:
    """An email that was kept and not sent; `place` says where."""

    to: tuple[str, ...]
    subject: str
    place: str

    def __str__(self) -> str:
        """What happened, in a sentence."""
        to = ", ".join(self.to)
        return f'Saved as a draft in {self.place}, not sent: "{self.subject}" to {to}.'

    def markdown(self) -> str:
        """What happened, in a sentence."""
        return escape_markdown(str(self))


T = TypeVar("T")
DeliveryResult = Proposal[SentEmail] | Choice[SentEmail] | Proposal[SavedDraft] | Choice[SavedDraft]
"""What becomes of a letter that is sent or kept."""


@dataclass(frozen=True)
class DeliveryOption:
    """`thread_id` is the thread of that account which the letter belongs to, "" for none.

    `context` is what is shown beside the letter.
    """

    outgoing: MailSender
    letter: OutgoingMessage
    thread_id: str = ""
    context: tuple[ProposalField, ...] = ()

    async def send(self) -> SentEmail:
        """Let it go.

        Raises:
            ToolError: it did not go out; to whom it should have, and why not.
            UnsettledError: it may have.
        """
        to = _addresses(self.letter)
        try:
            message = await asyncio.to_thread(self.letter.message)
            note = await self.outgoing.send(message, self.thread_id)
        except UnknownOutcomeError:
            raise
        except ToolError as error:
            words = f"Failed to send email to {', '.join(to)}. Error: {error}"
            raise ToolError(words, error.remedy) from error
        return SentEmail(to, self.letter.subject, note)

    async def save(self) -> SavedDraft:
        """Keep it as a draft."""
        message = await asyncio.to_thread(self.letter.message)
        place = await self.outgoing.save_draft(message, self.thread_id)
        return SavedDraft(_addresses(self.letter), self.letter.subject, place)

    def sending(self) -> Proposal[SentEmail]:
        """What is asked before it goes.

        Raises:
            ToolError: it goes to nobody.
        """
        if not self.letter.to:
            raise ToolError("'to' is empty; say whom the email goes to.")
        return Proposal("Send this email", "Send", self._shown(), self.letter.body, self.send)

    def keeping(self) -> Proposal[SavedDraft]:
        """Propose to save a draft; one of words that stay on this computer is routine."""
        is_routine = not (self.outgoing.drafts_online or self.letter.attachments)
        return Proposal(
            "Save this email as a draft",
            "Save draft",
            self._shown(),
            self.letter.body,
            self.save,
            "if_exposed" if is_routine else "always",
        )

    @property
    def name(self) -> str:
        """What it is called beside others."""
        return " · ".join(filter(None, (self.outgoing.account, self.outgoing.address)))

    def _shown(self) -> tuple[ProposalField, ...]:
        account = self.outgoing.account
        sender = str(self.letter.sender)
        whose = sender if account in {"", self.outgoing.address} else f"{sender} · {account}"
        return (ProposalField("From", (whose,)), *_shown_fields(self.letter), *self.context)


async def propose_sending(
    departures: Sequence[DeliveryOption],
) -> Proposal[SentEmail] | Choice[SentEmail]:
    """The question whether the letter may go, and by which way where there are several.

    Raises:
        ToolError: there is but one way, and something has to be mended about it first.
    """
    if len(departures) == 1:
        await departures[0].outgoing.ready()
    return _one_or_choice([(each.name, each.sending()) for each in departures])


async def propose_saving(
    departures: Sequence[DeliveryOption],
) -> Proposal[SavedDraft] | Choice[SavedDraft]:
    """The question whether the draft may be saved, and in which account where there are several.

    Raises:
        ToolError: there is one account, and something has to be mended about it first.
    """
    if len(departures) == 1 and departures[0].outgoing.drafts_online:
        await departures[0].outgoing.ready()
    return _one_or_choice([(each.name, each.keeping()) for each in departures])


async def send_or_save(departures: Sequence[DeliveryOption], *, send: bool) -> DeliveryResult:
    """What `to_send` or `to_keep` gives."""
    return await propose_sending(departures) if send else await propose_saving(departures)


def _one_or_choice(options: Sequence[tuple[str, Proposal[T]]]) -> Proposal[T] | Choice[T]:
    return options[0][1] if len(options) == 1 else Choice("From which account?", tuple(options))


def _addresses(letter: OutgoingMessage) -> tuple[str, ...]:
    return tuple(each.address for each in letter.to)


def _shown_fields(letter: OutgoingMessage) -> Iterator[ProposalField]:
    for label, people in (("To", letter.to), ("Cc", letter.cc), ("Bcc", letter.bcc)):
        if people:
            yield ProposalField(label, _as_text(people), Sink.RECIPIENT)
    yield ProposalField("Subject", (letter.subject,))
    if letter.attachments:
        yield ProposalField("Attachments", _as_text(letter.attachments), Sink.ATTACHMENT)
    if links := find_links(letter.subject, letter.body):
        yield ProposalField("Links", tuple(map(display_link, links)), Sink.LINK)


def _as_text(values: Sequence[object]) -> tuple[str, ...]:
    return tuple(map(str, values))
