"""A talk with an SMTP server: encrypted, signed in, and one message handed in; it blocks."""

import base64
import re
import smtplib
import socket
import ssl
import threading
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

from tools.mail import smtp_failures as failures
from tools.mail.envelope import Envelope
from tools.mail.smtp_failures import Reply, in_words
from tools.mail.smtp_server import SmtpServer
from tools.tool import ToolError

Fate = Literal["not sent", "unknown", "sent"]

_HERE = "[127.0.0.1]"  # in the greeting: what this computer is called is nobody's business
_ABOUT_THE_WHOLE = 10  # times as long may a server think about a message (RFC 5321, 4.5.3.2.6)
_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)
_WAYS = ("PLAIN", "LOGIN")


class SmtpTalk:
    """A context manager; all is done in one thread, and `abandon` may come from another.

    `fate` is that of the message; it is unknown once it went out whole, until the server said yes
    or no to it.
    """

    def __init__(self, server: SmtpServer, tls: ssl.SSLContext | None) -> None:
        self.fate: Fate = "not sent"
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
        with in_words(self._server):
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
        way = next((each for each in _WAYS if each in offered), None)
        if way is None:
            raise failures.takes_no_password(self._server)
        with in_words(self._server):
            reply = self._reply_to_password(way, address, password)
        if reply.code not in {235, 503}:
            raise failures.password_refused(self._server, address, reply)

    def hand_in(self, envelope: Envelope) -> None:
        """Hand the message in, for everybody on the envelope or for nobody.

        Raises:
            ToolError: it was not taken, or its fate is unknown.
        """
        with in_words(self._server):
            content = self._ready(envelope)
            self._address(envelope, content)
            self._begin()
            self._open.send(_LEADING_DOT.sub(b"..", content))
            self._be_done()
            self._wait_longer()
            self._open.send(b".\r\n")
            reply = Reply(*self._open.getreply())
        self.fate = _judged(reply)
        if self.fate != "sent":
            raise failures.refused(self._server, reply)

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
        self._tls = self._tls or _everybodys_trust()
        host, port, timeout = self._server.host, self._server.port, self._server.timeout
        try:
            if self._server.security == "tls":
                return smtplib.SMTP_SSL(host, port, _HERE, timeout=timeout, context=self._tls)
            return smtplib.SMTP(host, port, _HERE, timeout)
        except UnicodeError as error:  # as of smtp..example.com
            raise failures.no_host_name(self._server) from error

    def _encrypt(self, smtp: smtplib.SMTP) -> None:
        if self._server.security == "starttls":
            smtp.starttls(context=self._tls)
        smtp.ehlo()

    def _reply_to_password(self, way: str, address: str, password: str) -> Reply:
        if way == "PLAIN":  # the library writes ASCII alone
            words = base64.b64encode(f"\0{address}\0{password}".encode()).decode()
            return Reply(*self._open.docmd("AUTH", f"PLAIN {words}"))
        self._open.user, self._open.password = address, password
        try:
            return Reply(*self._open.auth(way, self._open.auth_login))
        except smtplib.SMTPAuthenticationError as error:
            return Reply.of(error)
        except UnicodeEncodeError as error:
            raise failures.unwritable_password(self._server) from error

    def _ready(self, envelope: Envelope) -> bytes:
        smtp = self._open
        if envelope.has_other_letters and not smtp.has_extn("smtputf8"):
            raise failures.takes_no_other_letters(self._server)
        content = envelope.content(eight_bit=smtp.has_extn("8bitmime"))
        most = smtp.esmtp_features.get("size", "")
        if most.isdigit() and 0 < int(most) < len(content):
            raise failures.too_large(self._server, len(content), int(most))
        return content

    def _address(self, envelope: Envelope, content: bytes) -> None:
        smtp = self._open
        wanted = {
            f"SIZE={len(content)}": smtp.has_extn("size"),
            "BODY=8BITMIME": not content.isascii(),
            "SMTPUTF8": envelope.has_other_letters,
        }
        said = Reply(*smtp.mail(envelope.sender, [each for each, is_so in wanted.items() if is_so]))
        if said.code != 250:
            raise failures.sender_refused(self._server, envelope.sender, said)
        replies = {each: Reply(*smtp.rcpt(each)) for each in envelope.recipients}
        refused = {each: reply for each, reply in replies.items() if reply.code not in {250, 251}}
        if refused:
            raise failures.recipients_refused(self._server, refused, len(replies))

    def _begin(self) -> None:
        said = Reply(*self._open.docmd("DATA"))
        if said.code != 354:
            raise failures.refused(self._server, said)

    def _be_done(self) -> None:
        """From here on the server may deliver the message, whatever is heard of it."""
        with self._turn:
            if self._abandoned:
                raise ToolError("The email was not sent: it was stopped before.")
            self.fate = "unknown"

    def _wait_longer(self) -> None:
        if self._open.sock:
            self._open.sock.settimeout(self._server.timeout * _ABOUT_THE_WHOLE)


def _everybodys_trust() -> ssl.SSLContext:
    """The system's authorities, and a list for packaged programs, which may not find those."""
    import certifi  # noqa: PLC0415 — not before the first paint

    trust = ssl.create_default_context()
    trust.load_verify_locations(certifi.where())
    return trust


def _judged(reply: Reply) -> Fate:
    if 200 <= reply.code < 300:
        return "sent"
    return "not sent" if 400 <= reply.code < 600 else "unknown"
