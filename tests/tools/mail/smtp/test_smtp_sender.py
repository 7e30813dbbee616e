"""Sending through a real mail server: what it gets is what was written, and nothing more."""

import asyncio
import mailbox
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tools.mail.raw_messages import CLOCK
from tests.tools.mail.smtp.certificates import Certificate
from tests.tools.mail.smtp.smtp_servers import ScriptedSmtpServer, SmtpTestServer
from tools.mail.compose.mime_message import write_mime
from tools.mail.compose.outgoing_attachments import read_attachments
from tools.mail.compose.outgoing_message import OutgoingMessage, new_message_id
from tools.mail.compose.replies_and_forwards import ReplyHeaders
from tools.mail.local.maildir_sender import MaildirSender
from tools.mail.smtp.smtp_sender import SmtpSender
from tools.mail.smtp.smtp_server import SmtpServer
from tools.recipients import Recipient
from tools.tool_errors import ToolError

PASSWORD = "abcdefghijklmnop"  # noqa: S105 — nobody's
ANA, BO, CY = (Recipient(name, f"{name.lower()}@x.org") for name in ("Ana", "Bo", "Cy"))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate.create(tmp_path_factory.mktemp("certificate"))


def make_message(**fields: Any) -> OutgoingMessage:
    made = OutgoingMessage(
        sender=Recipient("Me", "me@x.org"),
        to=(ANA,),
        subject="Lunch",
        body="At noon?",
        message_id=new_message_id("me@x.org"),
        date=CLOCK(),
    )
    return replace(made, **fields)


def outgoing(
    server: SmtpServer, tls: ssl.SSLContext | None, tmp_path: Path, password: str = PASSWORD
) -> SmtpSender:
    async def known() -> str:
        return password

    drafts = MaildirSender(tmp_path / "mail", "me@x.org", "Me", CLOCK)
    return SmtpSender(server, "me@x.org", "Me", known, drafts, account="Work", clock=CLOCK, tls=tls)


async def received(
    sent: OutgoingMessage, certificate: Certificate, tmp_path: Path, **terms: Any
) -> SmtpTestServer:
    """The server after it received that message."""
    async with SmtpTestServer().running(certificate.server_context, **terms) as server:
        note = await outgoing(server.address, certificate.client_context, tmp_path).send(
            write_mime(sent)
        )
    assert note == ""
    return server


async def test_the_received_message_is_the_sent_one(
    certificate: Certificate, tmp_path: Path
) -> None:
    sent = make_message(
        to=(ANA, replace(BO, name="Bö, the “other”")),
        cc=(CY,),
        subject="Grüße from 北京 " * 8,
        body="One.\n.\n..two\n.\nLast, ümlaut",
        reply_headers=ReplyHeaders("<1@x.org>", ("<0@x.org>", "<1@x.org>")),
    )
    (arrived,) = (await received(sent, certificate, tmp_path)).received
    assert arrived.sender == "me@x.org"
    assert arrived.recipients == ("ana@x.org", "bo@x.org", "cy@x.org")
    message = arrived.message
    assert (message["Subject"], message["From"]) == (sent.subject, "Me <me@x.org>")
    assert [each.display_name for each in message["To"].addresses] == ["Ana", "Bö, the “other”"]
    assert (message["Cc"], message["Message-ID"]) == ("Cy <cy@x.org>", sent.message_id)
    assert (message["In-Reply-To"], message["References"]) == ("<1@x.org>", "<0@x.org> <1@x.org>")
    assert message["Date"].datetime == sent.date
    assert message.get_content().replace("\r\n", "\n") == sent.body + "\n"


async def test_bcc_recipients_are_only_on_the_envelope(
    certificate: Certificate, tmp_path: Path
) -> None:
    server = await received(make_message(bcc=(BO, CY)), certificate, tmp_path)
    (arrived,) = server.received
    assert arrived.recipients == ("ana@x.org", "bo@x.org", "cy@x.org")
    assert "bcc" not in arrived.content.decode().lower()
    assert "bo@x.org" not in arrived.content.decode()


async def test_attachments_arrive_byte_for_byte(certificate: Certificate, tmp_path: Path) -> None:
    contents = {"ünits.bin": bytes(range(256)) * 50, "dots.txt": b".\r\n..\n.", "empty.txt": b""}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    files = read_attachments([str(tmp_path / name) for name in contents])
    (arrived,) = (await received(make_message(attachments=files), certificate, tmp_path)).received
    found = list(arrived.message.iter_attachments())
    assert {each.get_filename(): each.get_payload(decode=True) for each in found} == contents


