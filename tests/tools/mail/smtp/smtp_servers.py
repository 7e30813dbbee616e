"""SMTP servers on loopback: one that accepts mail as real ones do, and a scripted one."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tools.mail.smtp.smtp_server import SmtpServer

CLOSE = ""
"""Closes the connection instead of replying."""


@dataclass(frozen=True)
class ReceivedMessage:
    """A received envelope, and the message as transmitted."""

    sender: str
    recipients: tuple[str, ...]
    options: tuple[str, ...]
    content: bytes

    @property
    def message(self) -> EmailMessage:
        """The message, parsed by the standard library."""
        return message_from_bytes(self.content, _class=EmailMessage, policy=policy.default)


@dataclass
class SmtpTestServer:
    """Accepts mail over STARTTLS with the password, except for refused recipients."""

    password: str = "abcdefghijklmnop"  # noqa: S105 — a test value
    refused: Sequence[str] = ()
    received: list[ReceivedMessage] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def address(self) -> SmtpServer:
        """Its address."""
        return SmtpServer("localhost", self.port, timeout=20)

    async def handle_RCPT(  # noqa: N802 — the library's name
        self,
        server: SMTP,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        del server, session, options
        if address in self.refused:
            return "550 5.1.1 No such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        del server
        assert session.ssl
        content = envelope.original_content or b""
        options = tuple(envelope.mail_options)
        self.received.append(
            ReceivedMessage(envelope.mail_from or "", tuple(envelope.rcpt_tos), options, content)
        )
        return "250 OK"

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: Any
    ) -> AuthResult:
        del server, session, envelope, mechanism
        assert isinstance(given, LoginPassword)
        self.signed_in.append(given.login.decode())
        return AuthResult(success=given.password.decode() == self.password, handled=False)

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext, **terms: Any) -> AsyncIterator["SmtpTestServer"]:
        """Listen; `terms` are options of aiosmtpd's SMTP class."""

        def protocol() -> SMTP:
            return SMTP(
                self,
                **{
                    "tls_context": tls,
                    "require_starttls": True,
                    "auth_required": True,
                    "authenticator": self.authenticate,
                    "hostname": "localhost",
                    "loop": asyncio.get_running_loop(),
                    **terms,
                },
            )

        listening = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
        async with listening:
            self.port = listening.sockets[0].getsockname()[1]
            yield self


_DEFAULT_REPLIES: Mapping[str, str | None] = {
    "": "220 localhost ready",
    "EHLO": "250-localhost\r\n250 AUTH PLAIN",
    "AUTH": "235 welcome",
    "MAIL": "250 OK",
    "RCPT": "250 OK",
    "DATA": "354 go on",
    ".": "250 taken",
    "QUIT": "221 bye",
}


@dataclass
class ScriptedSmtpServer:
    """Replies to each command as scripted: text, `CLOSE`, or None for no reply at all.

    "" is the greeting and "." the end of a message; nothing is encrypted after STARTTLS.
    `commands` are those received, without arguments, `messages` the complete messages, even if
    rejected. `stalled` is set when no reply will follow, `disconnected` when the client is gone.
    """

    script: Mapping[str, str | None] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)
    passwords: list[str] = field(default_factory=list)
    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    encrypted: bool = True

    @property
    def address(self) -> SmtpServer:
        """Its address; it replies at once or never."""
        return SmtpServer("localhost", self.port, "tls" if self.encrypted else "starttls", 20)

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext | None) -> AsyncIterator["ScriptedSmtpServer"]:
        """Listen, with implicit TLS if a context is given."""
        self.encrypted = tls is not None
        listening = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        async with listening:
            self.port = listening.sockets[0].getsockname()[1]
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            if await self._reply("", reader, writer):
                await self._listen(reader, writer)
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()
        self.disconnected.set()

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            command = line.split()[0].decode().upper()
            self.commands.append(command)
            if command == "AUTH":
                self.passwords.append(base64.b64decode(line.split()[-1]).decode())
            if not await self._reply(command, reader, writer) or command == "STARTTLS":
                return
            if command == "DATA" and self._scripted_reply("DATA").startswith("354"):
                self.messages.append(await _whole_message(reader))
                if not await self._reply(".", reader, writer):
                    return

    def _scripted_reply(self, command: str) -> str:
        return {**_DEFAULT_REPLIES, **self.script}.get(command) or ""

    async def _reply(
        self, command: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Reply; return whether the session continues."""
        reply = {**_DEFAULT_REPLIES, **self.script}.get(command, "502 unknown command")
        if reply is None:
            self.stalled.set()
            await reader.read()  # until the client disconnects
            return False
        if reply == CLOSE:
            return False
        writer.write(f"{reply}\r\n".encode())
        await writer.drain()
        return True


async def _whole_message(reader: asyncio.StreamReader) -> bytes:
    return (await reader.readuntil(b"\r\n.\r\n")).removesuffix(b".\r\n")
