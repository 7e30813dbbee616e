"""Accounts are connected, looked at, tried and disconnected through the workspace."""

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.accounts.connections import AccountStatus
from assistant.accounts.providers import LOCAL_DRAFTS
from assistant.agent import await_reply
from assistant.runs.reply import Reply
from assistant.runs.request import Request
from assistant.settings.account_settings import Account
from assistant.workspace import Workspace
from tests.assistant.scripted import CLOCK, ScriptedApprover
from tests.google.browser import browser
from tests.google.faults import CLOSED
from tests.google.google import Google
from tests.google.server import google_server
from tests.tools.mail.smtp.certificates import Certificate
from tests.tools.mail.smtp.smtp_servers import SmtpTestServer
from tools.accounts.encrypted_file import EncryptedFile
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.secret_store import SecretStore
from tools.calendar.event import Event
from tools.mail.search.query import Query
from tools.tool_errors import Remedy, ToolError

READ = {Permission.READ_MAIL}
PASSPHRASE = "correct horse battery"  # noqa: S105 — nobody's
LETTER = (
    b"From: Sarah <sarah@x.example>\r\nTo: anna.berg@example.com\r\nSubject: The budget\r\n"
    b"Message-ID: <budget@x.example>\r\nDate: Fri, 20 Nov 2026 08:00:00 +0000\r\n\r\n"
    b"The figures are due on Friday.\r\n"
)


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as running:
        yield running


@dataclass
class Home:
    """One person's profile, opened as often as they start the program."""

    folder: Path
    environment: dict[str, str]
    secrets: SecretStore = field(default_factory=SecretStore)
    opened: list[Workspace] = field(default_factory=list)

    async def start(self) -> Workspace:
        for workspace in self.opened:
            await workspace.close()
        workspace = Workspace.open(
            self.folder, clock=CLOCK, environment=self.environment, secrets=self.secrets
        )
        self.opened.append(workspace)
        return workspace

    async def seal(self) -> None:
        await self.secrets.use_encrypted_file(self.folder / "secrets.sealed", PASSPHRASE)

    async def lock(self) -> None:
        """As a fresh start has it."""
        self.secrets = SecretStore(EncryptedFile(self.folder / "secrets.sealed"))

    async def with_google(self, google: Google, permissions: set[Permission] = READ) -> Workspace:
        await (await self.start()).accounts.google.set_client(google.client)
        workspace = await self.start()
        with browser() as opened:
            await workspace.accounts.google.connect("work", permissions, lambda _: None, opened)
        return await self.start()


@pytest.fixture
async def home(tmp_path: Path, google: Google) -> AsyncIterator[Home]:
    made = Home(tmp_path / "profile", {"DESKHAND_GOOGLE_ENDPOINT": google.url})
    made.secrets.use_session_only()
    yield made
    for workspace in made.opened:
        await workspace.close()