@pytest.mark.parametrize("takes_eight_bits", [True, False])
async def test_non_ascii_text_reaches_every_server(
    takes_eight_bits: bool, certificate: Certificate, tmp_path: Path
) -> None:
    body = "Grüße – 北京 😀\n" * 3
    terms = {} if takes_eight_bits else {"decode_data": True, "enable_SMTPUTF8": False}
    (arrived,) = (await received(make_message(body=body), certificate, tmp_path, **terms)).received
    assert arrived.message.get_content().replace("\r\n", "\n") == body
    assert arrived.content.isascii() is not takes_eight_bits
    assert ("BODY=8BITMIME" in arrived.options) is takes_eight_bits


async def test_a_non_ascii_address_needs_smtputf8(certificate: Certificate, tmp_path: Path) -> None:
    message = write_mime(make_message())
    del message["To"]
    message["To"] = "Jörg <jörg@bücher.example>"
    async with SmtpTestServer().running(certificate.server_context, enable_SMTPUTF8=True) as server:
        await outgoing(server.address, certificate.client_context, tmp_path).send(message)
    (arrived,) = server.received
    assert arrived.recipients == ("jörg@bücher.example",)
    assert "SMTPUTF8" in arrived.options
    assert "jörg@bücher.example".encode() in arrived.content
    async with SmtpTestServer().running(
        certificate.server_context, enable_SMTPUTF8=False
    ) as server:
        with pytest.raises(ToolError, match="plain English letters"):
            await outgoing(server.address, certificate.client_context, tmp_path).send(message)
    assert not server.received


@pytest.mark.parametrize(
    "given",
    ["abcd efgh ijkl mnop", "abcd\xa0efgh\xa0ijkl\xa0mnop", " abcd efgh ijkl mnop\n", PASSWORD],
)
async def test_an_app_password_works_as_google_shows_it(
    given: str, certificate: Certificate, tmp_path: Path
) -> None:
    async with SmtpTestServer(PASSWORD).running(certificate.server_context) as server:
        await outgoing(server.address, certificate.client_context, tmp_path, given).check()
    assert server.signed_in == ["me@x.org"]
    assert not server.received


@pytest.mark.parametrize("password", [" two words, and blanks ", "pässwörd", "ab cd"])
async def test_any_other_password_is_sent_unchanged(
    password: str, certificate: Certificate, tmp_path: Path
) -> None:
    async with SmtpTestServer(password).running(certificate.server_context) as server:
        await outgoing(server.address, certificate.client_context, tmp_path, password).check()
    assert server.signed_in == ["me@x.org"]


async def test_auth_login_is_supported(certificate: Certificate, tmp_path: Path) -> None:
    terms: Any = {"auth_exclude_mechanism": ["PLAIN"]}
    assert (await received(make_message(), certificate, tmp_path, **terms)).received
    async with SmtpTestServer("pässwörd").running(certificate.server_context, **terms) as server:
        with pytest.raises(ToolError, match="plain English letters"):
            await outgoing(server.address, certificate.client_context, tmp_path, "pässwörd").check()


async def test_implicit_tls_is_supported(certificate: Certificate, tmp_path: Path) -> None:
    async with ScriptedSmtpServer().running(certificate.server_context) as server:
        await outgoing(server.address, certificate.client_context, tmp_path).send(
            write_mime(make_message())
        )
    assert len(server.messages) == 1
    assert server.commands == ["EHLO", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"]


async def test_the_same_message_is_sent_once(certificate: Certificate, tmp_path: Path) -> None:
    message = write_mime(make_message())
    async with SmtpTestServer().running(certificate.server_context) as server:
        sender = outgoing(server.address, certificate.client_context, tmp_path)
        await asyncio.gather(sender.send(message), sender.send(message))
        await sender.send(message)
        await sender.send(write_mime(make_message()))
    assert len(server.received) == 2


async def test_a_draft_is_saved_with_the_other_drafts(
    certificate: Certificate, tmp_path: Path
) -> None:
    mailbox.Maildir(tmp_path / "mail", create=True)
    async with ScriptedSmtpServer().running(certificate.server_context) as server:
        sender = outgoing(server.address, certificate.client_context, tmp_path)
        place = await sender.save_draft(write_mime(make_message()))
    assert "Drafts" in place
    assert not server.commands
    (kept,) = mailbox.Maildir(tmp_path / "mail").get_folder("Drafts")
    assert kept["Subject"] == "Lunch"
