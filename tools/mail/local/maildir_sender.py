"""Maildir sender: sent mail and drafts written to folders on this disk."""

import asyncio
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from tools.atomic_file import replace_file
from tools.mail.local.maildir import make_maildir
from tools.moments.clock import Clock
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from email.message import EmailMessage


class MaildirSender:
    """Implements `MailSender` within a Maildir++: sent mail stays in its Sent folder."""

    drafts_online = False

    def __init__(
        self, maildir: Path, address: str, name: str, clock: Clock, account: str = ""
    ) -> None:
        self.account = account
        self.address = address
        self.name = name
        self._maildir = maildir
        self._clock = clock

    async def ensure_ready(self) -> None:
        """Return at once: the mail is on this disk."""

    async def send(self, message: "EmailMessage", thread_id: str = "") -> str:  # noqa: ARG002
        """Write the message to Sent."""
        await self._deliver(message, ".Sent", "S")
        return "Nothing left this computer: the message is in the Sent folder here."

    async def save_draft(self, message: "EmailMessage", thread_id: str = "") -> str:  # noqa: ARG002
        """Write the message to Drafts."""
        await self._deliver(message, ".Drafts", "DS")
        return "the Drafts folder on this computer"

    async def _deliver(self, message: "EmailMessage", folder: str, flags: str) -> None:
        key = hashlib.sha256(message["Message-ID"].encode()).hexdigest()[:32]
        name = f"{int(self._clock().timestamp())}.{key}.deskhand"
        content = message.as_bytes(policy=message.policy.clone(linesep="\n"))
        try:
            await asyncio.to_thread(_deliver, self._maildir / folder, name, flags, content)
        except OSError as error:
            raise ToolError(f"{self._maildir / folder}: {error.strerror}") from error


def _deliver(folder: Path, name: str, flags: str, content: bytes) -> None:
    """Write the message unless it is already there, by way of tmp as Maildir requires."""
    make_maildir(folder)
    key = name.partition(".")[2]
    if any(folder.glob(f"cur/*.{key}:2,*")):
        return
    path = folder / "cur" / f"{name}:2,{flags}"
    replace_file(path, content, temporary_folder=folder / "tmp")
