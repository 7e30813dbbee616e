"""Sending by SMTP on the command line: connected once, sent when approved, and told as it was."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.tools.accounts.keyring_session import KeyringSession
from tests.tools.mail.smtp.certificates import Certificate
from tests.tools.mail.smtp.smtp_servers import CLOSE, ScriptedSmtpServer, SmtpTestServer

PASSWORD = "abcd efgh ijkl mnop"  # noqa: S105 — nobody's
SENT = 'Email successfully sent to {} with subject "Lunch".'


@dataclass(frozen=True)
class SmtpProfile:
    """The command line with a keyring and a certificate that it trusts."""

    session: KeyringSession
    profile: Path
    certificate: Certificate

    async def run(self, *arguments: str, given: str = "") -> tuple[int, str, str]:
        """Run a command; its status, what it prints, and what it says beside that."""
        finished = await asyncio.to_thread(
            self.session.run,
            "open",
            *("-m", "gui", *arguments, "--profile", str(self.profile)),
            given=given,
            SSL_CERT_FILE=str(self.certificate.file),
            TOOLS_EMAIL_USER_PERSONAL_EMAIL_ADDRESS="me@home.example",
        )
        return finished.returncode, finished.stdout, finished.stderr

    async def connect(self, port: int, security: str) -> None:
        """Connect the account once."""
        command = ("connect", "smtp", "me@x.org", "--host", "localhost", "--password-stdin")
        status, said, why = await self.run(
            *command, "--port", str(port), "--security", security, given=PASSWORD
        )
        assert status == 0, why
        assert "me@x.org" in said

    async def send(self, approve: str = "all", **fields: str) -> Mapping[str, Any]:
        """Call sendEmail over the bus."""
        email = {"to": "ana@x.org", "subject": "Lunch", "body": "At noon?", **fields}
        request = {
            "tool": "mail",
            "action": "sendEmail",
            "args_json": json.dumps(email),
            "channel_id": "test",
        }
        _, said, why = await self.run(
            "call", "tools/execute", json.dumps(request), "--approve", approve
        )
        assert said, why
        answer: Mapping[str, Any] = json.loads(said)
        return answer


@pytest.fixture
def smtp(tmp_path: Path) -> SmtpProfile:
    certificate = Certificate.create(tmp_path)
    return SmtpProfile(KeyringSession(tmp_path / "home"), tmp_path / "profile", certificate)


async def test_only_approved_mail_arrives(smtp: SmtpProfile) -> None:
    async with SmtpTestServer().running(smtp.certificate.server_context) as server:
        await smtp.connect(server.port, "starttls")
        declined = await smtp.send(approve="none")
        assert (declined["ok"], server.received) == (False, [])
        sent = await smtp.send()
        assert (sent["ok"], json.loads(sent["data_json"])) == (True, SENT.format("ana@x.org"))
        to_self = await smtp.send(to=" self_email_recipient ")
        assert json.loads(to_self["data_json"]) == SENT.format("me@home.example")
    first, second = server.received
    assert (first.recipients, second.recipients) == (("ana@x.org",), ("me@home.example",))
    assert (first.message["From"], first.message["Subject"]) == ("me@x.org", "Lunch")
    assert first.message.get_content().strip() == "At noon?"


async def test_a_lost_answer_gives_one_mail_and_is_told_as_not_known(smtp: SmtpProfile) -> None:
    async with ScriptedSmtpServer().running(smtp.certificate.server_context) as server:
        await smtp.connect(server.port, "tls")
        server.script = {".": CLOSE}
        answer = await smtp.send()
    assert len(server.messages) == 1
    assert (answer["ok"], answer["data_json"]) == (False, None)
    assert "may have been sent" in answer["error"]
    assert "Look in Sent before sending it again" in answer["error"]


async def test_an_invalid_port_is_refused_before_the_password_prompt(smtp: SmtpProfile) -> None:
    for port in ("0", "65536", "smtp"):
        status, _, why = await smtp.run("connect", "smtp", "me@x.org", "--port", port)
        assert (status, "is not a port" in why) == (2, True)


async def test_a_refusal_names_whom_and_why(smtp: SmtpProfile) -> None:
    async with ScriptedSmtpServer().running(smtp.certificate.server_context) as server:
        await smtp.connect(server.port, "tls")
        server.script = {"RCPT": "550 5.1.1 no such user"}
        answer = await smtp.send()
    assert answer["error"] == (
        "Failed to send email to ana@x.org. Error: localhost refused ana@x.org"
        " (550 5.1.1 no such user)."
    )
    assert not server.messages
