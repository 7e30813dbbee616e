"""SMTP errors: server replies and connection errors, with advice for the user."""

import smtplib
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tools.mail.smtp.smtp_server import SmtpServer
from tools.markdown.plain_text import single_line
from tools.tool_errors import Remedy, ToolError

APP_PASSWORDS = "https://myaccount.google.com/apppasswords"


@dataclass(frozen=True)
class SmtpReply:
    """A server's reply; code -1 if it has no number."""

    code: int
    text: bytes

    @classmethod
    def of(cls, error: smtplib.SMTPResponseException) -> "SmtpReply":
        """Return the reply inside an smtplib exception."""
        text = error.smtp_error
        return cls(error.smtp_code, text.encode() if isinstance(text, str) else text)

    def __str__(self) -> str:
        """Return code and text, without invisible characters."""
        return single_line(f"{self.code} {self.text.decode('utf-8', 'replace')}")[:300]

    @property
    def is_temporary(self) -> bool:
        """Whether the failure is temporary."""
        return 400 <= self.code < 500

    @property
    def remedy(self) -> Remedy | None:
        """The remedy for a refusal, if one exists."""
        return Remedy.TRY_AGAIN if self.is_temporary else None


def message_refused(server: SmtpServer, reply: SmtpReply) -> ToolError:
    """The message was rejected."""
    return ToolError(f"{server.host} rejected the email ({reply}).", reply.remedy)


def sender_refused(server: SmtpServer, address: str, reply: SmtpReply) -> ToolError:
    """The account may not send, or not from that address."""
    return ToolError(f"{server.host} does not let {address} send this ({reply}).", reply.remedy)


def recipients_refused(
    server: SmtpServer, replies: Mapping[str, SmtpReply], total: int
) -> ToolError:
    """A recipient was rejected, so the message was sent to none."""
    refused = "; ".join(f"{address} ({reply})" for address, reply in replies.items())
    rest = ", so the others did not get it either" if len(replies) < total else ""
    is_temporary = all(reply.is_temporary for reply in replies.values())
    remedy = Remedy.TRY_AGAIN if is_temporary else None
    return ToolError(f"{server.host} refused {refused}{rest}.", remedy)


def password_refused(server: SmtpServer, address: str, reply: SmtpReply) -> ToolError:
    """The password was rejected, permanently or temporarily."""
    if reply.is_temporary:
        return ToolError(
            f"{server.host} cannot check passwords now ({reply}): try again in a while.",
            Remedy.TRY_AGAIN,
        )
    if server.is_google or b"gsmtp" in reply.text or b"google.com" in reply.text:
        return ToolError(
            f"{server.host} rejected the password for {address}. Google needs an app password"
            f" here, not the one you sign in with: create one at {APP_PASSWORDS} and enter it.",
            Remedy.SIGN_IN,
        )
    return ToolError(
        f"{server.host} rejected the password for {address} ({reply}): enter it again. Some"
        " providers need an app password, which is created in their settings.",
        Remedy.SIGN_IN,
    )


def password_missing(address: str) -> ToolError:
    """No password is stored."""
    return ToolError(f"No password is stored for {address}: enter it again.", Remedy.SIGN_IN)


def password_not_ascii(server: SmtpServer) -> ToolError:
    """The server's only sign-in method cannot carry these characters."""
    return ToolError(
        f"{server.host} accepts only passwords of plain English letters, digits and signs.",
        Remedy.SIGN_IN,
    )


def password_sign_in_unsupported(server: SmtpServer) -> ToolError:
    """The server offers no supported sign-in method."""
    return ToolError(
        f"{server.host} accepts no password at port {server.port}: ask your provider for the server"
        " for outgoing mail."
    )


def unicode_addresses_unsupported(server: SmtpServer) -> ToolError:
    """An address has non-ASCII characters."""
    return ToolError(
        f"{server.host} accepts only addresses of plain English letters: use another address of"
        " the recipient, or send from another account."
    )


def too_large(server: SmtpServer, size: int, limit: int) -> ToolError:
    """The message exceeds the server's size limit."""
    return ToolError(
        f"The email has {size / 1e6:.1f} MB and {server.host} accepts at most {limit / 1e6:.1f} MB:"
        " attach less."
    )


def invalid_host_name(server: SmtpServer) -> ToolError:
    """The host name is invalid."""
    return ToolError(f"{server.host!r} is not a server name: enter one like smtp.example.org.")


@contextmanager
def translate_errors(server: SmtpServer) -> Iterator[None]:
    """Translate library exceptions to sentences for the user.

    Raises:
        ToolError: the cause and a remedy.
    """
    try:
        yield
    except smtplib.SMTPNotSupportedError as error:
        raise _no_encryption(server) from error
    except smtplib.SMTPResponseException as error:
        raise ToolError(
            f"{server.host} refuses connections now ({SmtpReply.of(error)}).", Remedy.TRY_AGAIN
        ) from error
    except ssl.SSLError as error:
        raise _tls_error(server, error) from error
    except (OSError, smtplib.SMTPException) as error:
        text = f"{connection_error_text(server, error)}."
        raise ToolError(text, Remedy.TRY_AGAIN) from error


def _no_encryption(server: SmtpServer) -> ToolError:
    return ToolError(
        f"{server.host} offers no encryption at port {server.port}, so neither the password nor"
        " the email was sent there. Many providers have it at port 465, with TLS from the start."
    )


def _tls_error(server: SmtpServer, error: ssl.SSLError) -> ToolError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ToolError(
            f"{server.host} could not prove that it is {server.host} ({error.verify_message}), so"
            " neither the password nor the email was sent. Check the name of the server, the date"
            " of this computer and the network, such as that of a hotel."
        )
    other = "STARTTLS" if server.security == "tls" else "TLS from the start"
    return ToolError(
        f"No encrypted connection to {server.host} at port {server.port} was possible"
        f" ({error.reason or type(error).__name__}); it may need {other}."
    )


def connection_error_text(server: SmtpServer, error: BaseException) -> str:
    """Return the cause of a lost connection, as the beginning of a sentence."""
    cause = error.__context__ if isinstance(error, smtplib.SMTPServerDisconnected) else error
    if isinstance(cause, TimeoutError):
        return f"{server.host} did not answer at port {server.port} for {server.timeout:g} seconds"
    if isinstance(cause, socket.gaierror):
        return f"{server.host} was not found: check its name, and whether this computer is online"
    if isinstance(error, smtplib.SMTPException):
        return f"The connection to {server.host} was lost"
    reason = getattr(error, "strerror", None) or type(error).__name__
    return f"{server.host} cannot be reached at port {server.port} ({reason})"
