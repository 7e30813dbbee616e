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
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, cast

from tools.mail.smtp import smtp_errors as failures
from tools.mail.smtp.smtp_errors import SmtpReply, translate_errors
from tools.mail.smtp.smtp_server import SmtpServer
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from email.policy import EmailPolicy

_ADDRESS = re.compile(r"[^\s<>\x00-\x1f\x7f]+@[^\s<>@\x00-\x1f\x7f]+")


@dataclass(frozen=True)
class SmtpEnvelope:
    """The headers of `message` tell nobody about those who are to get it unseen.

    `id` is its Message-ID.
    """

    id: str
    sender: str
    recipients: tuple[str, ...]
    message: EmailMessage

    @classmethod
    def of(cls, sender: str, message: EmailMessage) -> Self:
        """Put a message into an envelope for everybody whom it names.

        Raises:
            ToolError: it names nobody, or somebody whose address cannot be written on one, or it
                has no Message-ID to be known by.
        """
        if "Message-ID" not in message:
            raise ToolError("The email has no Message-ID, so it could not be told from another.")
        fields = [message[field] for field in ("To", "Cc", "Bcc") if field in message]
        people = dict.fromkeys(each.addr_spec for field in fields for each in field.addresses)
        if not people:
            raise ToolError("The email names nobody that it goes to.")
        for address in (sender, *people):
            if not _ADDRESS.fullmatch(address):
                raise ToolError(f"No email can be sent with the address {address!r}.")
        shown = copy.copy(message)
        del shown["Bcc"]
        del shown["Resent-Bcc"]
        return cls(str(message["Message-ID"]), sender, tuple(people), shown)

    @property
    def has_other_letters(self) -> bool:
        """Whether an address has letters that only some servers take (RFC 6531)."""
        return not "".join((self.sender, *self.recipients)).isascii()

    def content(self, *, eight_bit: bool) -> bytes:
        """The message as it goes over the wire, its lines ended as there.

        Args:
            eight_bit: whether the server takes more than ASCII in bodies.
        """
        own = cast("EmailPolicy[EmailMessage]", self.message.policy)
        policy = own.clone(
            linesep="\r\n", utf8=self.has_other_letters, cte_type="8bit" if eight_bit else "7bit"
        )
        content = self.message.as_bytes(policy=policy)
        return content if content.endswith(b"\r\n") else content + b"\r\n"


SubmissionState = Literal["not sent", "unknown", "sent"]

_EHLO_NAME = "[127.0.0.1]"  # in the greeting: what this computer is called is nobody's business
_DATA_TIMEOUT_FACTOR = 10  # times as long may a server think about a message (RFC 5321, 4.5.3.2.6)
_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)
_AUTH_METHODS = ("PLAIN", "LOGIN")