@pytest.fixture
async def smtp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SmtpTestServer]:
    certificate = Certificate.create(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    async with SmtpTestServer().running(certificate.server_context) as server:
        yield server


async def ask(
    workspace: Workspace, text: str, approver: ScriptedApprover | None = None
) -> tuple[Reply, Remedy | None]:
    replied = await await_reply(workspace.agent.run(Request(text), approver or ScriptedApprover()))
    return replied.reply, replied.remedy


async def test_connected_gmail_replaces_the_sample_permanently(home: Home, google: Google) -> None:
    google.add_mail(LETTER)
    assert (await home.start()).sample
    workspace = await home.with_google(google)
    assert workspace.sample is None
    assert workspace.summary == "work"
    reply, _ = await ask(workspace, "Read my latest 5 emails")
    assert "The budget" in reply.details
    (status,) = await (await home.start()).accounts.statuses()
    assert (status.name, status.kind, status.state) == ("work", "google", "ready")
    assert status.granted == READ


async def test_a_missing_permission_is_refused_before_approval_is_requested(
    home: Home, google: Google
) -> None:
    workspace, approver = await home.with_google(google), ScriptedApprover()
    reply, remedy = await ask(workspace, 'Send an email to bo@x.example saying "hello"', approver)
    assert (reply.status, remedy, approver.asked) == ("error", Remedy.ALLOW, [])
    (status,) = await workspace.accounts.statuses()
    assert status.wanted == {Permission.WRITE_MAIL}
    with browser() as opened:
        await workspace.accounts.google.allow("work", status.wanted, lambda _: None, opened)
    reply, _ = await ask(workspace, 'Send an email to bo@x.example saying "hello"', approver)
    assert reply.status == "success"
    assert [each.title for each in approver.asked] == ["Send this email"]
    assert [each for each in google.messages.values() if "SENT" in each.labels]


async def test_disconnecting_revokes_forgets_and_brings_the_sample_back(
    home: Home, google: Google
) -> None:
    google.add_mail(LETTER)
    workspace = await home.with_google(google)
    await ask(workspace, "Read my latest 5 emails")
    assert list((home.folder / "indexes").glob("mail-*"))
    words = await workspace.accounts.disconnect("work")
    assert "access at Google is revoked" in words
    assert any(each.path == "/oauth2/revoke" for each in google.requests)
    assert await home.secrets.get(f"google:{google.address}") == ""
    assert not list((home.folder / "indexes").glob("mail-*"))
    assert (await home.start()).sample


async def test_an_smtp_account_is_tested_before_it_is_saved(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = Certificate.create(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    async with SmtpTestServer().running(certificate.server_context) as server:
        wanted = Account("", "smtp", address="Ana <ana@x.org>", host="localhost", port=server.port)
        workspace = await home.start()
        with pytest.raises(ToolError, match="password"):
            await workspace.accounts.connect_smtp(wanted, "not this one")
        assert (await home.start()).sample
        await (await home.start()).accounts.connect_smtp(wanted, server.password)
        workspace = await home.start()
        assert "Signed in to" in await workspace.accounts.test("ana@x.org")
        approver = ScriptedApprover()
        reply, _ = await ask(workspace, 'Send an email to bo@x.example saying "hello"', approver)
        assert reply.status == "success"
        assert [each.recipients for each in server.received] == [("bo@x.example",)]
        draft, _ = await ask(workspace, 'Draft an email to bo@x.example saying "later"', approver)
        assert "Drafts folder" in draft.message + draft.details
        await (await home.start()).accounts.disconnect("ana@x.org")
        assert await home.secrets.get("smtp:ana@x.org") == ""


async def test_google_and_smtp_of_one_address_are_two_accounts_whichever_came_first(
    home: Home, google: Google, smtp: SmtpTestServer
) -> None:
    address = google.address
    await _connect_smtp(home, smtp, address)
    await (await home.start()).accounts.google.set_client(google.client)
    for name in ("", address):
        await _connect_google(home, name)
    assert await _names(home) == [address, f"{address} (Google)"]
    for name in (address, f"{address} (Google)"):
        await (await home.start()).accounts.disconnect(name)
    await _connect_google(home)
    for _ in range(2):
        await _connect_smtp(home, smtp, address)
    assert await _names(home) == [address, f"{address} (SMTP)"]


async def test_a_password_that_is_given_anew_leaves_the_persons_name(
    home: Home, smtp: SmtpTestServer
) -> None:
    await _connect_smtp(home, smtp, "Ana <ana@x.org>")
    assert (await home.start()).accounts.all[0].person == "Ana"
    await _connect_smtp(home, smtp, "ana@x.org", name="ana@x.org")
    (account,) = (await home.start()).accounts.all
    assert (account.name, account.person) == ("ana@x.org", "Ana")


async def test_the_first_draft_is_found_where_mail_can_only_be_sent(
    home: Home, smtp: SmtpTestServer
) -> None:
    await _connect_smtp(home, smtp)
    workspace = await home.start()
    await workspace.providers.refresh()
    await ask(workspace, 'Draft an email to bo@x.example saying "later"')
    (draft,) = await workspace.providers.mailbox.search(Query(), 5)
    assert draft.account == LOCAL_DRAFTS


async def test_an_smtp_account_without_its_password_says_so_before_sending(
    home: Home, smtp: SmtpTestServer
) -> None:
    await _connect_smtp(home, smtp)
    assert await _state(home) == "ready"
    home.secrets = SecretStore()
    home.secrets.use_session_only()
    assert await _state(home) == "absent"
    await home.seal()
    assert await _state(home) == "absent"
    await home.lock()
    assert await _state(home) == "locked"


async def test_with_locked_secrets_nothing_is_disconnected(
    home: Home, google: Google, smtp: SmtpTestServer
) -> None:
    await home.with_google(google)
    await _connect_smtp(home, smtp)
    await home.seal()
    await home.lock()
    for name in ("work", "ana@x.org"):
        workspace = await home.start()
        with pytest.raises(SecretStoreError, match=f"“{name}” is still connected.*unlock"):
            await workspace.accounts.disconnect(name)
    assert await _names(home) == ["work", "ana@x.org"]
    assert not [each for each in google.requests if each.path == "/oauth2/revoke"]
    await home.secrets.unlock(PASSPHRASE)
    for name in ("work", "ana@x.org"):
        await (await home.start()).accounts.disconnect(name)
    assert (await home.start()).sample
    assert [each for each in google.requests if each.path == "/oauth2/revoke"]


async def test_without_any_keyring_an_account_can_be_disconnected_all_the_same(
    home: Home, google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.with_google(google)
    home.secrets = SecretStore()  # as after a restart
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with pytest.raises(SecretStoreError, match=r"is disconnected here.*myaccount.*no keyring"):
        await (await home.start()).accounts.disconnect("work")
    assert (await home.start()).sample


async def test_an_account_is_out_although_google_cannot_be_told(home: Home, google: Google) -> None:
    workspace = await home.with_google(google)
    google.fail("/oauth2/revoke", CLOSED)
    with pytest.raises(GoogleAccountError, match="is forgotten here, but Google still lists it"):
        await workspace.accounts.disconnect("work")
    assert (await home.start()).sample
    assert await home.secrets.get(f"google:{google.address}") == ""


async def test_an_index_that_cannot_be_removed_keeps_no_account_connected(
    home: Home, tmp_path: Path
) -> None:
    (tmp_path / "mail" / "cur").mkdir(parents=True)
    account = (await home.start()).accounts.connect_files("maildir", tmp_path / "mail")
    workspace = await home.start()
    workspace.providers.index_path(account).mkdir(parents=True)
    assert "is disconnected" in await workspace.accounts.disconnect("mail")
    assert (await home.start()).sample


async def _connect_smtp(
    home: Home, server: SmtpTestServer, address: str = "ana@x.org", name: str = ""
) -> None:
    account = Account(name, "smtp", address=address, host="localhost", port=server.port)
    await (await home.start()).accounts.connect_smtp(account, server.password)


async def _connect_google(home: Home, name: str = "") -> None:
    workspace = await home.start()
    with browser() as opened:
        await workspace.accounts.google.connect(name, READ, lambda _: None, opened)


async def _names(home: Home) -> list[str]:
    return [each.name for each in (await home.start()).accounts.all]


async def _state(home: Home) -> str:
    (status,) = await (await home.start()).accounts.statuses()
    return status.state


async def test_mail_files_that_are_gone_are_named_in_the_reply(home: Home, tmp_path: Path) -> None:
    mail = tmp_path / "mail"
    (mail / "cur").mkdir(parents=True)
    (await home.start()).accounts.connect_files("maildir", mail)
    shutil.rmtree(mail)
    reply, _ = await ask(await home.start(), "Read my latest 5 emails")
    assert (reply.status, str(mail) in reply.message) == ("error", True)
    assert "plan" not in reply.details


async def test_with_two_sending_accounts_the_user_chooses(
    home: Home, google: Google, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = Certificate.create(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    await home.with_google(google, {*READ, Permission.WRITE_MAIL})
    async with SmtpTestServer().running(certificate.server_context) as server:
        account = Account("", "smtp", address="ana@x.org", host="localhost", port=server.port)
        await home.opened[-1].accounts.connect_smtp(account, server.password)
        workspace, nobody = await home.start(), ScriptedApprover()
        reply, _ = await ask(workspace, 'Send an email to bo@x.example saying "hello"', nobody)
        assert (reply.status, server.received) == ("info", [])
        second = ScriptedApprover(choice=1)
        reply, _ = await ask(workspace, 'Send an email to bo@x.example saying "hello"', second)
        assert reply.status == "success"
        assert len(server.received) == 1
    assert not [each for each in google.messages.values() if "SENT" in each.labels]


async def test_the_environment_provides_a_sender_for_one_run_once_its_password_is_set(
    home: Home,
) -> None:
    home.environment["TOOLS_EMAIL_SENDER_EMAIL_ADDRESS"] = "ana@x.org"
    workspace = await home.start()
    assert not workspace.tools["sendEmail"].offered
    plan = {"steps": [_send("SELF_EMAIL_RECIPIENT")]}
    reply = await _planned(workspace, plan)
    assert "TOOLS_EMAIL_EMAIL_APP_PASSWORD" in reply.message
    home.environment["TOOLS_EMAIL_EMAIL_APP_PASSWORD"] = "abcdefghijklmnop"  # noqa: S105 — nobody's
    workspace = await home.start()
    assert workspace.tools["sendEmail"].offered
    (status,) = await workspace.accounts.statuses()
    assert status.of_environment
    with pytest.raises(ToolError, match="environment"):
        await workspace.accounts.disconnect("ana@x.org")
    assert "abcdefghijklmnop" not in "".join(
        each.read_text(errors="replace") for each in home.folder.rglob("*") if each.is_file()
    )


async def test_disabled_sending_is_not_offered_and_names_its_setting(
    home: Home,
) -> None:
    home.environment["TOOLS_EMAIL_ENABLED"] = "false"
    workspace = await home.start()
    assert not workspace.tools["sendEmail"].offered
    reply = await _planned(workspace, {"steps": [_send("bo@x.example")]})
    assert (reply.status, "TOOLS_EMAIL_ENABLED" in reply.message) == ("error", True)


async def test_a_calendar_of_the_environment_is_used_and_not_stored(
    home: Home, google: Google
) -> None:
    grant = google.grant({Permission.CALENDAR})
    home.environment |= {
        "GOOGLE_CLIENT_ID": google.client.id,
        "GOOGLE_CLIENT_SECRET": google.client.secret,
        "GOOGLE_CALENDAR_REFRESH_TOKEN": grant.refresh_token,
    }
    at = {"dateTime": "2026-11-20T17:00:00+01:00"}, {"dateTime": "2026-11-20T18:00:00+01:00"}
    google.add_event(summary="Tea with Ada", start=at[0], end=at[1])
    workspace = await home.start()
    reply, _ = await ask(workspace, "What is on my calendar today?")
    assert "Tea with Ada" in reply.details
    assert "Calendar answers" in await workspace.accounts.test(workspace.accounts.all[0].name)
    for each in home.folder.rglob("*"):
        assert not each.is_file() or grant.refresh_token not in each.read_text(errors="replace")


async def test_an_account_that_google_signed_out_says_so_without_asking_again(
    home: Home, google: Google
) -> None:
    workspace = await home.with_google(google)
    before = await workspace.accounts.statuses()
    google.revoke_all()
    google.expire_tokens()
    reply, remedy = await ask(workspace, "Read my latest 5 emails")
    assert (reply.status, remedy) == ("error", Remedy.SIGN_IN)
    (status,) = await workspace.accounts.statuses()
    assert isinstance(status, AccountStatus)
    assert status.state == "signed_out"
    assert workspace.accounts.update_statuses(before) == (status,)


def _send(to: str) -> dict[str, object]:
    parameters = {"to": to, "subject": "Hello", "body": "Hello"}
    return {"id": 1, "action": "sendEmail", "parameters": parameters}


async def _planned(workspace: Workspace, plan: object) -> Reply:
    from assistant.planners.planner import FixedPlanner

    run = workspace.agent.run(Request(""), ScriptedApprover(), FixedPlanner(plan))
    return (await await_reply(run)).reply


async def test_with_two_calendars_the_user_or_a_setting_chooses(home: Home, google: Google) -> None:
    workspace = await home.with_google(google, {*READ, Permission.CALENDAR})
    own = await workspace.providers.calendar.targets()[0].create(_event("Walk"))
    assert [each.content["summary"] for each in google.events.values()] == [own.summary]
    (home.folder / "calendar.ics").write_bytes(CALENDAR)
    workspace, nobody = await home.start(), ScriptedApprover()
    reply, _ = await ask(workspace, "Put lunch with Ada tomorrow at noon", nobody)
    assert (reply.status, len(nobody.asked)) == ("info", 2)
    settings = home.folder / "settings.toml"
    settings.write_text(f'{settings.read_text()}\n[calendar]\nadd_to = "work"\n')
    reply, _ = await ask(await home.start(), "Put lunch with Ada tomorrow at noon")
    assert reply.status == "success"
    assert len(google.events) == 2


CALENDAR = (
    b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\n"
    b"DTSTART:20261120T100000Z\r\nDTEND:20261120T110000Z\r\nSUMMARY:Old\r\nEND:VEVENT\r\n"
    b"END:VCALENDAR\r\n"
)


def _event(summary: str) -> Event:
    start = CLOCK()
    return Event("0123456789abcdef", summary, start, start + timedelta(hours=1))
