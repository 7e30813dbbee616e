"""Mail servers on bad days: what was not sent is never shown as sent, and nothing goes twice."""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.mail.smtp.certificates import Certificate
from tests.tools.mail.smtp.smtp_servers import CLOSE, ScriptedSmtpServer, SmtpTestServer
from tests.tools.mail.smtp.test_smtp_sender import ANA, BO, CY, PASSWORD, make_message, outgoing
from tools.mail.compose.mime_message import write_mime
from tools.mail.smtp.smtp_server import SmtpServer
from tools.mail.smtp.smtp_session import SmtpSession
from tools.tool_errors import Remedy, ToolError, UnknownOutcomeError

GOOGLE_SAYS_NO = (
    "535-5.7.8 Username and Password not accepted. For more information, go to\r\n"
    "535 5.7.8  https://support.google.com/mail/?p=BadCredentials a1-2 - gsmtp"
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate.create(tmp_path_factory.mktemp("certificate"))


async def refusal(
    script: Mapping[str, str | None], certificate: Certificate, tmp_path: Path, patience: float = 20
) -> tuple[ToolError, ScriptedSmtpServer]:
    """The error when a server follows that script, and the server."""
    async with ScriptedSmtpServer(script).running(certificate.server_context) as server:
        address = replace(server.address, timeout=patience)
        sender = outgoing(address, certificate.client_context, tmp_path)
        with pytest.raises(ToolError) as raised:
            await sender.send(write_mime(make_message()))
        await server.disconnected.wait()
    assert PASSWORD not in str(raised.value)
    return raised.value, server


@pytest.mark.parametrize("end", [CLOSE, None, "what?", "250"[:2], "354 go on"])
async def test_a_lost_reply_is_reported_and_nothing_is_sent_again(
    end: str | None, certificate: Certificate, tmp_path: Path
) -> None:
    message = write_mime(make_message())
    async with ScriptedSmtpServer({".": end}).running(certificate.server_context) as server:
        address = replace(server.address, timeout=0.2 if end is None else 20)
        sender = outgoing(address, certificate.client_context, tmp_path)
        for _ in range(2):
            with pytest.raises(UnknownOutcomeError, match="may have been sent") as raised:
                await sender.send(message)
            assert "Look in Sent before sending it again" in str(raised.value)
            assert "12:00" in str(raised.value)
        assert len(server.messages) == 1
        assert server.commands.count("EHLO") == 1


@pytest.mark.parametrize("at", ["", "EHLO", "AUTH", "MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize("end", [CLOSE, None])
async def test_a_connection_lost_before_the_message_leaves_it_unsent(
    at: str, end: str | None, certificate: Certificate, tmp_path: Path
) -> None:
    error, server = await refusal({at: end}, certificate, tmp_path, 0.3 if end is None else 20)
    assert not isinstance(error, UnknownOutcomeError)
    assert ("did not answer" if end is None else "was lost") in str(error)
    assert error.remedy is Remedy.TRY_AGAIN
    assert not server.messages


async def test_a_failed_send_can_be_repeated(certificate: Certificate, tmp_path: Path) -> None:
    message = write_mime(make_message())
    async with ScriptedSmtpServer({"DATA": CLOSE}).running(certificate.server_context) as server:
        sender = outgoing(server.address, certificate.client_context, tmp_path)
        with pytest.raises(ToolError):
            await sender.send(message)
        server.script = {}
        await sender.send(message)
    assert len(server.messages) == 1


@pytest.mark.parametrize("end", [CLOSE, "500 what?"])
async def test_a_lost_reply_to_quit_changes_nothing(
    end: str, certificate: Certificate, tmp_path: Path
) -> None:
    async with ScriptedSmtpServer({"QUIT": end}).running(certificate.server_context) as server:
        assert (
            await outgoing(server.address, certificate.client_context, tmp_path).send(
                write_mime(make_message())
            )
            == ""
        )
    assert len(server.messages) == 1


@pytest.mark.parametrize(
    ("script", "words", "remedy"),
    [
        ({"": "554 go away"}, "refuses connections now (554 go away)", Remedy.TRY_AGAIN),
        ({"MAIL": "553 not yours"}, "does not let me@x.org send this (553 not yours)", None),
        ({"RCPT": "450 greylisted"}, "refused ana@x.org (450 greylisted)", Remedy.TRY_AGAIN),
        ({"DATA": "554 no"}, "rejected the email (554 no)", None),
        ({".": "552 5.2.3 too\x1b[2J large"}, "(552 5.2.3 too [2J large)", None),
        ({".": "421 4.7.0 later"}, "rejected the email (421 4.7.0 later)", Remedy.TRY_AGAIN),
        ({"AUTH": GOOGLE_SAYS_NO}, "https://myaccount.google.com/apppasswords", Remedy.SIGN_IN),
        ({"AUTH": "534 5.7.9 wanted - gsmtp"}, "needs an app password here", Remedy.SIGN_IN),
        ({"AUTH": "535 wrong"}, "the password for me@x.org (535 wrong)", Remedy.SIGN_IN),
        ({"AUTH": "454 busy"}, "cannot check passwords now (454 busy)", Remedy.TRY_AGAIN),
        ({"EHLO": "250 localhost"}, "accepts no password at port", None),
        ({"EHLO": "250-x\r\n250 AUTH XOAUTH2"}, "accepts no password at port", None),
        ({"EHLO": "250-x\r\n250-SIZE 100\r\n250 AUTH PLAIN"}, "accepts at most 0.0 MB", None),
    ],
)
async def test_a_refusal_is_reported_with_a_remedy(
    script: Mapping[str, str],
    words: str,
    remedy: Remedy | None,
    certificate: Certificate,
    tmp_path: Path,
) -> None:
    error, _ = await refusal(script, certificate, tmp_path)
    assert not isinstance(error, UnknownOutcomeError)
    assert words in str(error)
    assert error.remedy is remedy


async def test_one_wrong_password_is_tried_once(certificate: Certificate, tmp_path: Path) -> None:
    script = {"EHLO": "250-x\r\n250 AUTH PLAIN LOGIN CRAM-MD5", "AUTH": "535 wrong"}
    _, server = await refusal(script, certificate, tmp_path)
    assert server.commands == ["EHLO", "AUTH", "QUIT"]


@pytest.mark.parametrize("refused", [["bo@x.org"], ["ana@x.org", "bo@x.org", "cy@x.org"]])
async def test_a_refused_recipient_stops_the_send_and_is_named(
    refused: list[str], certificate: Certificate, tmp_path: Path
) -> None:
    async with SmtpTestServer(refused=refused).running(certificate.server_context) as server:
        sender = outgoing(server.address, certificate.client_context, tmp_path)
        with pytest.raises(ToolError, match=r"550 5\.1\.1 No such user here") as raised:
            await sender.send(write_mime(make_message(to=(ANA, BO), bcc=(CY,))))
    assert not server.received
    assert all(
        (each in str(raised.value)) is (each in refused) for each in ("bo@x.org", "cy@x.org")
    )
    assert ("the others did not get it" in str(raised.value)) is (len(refused) < 3)


async def test_without_encryption_neither_password_nor_message_is_sent(tmp_path: Path) -> None:
    async with ScriptedSmtpServer().running(None) as server:
        with pytest.raises(ToolError, match="offers no encryption"):
            await outgoing(server.address, None, tmp_path).send(write_mime(make_message()))
        await server.disconnected.wait()
    assert set(server.commands) <= {"EHLO", "QUIT"}


@pytest.mark.parametrize("answer", ["454 not now", "220 go ahead"])
async def test_failed_encryption_never_falls_back_to_plain_text(
    answer: str, certificate: Certificate, tmp_path: Path
) -> None:
    script = {"EHLO": "250-x\r\n250-AUTH PLAIN\r\n250 STARTTLS", "STARTTLS": answer}
    async with ScriptedSmtpServer(script).running(None) as server:
        with pytest.raises(ToolError):
            await outgoing(server.address, certificate.client_context, tmp_path).send(
                write_mime(make_message())
            )
        await server.disconnected.wait()
    assert not server.passwords


async def test_a_server_with_an_invalid_certificate_gets_nothing(
    certificate: Certificate, tmp_path: Path
) -> None:
    expired = Certificate.create(tmp_path, expired=True)
    other = Certificate.create(tmp_path, "mail.example.org")
    for shown, trusted, why in (
        (certificate, None, "self-signed"),
        (expired, expired.client_context, "expired"),
        (other, other.client_context, "Hostname mismatch"),
    ):
        async with SmtpTestServer().running(shown.server_context) as server:
            with pytest.raises(ToolError, match="could not prove that it is localhost") as raised:
                await outgoing(server.address, trusted, tmp_path).send(write_mime(make_message()))
        assert why in str(raised.value)
        assert not server.signed_in


async def test_the_other_kind_of_encryption_is_suggested(
    certificate: Certificate, tmp_path: Path
) -> None:
    async with SmtpTestServer().running(certificate.server_context) as server:
        address = replace(server.address, security="tls")
        with pytest.raises(ToolError, match="it may need STARTTLS"):
            await outgoing(address, certificate.client_context, tmp_path).check()


async def test_an_unreachable_server_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ToolError, match="cannot be reached at port"):
        await outgoing(SmtpServer("127.0.0.1", port), None, tmp_path).check()
    with pytest.raises(ToolError, match="was not found: check its name"):
        await outgoing(SmtpServer("no-such-host.invalid"), None, tmp_path).check()
    with pytest.raises(ToolError, match=r"'smtp\.\.example\.com' is not a server name"):
        await outgoing(SmtpServer("smtp..example.com"), None, tmp_path).check()


async def test_without_a_password_no_server_is_contacted(
    certificate: Certificate, tmp_path: Path
) -> None:
    async with ScriptedSmtpServer().running(certificate.server_context) as server:
        with pytest.raises(ToolError, match="No password is stored") as raised:
            await outgoing(server.address, certificate.client_context, tmp_path, "").check()
    assert raised.value.remedy is Remedy.SIGN_IN
    assert not server.commands


async def test_a_send_stopped_before_the_end_of_the_message_is_not_sent(
    certificate: Certificate, tmp_path: Path
) -> None:
    message = write_mime(make_message())
    async with ScriptedSmtpServer({"RCPT": None}).running(certificate.server_context) as server:
        sender = outgoing(server.address, certificate.client_context, tmp_path)
        sending = asyncio.create_task(sender.send(message))
        await server.stalled.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        await server.disconnected.wait()
        assert not server.messages
        server.script = {}
        await sender.send(message)
        assert len(server.messages) == 1


async def test_a_send_stopped_after_the_end_of_the_message_is_unconfirmed(
    certificate: Certificate, tmp_path: Path
) -> None:
    message = write_mime(make_message())
    async with ScriptedSmtpServer({".": None}).running(certificate.server_context) as server:
        sender = outgoing(server.address, certificate.client_context, tmp_path)
        sending = asyncio.create_task(sender.send(message))
        await server.stalled.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        await server.disconnected.wait()
        with pytest.raises(UnknownOutcomeError):
            await sender.send(message)
        assert len(server.messages) == 1


async def test_an_aborted_connection_stays_encrypted(certificate: Certificate) -> None:
    async with ScriptedSmtpServer().running(certificate.server_context) as server:
        session = SmtpSession(server.address, certificate.client_context)
        await asyncio.to_thread(session.connect)
        session.abort()
        sock = session._connection.sock
        assert isinstance(sock, ssl.SSLSocket)
        assert sock.version()
        await asyncio.to_thread(session.close)


async def test_no_representation_contains_the_password(
    certificate: Certificate, tmp_path: Path
) -> None:
    sender = outgoing(SmtpServer(), certificate.client_context, tmp_path)
    assert PASSWORD not in repr(sender) + repr(vars(sender))
