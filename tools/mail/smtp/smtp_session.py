"""SMTP session: one encrypted connection that signs in and submits one message; blocks."""

import base64
import copy
import re
import smtplib
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING, Literal, Self, cast

from tools.mail.smtp import smtp_errors as failures
from tools.mail.smtp.smtp_errors import SmtpReply, translate_errors
from tools.mail.smtp.smtp_server import SmtpServer
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from email.policy import EmailPolicy

SubmissionState = Literal["not sent", "unknown", "sent"]

_EHLO_NAME = "[127.0.0.1]"  # keeps the name of this computer private
_DATA_TIMEOUT_FACTOR = 10  # for the reply to a whole message (RFC 5321, 4.5.3.2.6)
_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)
_AUTH_METHODS = ("PLAIN", "LOGIN")
_ADDRESS = re.compile(r"[^\s<>\x00-\x1f\x7f]+@[^\s<>@\x00-\x1f\x7f]+")


@dataclass(frozen=True)
class SmtpEnvelope:
    """A message with its SMTP addresses; Bcc recipients appear in no header of `message`.

    `id` is its Message-ID.
    """

    id: str
    sender: str
    recipients: tuple[str, ...]
    message: EmailMessage

    @classmethod
    def of(cls, sender: str, message: EmailMessage) -> Self:
        """Return the envelope for all recipients of a message.

        Raises:
            ToolError: it has no recipients, no Message-ID, or an address that SMTP cannot carry.
        """
        if "Message-ID" not in message:
            raise ToolError("The email has no Message-ID.")
        fields = [message[field] for field in ("To", "Cc", "Bcc") if field in message]
        recipients = dict.fromkeys(each.addr_spec for field in fields for each in field.addresses)
        if not recipients:
            raise ToolError("The email has no recipients.")
        for address in (sender, *recipients):
            if not _ADDRESS.fullmatch(address):
                raise ToolError(f"No email can be sent with the address {address!r}.")
        visible = copy.copy(message)
        del visible["Bcc"]
        del visible["Resent-Bcc"]
        return cls(str(message["Message-ID"]), sender, tuple(recipients), visible)

    @property
    def needs_utf8(self) -> bool:
        """Whether an address needs SMTPUTF8 (RFC 6531)."""
        return not "".join((self.sender, *self.recipients)).isascii()

    def content(self, *, eight_bit: bool) -> bytes:
        """Return the message as transmitted, with CRLF line ends."""
        own = cast("EmailPolicy[EmailMessage]", self.message.policy)
        policy = own.clone(
            linesep="\r\n", utf8=self.needs_utf8, cte_type="8bit" if eight_bit else "7bit"
        )
        content = self.message.as_bytes(policy=policy)
        return content if content.endswith(b"\r\n") else content + b"\r\n"


