"""Senders: the protocol of accounts that send mail, and the choice among them."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from tools.atomic_file import replace_file
from tools.mail.local.maildir import make_maildir
from tools.moments.clock import Clock
from tools.tool_errors import Remedy, ToolError


class MailSender(Protocol):
    """One account's way out. Blocking work runs in threads inside the provider.

    Every method raises `ToolError` with the reason when the message was not taken. A message is
    known by its Message-ID: taking the same one again changes nothing.
    """

    @property
    def account(self) -> str:
        """The name the user knows the account by; that of its mailbox where it has one."""

    @property
    def address(self) -> str:
        """The address that mail is sent from."""

    @property
    def name(self) -> str:
        """The name shown beside the address, or ""."""

    @property
    def drafts_online(self) -> bool:
        """Whether drafts are stored by the provider and not on this computer."""

    async def ready(self) -> None:
        """Make sure, before anybody is asked to approve a message, that it would be taken.

        Raises:
            ToolError: what has to be mended first.
        """

    async def send(self, message: EmailMessage, thread_id: str = "") -> str:
        """Send the message; gives back what else the user should know, or "".

        Args:
            message: what is sent.
            thread_id: the thread of this account that it belongs to, "" for a new one.

        Raises:
            UnsettledError: it may have been sent.
        """

    async def save_draft(self, message: EmailMessage, thread_id: str = "") -> str:
        """Keep the message as a draft; gives back where it is, in words."""


class MaildirSender:
    """Implements `Outgoing` within a Maildir++: what is sent stays in its Sent folder."""

    drafts_online = False

    def __init__(
        self, maildir: Path, address: str, name: str, clock: Clock, account: str = ""
    ) -> None:
        self.account = account
        self.address = address
        self.name = name
        self._maildir = maildir
        self._clock = clock

    async def ready(self) -> None:
        """There is nothing that would have to be mended."""

    async def send(self, message: EmailMessage, thread_id: str = "") -> str:  # noqa: ARG002
        """Put the message into Sent."""
        await self._deliver(message, ".Sent", "S")
        return "Nothing left this computer: the message is in the Sent folder here."

    async def save_draft(self, message: EmailMessage, thread_id: str = "") -> str:  # noqa: ARG002
        """Put the message into Drafts."""
        await self._deliver(message, ".Drafts", "DS")
        return "the Drafts folder on this computer"

    async def _deliver(self, message: EmailMessage, folder: str, flags: str) -> None:
        name = f"{int(self._clock().timestamp())}.{_key(message)}"
        content = message.as_bytes(policy=policy.default)
        try:
            await asyncio.to_thread(_deliver, self._maildir / folder, name, flags, content)
        except OSError as error:
            raise ToolError(f"{self._maildir / folder}: {error.strerror}") from error


def _key(message: EmailMessage) -> str:
    return f"{hashlib.sha256(message['Message-ID'].encode()).hexdigest()[:32]}.deskhand"


def _deliver(folder: Path, name: str, flags: str, content: bytes) -> None:
    """Write the message in full before it appears under its name, as a Maildir asks for."""
    make_maildir(folder)
    key = name.partition(".")[2]
    if any(folder.glob(f"cur/*.{key}:2,*")):
        return
    path = folder / "cur" / f"{name}:2,{flags}"
    replace_file(path, content, temporary_folder=folder / "tmp")


_NO_SENDER = (
    "No account is connected that can send email. Connect one in the settings: sign in to Google, "
    "or give TOOLS_EMAIL_SENDER_EMAIL_ADDRESS and TOOLS_EMAIL_EMAIL_APP_PASSWORD, of which one "
    "is missing."
)


@dataclass(frozen=True)
class SenderAccounts:
    """`preferred` is the name or the address of the one that mail goes from, "" to be asked.

    `closed` says why none may be used, "" where they may.
    """

    outgoings: Sequence[MailSender]
    preferred: str = ""
    closed: str = ""

    @property
    def is_open(self) -> bool:
        """Whether there is one that may be used."""
        return bool(self.outgoings) and not self.closed

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that mail can be sent from."""
        return tuple(each.address for each in self.outgoings)

    def fitting(self, account: str = "") -> Sequence[MailSender]:
        """The one that an email goes from, or all where that is for the user to say.

        Args:
            account: that of the email which is answered or forwarded, "" for a new one.

        Raises:
            ToolError: there is none at all, or none may be used.
        """
        if self.closed:
            raise ToolError(self.closed)
        if not self.outgoings:
            raise ToolError(_NO_SENDER, Remedy.CONNECT_ACCOUNT)
        own = [each for each in self.outgoings if account and each.account == account]
        wanted = self.preferred.strip().casefold()
        preferred = [each for each in self.outgoings if wanted and wanted in _names(each)]
        return next((found for found in (own, preferred) if len(found) == 1), self.outgoings)


def _names(outgoing: MailSender) -> set[str]:
    return {outgoing.account.casefold(), outgoing.address.casefold()}
