"""A departure: a letter at the way out that it would take, shown before it goes."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tools.links import links_in, shown_link
from tools.mail.composing import Letter
from tools.mail.outgoing import Outgoing
from tools.mail.sent import SavedDraft, SentEmail
from tools.tool import Choice, Proposal, Shown, Sink, ToolError, UnsettledError

T = TypeVar("T")
Outcome = Proposal[SentEmail] | Choice[SentEmail] | Proposal[SavedDraft] | Choice[SavedDraft]
"""What becomes of a letter that is sent or kept."""


@dataclass(frozen=True)
class Departure:
    """`thread_id` is the thread of that account which the letter belongs to, "" for none.

    `context` is what is shown beside the letter.
    """

    outgoing: Outgoing
    letter: Letter
    thread_id: str = ""
    context: tuple[Shown, ...] = ()

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
        except UnsettledError:
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

    def _shown(self) -> tuple[Shown, ...]:
        account = self.outgoing.account
        sender = str(self.letter.sender)
        whose = sender if account in {"", self.outgoing.address} else f"{sender} · {account}"
        return (Shown("From", (whose,)), *_shown(self.letter), *self.context)


async def to_send(departures: Sequence[Departure]) -> Proposal[SentEmail] | Choice[SentEmail]:
    """The question whether the letter may go, and by which way where there are several.

    Raises:
        ToolError: there is but one way, and something has to be mended about it first.
    """
    if len(departures) == 1:
        await departures[0].outgoing.ready()
    return _asked([(each.name, each.sending()) for each in departures])


async def to_keep(departures: Sequence[Departure]) -> Proposal[SavedDraft] | Choice[SavedDraft]:
    """The question whether the draft may be saved, and in which account where there are several.

    Raises:
        ToolError: there is one account, and something has to be mended about it first.
    """
    if len(departures) == 1 and departures[0].outgoing.drafts_online:
        await departures[0].outgoing.ready()
    return _asked([(each.name, each.keeping()) for each in departures])


async def to_send_or_keep(departures: Sequence[Departure], *, send: bool) -> Outcome:
    """What `to_send` or `to_keep` gives."""
    return await to_send(departures) if send else await to_keep(departures)


def _asked(options: Sequence[tuple[str, Proposal[T]]]) -> Proposal[T] | Choice[T]:
    return options[0][1] if len(options) == 1 else Choice("From which account?", tuple(options))


def _addresses(letter: Letter) -> tuple[str, ...]:
    return tuple(each.address for each in letter.to)


def _shown(letter: Letter) -> Iterator[Shown]:
    for label, people in (("To", letter.to), ("Cc", letter.cc), ("Bcc", letter.bcc)):
        if people:
            yield Shown(label, _in_full(people), Sink.RECIPIENT)
    yield Shown("Subject", (letter.subject,))
    if letter.attachments:
        yield Shown("Attachments", _in_full(letter.attachments), Sink.ATTACHMENT)
    if links := links_in(letter.subject, letter.body):
        yield Shown("Links", tuple(map(shown_link, links)), Sink.LINK)


def _in_full(values: Sequence[object]) -> tuple[str, ...]:
    return tuple(map(str, values))