class SmtpSession:
    """One connection, used in one thread; only `abort` may be called from another.

    `state` of the message is unknown after its last byte, until the server replies.
    """

    def __init__(self, server: SmtpServer, tls: ssl.SSLContext | None) -> None:
        self.state: SubmissionState = "not sent"
        self._server = server
        self._tls = tls
        self._smtp: smtplib.SMTP | None = None
        self._aborted = False
        self._lock = threading.Lock()

    def connect(self) -> None:
        """Connect with encryption.

        Raises:
            ToolError: the server cannot be reached, or not securely.
        """
        with translate_errors(self._server):
            self._smtp = smtp = self._open()  # from here on `abort` can close it
            try:
                if self._server.security == "starttls":
                    smtp.starttls(context=self._tls)
                smtp.ehlo()
            except BaseException:
                smtp.close()
                raise

    def close(self) -> None:
        """Quit the session, if it is connected."""
        if self._smtp is None:
            return
        with suppress(OSError, smtplib.SMTPException):
            if self._smtp.sock and self.state != "unknown":
                self._smtp.sock.settimeout(min(self._server.timeout, 5))
                self._smtp.quit()
        self._smtp.close()

    def sign_in(self, address: str, password: str) -> None:
        """Authenticate.

        Raises:
            ToolError: the server rejects the password, or accepts none.
        """
        offered = self._connection.esmtp_features.get("auth", "").upper().split()
        method = next((each for each in _AUTH_METHODS if each in offered), None)
        if method is None:
            raise failures.password_sign_in_unsupported(self._server)
        with translate_errors(self._server):
            reply = self._authenticate(method, address, password)
        if reply.code not in {235, 503}:
            raise failures.password_refused(self._server, address, reply)

    def submit(self, envelope: SmtpEnvelope) -> None:
        """Submit the message to all recipients or none.

        Raises:
            ToolError: it was rejected, or its delivery is unknown.
        """
        with translate_errors(self._server):
            content = self._prepare(envelope)
            self._send_envelope(envelope, content)
            self._begin_data()
            self._connection.send(_LEADING_DOT.sub(b"..", content))
            self._mark_submitted()
            self._extend_timeout()
            self._connection.send(b".\r\n")
            reply = SmtpReply(*self._connection.getreply())
        self.state = _submission_state(reply)
        if self.state != "sent":
            raise failures.message_refused(self._server, reply)

    def abort(self) -> None:
        """Drop the connection without waiting; an incomplete message is not delivered."""
        with self._lock:
            self._aborted = True
        sock = self._smtp.sock if self._smtp else None
        if sock is not None:
            with suppress(OSError):
                # an SSLSocket's own shutdown first removes the encryption, and the other thread
                # would continue in plain text
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    @property
    def _connection(self) -> smtplib.SMTP:
        if self._smtp is None:
            raise RuntimeError("the session is not connected")
        return self._smtp

    def _open(self) -> smtplib.SMTP:
        self._tls = self._tls or _default_tls_context()
        host, port, timeout = self._server.host, self._server.port, self._server.timeout
        try:
            if self._server.security == "tls":
                return smtplib.SMTP_SSL(host, port, _EHLO_NAME, timeout=timeout, context=self._tls)
            return smtplib.SMTP(host, port, _EHLO_NAME, timeout)
        except UnicodeError as error:  # such as smtp..example.com
            raise failures.invalid_host_name(self._server) from error

    def _authenticate(self, method: str, address: str, password: str) -> SmtpReply:
        if method == "PLAIN":  # smtplib only writes ASCII
            credentials = base64.b64encode(f"\0{address}\0{password}".encode()).decode()
            return SmtpReply(*self._connection.docmd("AUTH", f"PLAIN {credentials}"))
        self._connection.user, self._connection.password = address, password
        try:
            return SmtpReply(*self._connection.auth(method, self._connection.auth_login))
        except smtplib.SMTPAuthenticationError as error:
            return SmtpReply.of(error)
        except UnicodeEncodeError as error:
            raise failures.password_not_ascii(self._server) from error

    def _prepare(self, envelope: SmtpEnvelope) -> bytes:
        smtp = self._connection
        if envelope.needs_utf8 and not smtp.has_extn("smtputf8"):
            raise failures.unicode_addresses_unsupported(self._server)
        content = envelope.content(eight_bit=smtp.has_extn("8bitmime"))
        limit = smtp.esmtp_features.get("size", "")
        if limit.isdigit() and 0 < int(limit) < len(content):
            raise failures.too_large(self._server, len(content), int(limit))
        return content

    def _send_envelope(self, envelope: SmtpEnvelope, content: bytes) -> None:
        smtp = self._connection
        options = {
            f"SIZE={len(content)}": smtp.has_extn("size"),
            "BODY=8BITMIME": not content.isascii(),
            "SMTPUTF8": envelope.needs_utf8,
        }
        reply = SmtpReply(
            *smtp.mail(envelope.sender, [each for each, applies in options.items() if applies])
        )
        if reply.code != 250:
            raise failures.sender_refused(self._server, envelope.sender, reply)
        replies = {each: SmtpReply(*smtp.rcpt(each)) for each in envelope.recipients}
        refused = {each: reply for each, reply in replies.items() if reply.code not in {250, 251}}
        if refused:
            raise failures.recipients_refused(self._server, refused, len(replies))

    def _begin_data(self) -> None:
        reply = SmtpReply(*self._connection.docmd("DATA"))
        if reply.code != 354:
            raise failures.message_refused(self._server, reply)

    def _mark_submitted(self) -> None:
        """Mark the message as possibly delivered, before its last byte is sent."""
        with self._lock:
            if self._aborted:
                raise ToolError("The email was not sent: it was stopped in time.")
            self.state = "unknown"

    def _extend_timeout(self) -> None:
        if self._connection.sock:
            self._connection.sock.settimeout(self._server.timeout * _DATA_TIMEOUT_FACTOR)


def _default_tls_context() -> ssl.SSLContext:
    """Return the system's certificates plus certifi's, which packaged builds need."""
    import certifi  # noqa: PLC0415 — not before the first paint

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _submission_state(reply: SmtpReply) -> SubmissionState:
    if 200 <= reply.code < 300:
        return "sent"
    return "not sent" if 400 <= reply.code < 600 else "unknown"
