"""SMTP sender: sends mail through any mail server, with an address and an app password."""

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable
from email.message import EmailMessage

from tools.mail.senders import MailSender
from tools.mail.smtp.smtp_errors import password_missing
from tools.mail.smtp.smtp_server import SmtpServer
from tools.mail.smtp.smtp_session import SmtpEnvelope, SmtpSession
from tools.moments.clock import Clock
from tools.tool_errors import ToolError, UnknownOutcomeError

__all__ = ["SmtpSender", "SmtpServer"]

_GROUPED_PASSWORD = re.compile(r"[a-z]{4}(\s[a-z]{4}){3}")


class SmtpSender:
    """Implements `Outgoing` over SMTP, always encrypted; drafts go to another way out.

    A message is never sent twice by itself: one that was sent is not sent again, and of one whose
    fate is not known that is said each time.
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
        """Name the account; nothing is asked or connected yet.

        Args:
            server: where mail is handed in.
            address: that it is sent from, and signed in with.
            name: shown beside the address, or "".
            password: gives it when it is needed; "" where none is kept.
            drafts: keeps what is not sent.
            account: what the user calls the account.
            clock: tells when an answer was lost.
            tls: whom to trust; None for those whom everybody trusts.
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
        self._unsettled: dict[str, str] = {}
        self._one_at_a_time = asyncio.Lock()

    async def check(self) -> None:
        """Sign in and hand in nothing.

        Raises:
            ToolError: what is wrong with the server or the password.
        """
        await self._held(SmtpSession(self._server, self._tls), await self._known_password())

    async def ready(self) -> None:
        """Make sure that there is a password; the server is asked when mail goes."""
        await self._known_password()

    async def send(self, message: EmailMessage, thread_id: str = "") -> str:  # noqa: ARG002
        """Hand the message in; the server sends it on."""
        envelope = SmtpEnvelope.of(self.address, message)
        async with self._one_at_a_time:
            if envelope.id in self._unsettled:
                raise UnknownOutcomeError(self._unsettled[envelope.id])
            if envelope.id not in self._sent:
                await self._hand_in(envelope)
        return ""

    async def save_draft(self, message: EmailMessage, thread_id: str = "") -> str:
        """Keep the message where drafts are kept."""
        return await self._drafts.save_draft(message, thread_id)

    async def _hand_in(self, envelope: SmtpEnvelope) -> None:
        talk = SmtpSession(self._server, self._tls)
        try:
            await self._held(talk, await self._known_password(), envelope)
        except ToolError as error:
            if talk.fate != "unknown":
                raise
            raise UnknownOutcomeError(self._may_have_been_sent()) from error
        finally:
            self._remember(envelope.id, talk)

    async def _held(
        self, talk: SmtpSession, password: str, envelope: SmtpEnvelope | None = None
    ) -> None:
        try:
            await asyncio.to_thread(_run_session, talk, self.address, password, envelope)
        except asyncio.CancelledError:
            talk.abandon()
            raise

    async def _known_password(self) -> str:
        password = await self._password()
        if not password:
            raise password_missing(self.address)
        words = password.strip()
        return "".join(words.split()) if _GROUPED_PASSWORD.fullmatch(words) else password

    def _remember(self, id: str, talk: SmtpSession) -> None:
        if talk.fate == "sent":
            self._sent.add(id)
        if talk.fate == "unknown":
            self._unsettled[id] = self._may_have_been_sent()

    def _may_have_been_sent(self) -> str:
        return (
            f"The email may have been sent: {self._server.host} took all of it, and its answer was"
            f" lost at {self._clock():%H:%M}. Look in Sent before sending it again."
        )


def _run_session(
    talk: SmtpSession, address: str, password: str, envelope: SmtpEnvelope | None
) -> None:
    with talk:
        talk.sign_in(address, password)
        if envelope is not None:
            talk.hand_in(envelope)
