"""Smuggling through mail: no line break in any field becomes a header, a recipient or a command."""

import mailbox
from pathlib import Path
from typing import Any

import pytest

from tests.tools.mail.raw_messages import CLOCK
from tests.tools.mail.smtp.certificates import Certificate
from tests.tools.mail.smtp.smtp_servers import ScriptedSmtpServer, SmtpTestServer
from tests.tools.mail.smtp.test_smtp_sender import outgoing
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.mail_sending import MailSending
from tools.mail.senders import SenderAccounts
from tools.mail.smtp.smtp_sender import SmtpSender
from tools.proposal import Proposal
from tools.tool_errors import ToolError

BREAKS = ("\r\n", "\n", "\r", "\n\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\0")
SMUGGLED = (
    "Bcc: evil@evil.example",
    " evil@evil.example",
    ".\r\nMAIL FROM:<me@x.org>\r\nRCPT TO:<evil@evil.example>\r\nDATA",
)
EXPECTED = "from to subject date message-id mime-version content-type content-transfer-encoding"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate.create(tmp_path_factory.mktemp("certificate"))


def sending(sender: SmtpSender, tmp_path: Path) -> MailSending:
    mailbox.Maildir(tmp_path / "mail", create=True)
    box = LocalMailbox(
        MaildirStore(tmp_path / "mail"),
        account="Work",
        index=tmp_path / "index.db",
        clock=CLOCK,
        address="me@x.org",
    )
    return MailSending(SenderAccounts([sender]), box, "me@x.org", CLOCK)


async def performed(asked: Any) -> None:
    assert isinstance(asked, Proposal)
    await asked.perform()


@pytest.mark.parametrize("smuggled", SMUGGLED)
async def test_a_line_break_in_a_field_is_refused_before_the_approval(
    smuggled: str, certificate: Certificate, tmp_path: Path
) -> None:
    async with ScriptedSmtpServer().running(certificate.server_context) as server:
        tool = sending(outgoing(server.address, certificate.client_context, tmp_path), tmp_path)
        for between in BREAKS:
            evil = f"{between}{smuggled}"
            for fields in (
                {"to": f"ana@x.org{evil}"},
                {"to": f"Ana{evil} <ana@x.org>"},
                {"cc": f'"Ana{evil}" <ana@x.org>'},
                {"bcc": [f"ana@x.org{evil}"]},
                {"subject": f"Hello{evil}"},
            ):
                given: Any = {"to": "ana@x.org", "subject": "Hello", "body": "Hi.", **fields}
                with pytest.raises(ToolError):
                    await tool.compose_email(**given, send=True)
    assert not server.commands


@pytest.mark.parametrize("smuggled", SMUGGLED)
@pytest.mark.parametrize("between", BREAKS)
async def test_any_body_arrives_as_the_body_for_one_recipient(
    smuggled: str, between: str, certificate: Certificate, tmp_path: Path
) -> None:
    body = f"Hi.{between}{smuggled}\r\n.\r\nThe end."
    async with SmtpTestServer().running(certificate.server_context) as server:
        tool = sending(outgoing(server.address, certificate.client_context, tmp_path), tmp_path)
        await performed(await tool.sendEmail("ana@x.org", "Hello", body))
    (arrived,) = server.received
    assert arrived.recipients == ("ana@x.org",)
    assert arrived.message["Bcc"] is None
    assert {name.lower() for name in arrived.message} == set(EXPECTED.split())
    assert "The end." in arrived.message.get_content()
    assert "evil@evil.example" in arrived.message.get_content()