class SmtpSession:
    """A context manager; all is done in one thread, and `abandon` may come from another.

    `fate` is that of the message; it is unknown once it went out whole, until the server said yes
    or no to it.
    """

    def __init__(self, server: SmtpServer, tls: ssl.SSLContext | None) -> None:
        self.fate: SubmissionState = "not sent"
        self._server = server
        self._tls = tls
        self._smtp: smtplib.SMTP | None = None
        self._abandoned = False
        self._turn = threading.Lock()

    def __enter__(self) -> Self:
        """Begin to talk, encrypted.

        Raises:
            ToolError: the server cannot be reached, or not safely.
        """
        with translate_errors(self._server):
            self._smtp = self._connected()
            try:
                self._encrypt(self._smtp)
            except BaseException:
                self._smtp.close()
                raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Say goodbye, which changes nothing any more."""
        with suppress(OSError, smtplib.SMTPException):
            if self._open.sock and self.fate != "unknown":
                self._open.sock.settimeout(min(self._server.timeout, 5))
                self._open.quit()
        self._open.close()

    def sign_in(self, address: str, password: str) -> None:
        """Say who is talking.

        Raises:
            ToolError: the server does not take the password, or none at all.
        """
        offered = self._open.esmtp_features.get("auth", "").upper().split()
        way = next((each for each in _AUTH_METHODS if each in offered), None)
        if way is None:
            raise failures.password_sign_in_unsupported(self._server)
        with translate_errors(self._server):
            reply = self._reply_to_password(way, address, password)
        if reply.code not in {235, 503}:
            raise failures.password_refused(self._server, address, reply)

    def hand_in(self, envelope: SmtpEnvelope) -> None:
        """Hand the message in, for everybody on the envelope or for nobody.

        Raises:
            ToolError: it was not taken, or its fate is unknown.
        """
        with translate_errors(self._server):
            content = self._ready(envelope)
            self._address(envelope, content)
            self._begin()
            self._open.send(_LEADING_DOT.sub(b"..", content))
            self._be_done()
            self._wait_longer()
            self._open.send(b".\r\n")
            reply = SmtpReply(*self._open.getreply())
        self.fate = _submission_state(reply)
        if self.fate != "sent":
            raise failures.message_refused(self._server, reply)

    def abandon(self) -> None:
        """Let no message go that has not gone whole yet, and wait for no answer."""
        with self._turn:
            self._abandoned = True
        sock = self._smtp.sock if self._smtp else None
        if sock is not None:
            with suppress(OSError):
                # an SSLSocket's own shutdown begins by taking away the encryption, and the other
                # thread would go on to write without it
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    @property
    def _open(self) -> smtplib.SMTP:
        if self._smtp is None:
            raise RuntimeError("the talk has not begun")
        return self._smtp

    def _connected(self) -> smtplib.SMTP:
        self._tls = self._tls or _default_tls_context()
        host, port, timeout = self._server.host, self._server.port, self._server.timeout
        try:
            if self._server.security == "tls":
                return smtplib.SMTP_SSL(host, port, _EHLO_NAME, timeout=timeout, context=self._tls)
            return smtplib.SMTP(host, port, _EHLO_NAME, timeout)
        except UnicodeError as error:  # as of smtp..example.com
            raise failures.invalid_host_name(self._server) from error

    def _encrypt(self, smtp: smtplib.SMTP) -> None:
        if self._server.security == "starttls":
            smtp.starttls(context=self._tls)
        smtp.ehlo()

    def _reply_to_password(self, way: str, address: str, password: str) -> SmtpReply:
        if way == "PLAIN":  # the library writes ASCII alone
            words = base64.b64encode(f"\0{address}\0{password}".encode()).decode()
            return SmtpReply(*self._open.docmd("AUTH", f"PLAIN {words}"))
        self._open.user, self._open.password = address, password
        try:
            return SmtpReply(*self._open.auth(way, self._open.auth_login))
        except smtplib.SMTPAuthenticationError as error:
            return SmtpReply.of(error)
        except UnicodeEncodeError as error:
            raise failures.password_not_ascii(self._server) from error

    def _ready(self, envelope: SmtpEnvelope) -> bytes:
        smtp = self._open
        if envelope.has_other_letters and not smtp.has_extn("smtputf8"):
            raise failures.unicode_addresses_unsupported(self._server)
        content = envelope.content(eight_bit=smtp.has_extn("8bitmime"))
        most = smtp.esmtp_features.get("size", "")
        if most.isdigit() and 0 < int(most) < len(content):
            raise failures.too_large(self._server, len(content), int(most))
        return content

    def _address(self, envelope: SmtpEnvelope, content: bytes) -> None:
        smtp = self._open
        wanted = {
            f"SIZE={len(content)}": smtp.has_extn("size"),
            "BODY=8BITMIME": not content.isascii(),
            "SMTPUTF8": envelope.has_other_letters,
        }
        said = SmtpReply(
            *smtp.mail(envelope.sender, [each for each, is_so in wanted.items() if is_so])
        )
        if said.code != 250:
            raise failures.sender_refused(self._server, envelope.sender, said)
        replies = {each: SmtpReply(*smtp.rcpt(each)) for each in envelope.recipients}
        refused = {each: reply for each, reply in replies.items() if reply.code not in {250, 251}}
        if refused:
            raise failures.recipients_refused(self._server, refused, len(replies))

    def _begin(self) -> None:
        said = SmtpReply(*self._open.docmd("DATA"))
        if said.code != 354:
            raise failures.message_refused(self._server, said)

    def _be_done(self) -> None:
        """From here on the server may deliver the message, whatever is heard of it."""
        with self._turn:
            if self._abandoned:
                raise ToolError("The email was not sent: it was stopped before.")
            self.fate = "unknown"

    def _wait_longer(self) -> None:
        if self._open.sock:
            self._open.sock.settimeout(self._server.timeout * _DATA_TIMEOUT_FACTOR)


def _default_tls_context() -> ssl.SSLContext:
    """The system's authorities, and a list for packaged programs, which may not find those."""
    import certifi  # noqa: PLC0415 — not before the first paint

    trust = ssl.create_default_context()
    trust.load_verify_locations(certifi.where())
    return trust


def _submission_state(reply: SmtpReply) -> SubmissionState:
    if 200 <= reply.code < 300:
        return "sent"
    return "not sent" if 400 <= reply.code < 600 else "unknown"
