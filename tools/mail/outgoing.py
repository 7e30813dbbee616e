"""Outgoing mail: where finished messages go, to be sent or to be kept as drafts."""

import asyncio
import hashlib
import os
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from tools.mail.own_maildir import make_maildir, sync
from tools.moments import Clock
from tools.tool import ToolError


class Outgoing(Protocol):
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


class LocalOutgoing:
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
    written = folder / "tmp" / name
    with written.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    written.rename(folder / "cur" / f"{name}:2,{flags}")
    sync(folder / "cur")
