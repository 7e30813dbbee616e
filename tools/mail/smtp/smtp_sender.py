"""SMTP sender: sends mail through any mail server, with an address and an app password."""

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable
from contextlib import closing
from email.message import EmailMessage

from tools.mail.senders import MailSender
from tools.mail.smtp.smtp_errors import password_missing
from tools.mail.smtp.smtp_server import SmtpServer
from tools.mail.smtp.smtp_session import SmtpEnvelope, SmtpSession
from tools.moments.clock import Clock
from tools.tool_errors import ToolError, UnknownOutcomeError

_GROUPED_PASSWORD = re.compile(r"[a-z]{4}(\s[a-z]{4}){3}")


class SmtpSender:
    """Implements `MailSender` over SMTP, always encrypted; drafts are saved by another sender.

    A message is never sent twice: resending a sent one does nothing, and resending one whose
    delivery is unconfirmed raises the same error.
    """

    def __init__(
        self,
        server: SmtpServer,
        address: str,
        name: str,
        password: Callable[[], Awaitable[str]],
        drafts: MailSender,
        *,
        account: str,
        clock: Clock,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Configure the account; nothing is connected yet.

        Args:
            server: the server mail is submitted to.
            address: the sender address and user name.
            name: the name shown beside the address, or "".
            password: returns the password, "" if none is stored.
            drafts: saves the drafts.
            account: the name of the account.
            clock: the time shown when a reply was lost.
            tls: trusted certificates; None for the system's.
        """
        self.account = account
        self.address = address
        self.name = name
        self._server = server
        self._password = password
        self._drafts = drafts
        self._clock = clock
        self._tls = tls
        self.drafts_online = drafts.drafts_online
        self._sent: set[str] = set()
        self._unconfirmed: dict[str, str] = {}
        self._lock = asyncio.Lock()

    async def check(self) -> None:
        """Sign in without sending.

        Raises:
            ToolError: the server or the password is wrong.
        """
        await self._run(SmtpSession(self._server, self._tls), await self._require_password())

    async def ensure_ready(self) -> None:
        """Ensure that a password is stored; the server is contacted when mail is sent."""
        await self._require_password()

    async def send(self, message: EmailMessage, thread_id: str = "") -> str:  # noqa: ARG002
        """Submit the message to the server."""
        envelope = SmtpEnvelope.of(self.address, message)
        async with self._lock:
            if envelope.id in self._unconfirmed:
                raise UnknownOutcomeError(self._unconfirmed[envelope.id])
            if envelope.id not in self._sent:
                await self._submit(envelope)
        return ""

    async def save_draft(self, message: EmailMessage, thread_id: str = "") -> str:
        """Save the message with the drafts."""
        return await self._drafts.save_draft(message, thread_id)

    async def _submit(self, envelope: SmtpEnvelope) -> None:
        session = SmtpSession(self._server, self._tls)
        try:
            await self._run(session, await self._require_password(), envelope)
        except ToolError as error:
            if session.state != "unknown":
                raise
            raise UnknownOutcomeError(self._unconfirmed_text()) from error
        finally:
            self._remember(envelope.id, session)

    async def _run(
        self, session: SmtpSession, password: str, envelope: SmtpEnvelope | None = None
    ) -> None:
        try:
            await asyncio.to_thread(_run_session, session, self.address, password, envelope)
        except asyncio.CancelledError:
            session.abort()
            raise

    async def _require_password(self) -> str:
        password = await self._password()
        if not password:
            raise password_missing(self.address)
        stripped = password.strip()
        return "".join(stripped.split()) if _GROUPED_PASSWORD.fullmatch(stripped) else password

    def _remember(self, id: str, session: SmtpSession) -> None:
        if session.state == "sent":
            self._sent.add(id)
        if session.state == "unknown":
            self._unconfirmed[id] = self._unconfirmed_text()

    def _unconfirmed_text(self) -> str:
        return (
            f"The email may have been sent: {self._server.host} took all of it, and its answer was"
            f" lost at {self._clock():%H:%M}. Look in Sent before sending it again."
        )


def _run_session(
    session: SmtpSession, address: str, password: str, envelope: SmtpEnvelope | None
) -> None:
    with closing(session):
        session.connect()
        session.sign_in(address, password)
        if envelope is not None:
            session.submit(envelope)
