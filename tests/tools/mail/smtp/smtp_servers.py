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
"""In place of a reply: the connection is closed."""


@dataclass(frozen=True)
class ReceivedMessage:
    """What arrived: the envelope, and the message as it was sent over the wire."""

    sender: str
    recipients: tuple[str, ...]
    options: tuple[str, ...]
    content: bytes

    @property
    def message(self) -> EmailMessage:
        """The message, read by the standard library."""
        return message_from_bytes(self.content, _class=EmailMessage, policy=policy.default)


@dataclass
class SmtpTestServer:
    """Accepts mail over STARTTLS with the password, except for refused recipients."""

    password: str = "abcdefghijklmnop"  # noqa: S105 — nobody's
    refuses: Sequence[str] = ()
    received: list[ReceivedMessage] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def address(self) -> SmtpServer:
        """Where it is."""
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
        if address in self.refuses:
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
        """Listen; `terms` are what the server offers and asks for (aiosmtpd's words)."""

        def talk() -> SMTP:
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

        listening = await asyncio.get_running_loop().create_server(talk, "127.0.0.1", 0)
        async with listening:
            self.port = listening.sockets[0].getsockname()[1]
            yield self


_USUAL: Mapping[str, str | None] = {
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
    """Answers each command as the script says: a reply, `CLOSE`, or None for no answer ever.

    "" is the greeting and "." the end of a message; after STARTTLS no encryption follows. `heard`
    has the commands without arguments, `messages` the messages that came whole, whatever was
    answered to them. `waits` is set once it will not answer, `left` once the other one has gone.
    """

    script: Mapping[str, str | None] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)
    passwords: list[str] = field(default_factory=list)
    waits: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    encrypted: bool = True

    @property
    def address(self) -> SmtpServer:
        """Where it is; it answers at once or never."""
        return SmtpServer("localhost", self.port, "tls" if self.encrypted else "starttls", 20)

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext | None) -> AsyncIterator["ScriptedSmtpServer"]:
        """Listen, encrypted from the start where there is a certificate to show."""
        self.encrypted = tls is not None
        listening = await asyncio.start_server(self._talk, "127.0.0.1", 0, ssl=tls)
        async with listening:
            self.port = listening.sockets[0].getsockname()[1]
            yield self

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            if await self._answered("", reader, writer):
                await self._listen(reader, writer)
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()
        self.left.set()

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            word = line.split()[0].decode().upper()
            self.heard.append(word)
            if word == "AUTH":
                self.passwords.append(base64.b64decode(line.split()[-1]).decode())
            if not await self._answered(word, reader, writer) or word == "STARTTLS":
                return
            if word == "DATA" and self._says("DATA").startswith("354"):
                self.messages.append(await _whole_message(reader))
                if not await self._answered(".", reader, writer):
                    return

    def _says(self, word: str) -> str:
        return {**_USUAL, **self.script}.get(word) or ""

    async def _answered(
        self, word: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer; whether the talk goes on."""
        said = {**_USUAL, **self.script}.get(word, "502 what?")
        if said is None:
            self.waits.set()
            await reader.read()  # until the other one leaves
            return False
        if said == CLOSE:
            return False
        writer.write(f"{said}\r\n".encode())
        await writer.drain()
        return True


async def _whole_message(reader: asyncio.StreamReader) -> bytes:
    return (await reader.readuntil(b"\r\n.\r\n")).removesuffix(b".\r\n")
