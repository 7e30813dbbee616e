"""Connecting Google, over the wire with a Google of our own and a browser that decides."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.accounts.google_accounts import GoogleAccounts
from assistant.accounts.google_connector import GoogleConnector
from assistant.accounts.google_setup_checks import SetupCheck
from assistant.settings import read_settings
from assistant.settings.account_settings import Account
from tests.assistant.scripted import CLOCK
from tests.google.browser import Decision, browser
from tests.google.faults import Fault
from tests.google.google import Google
from tests.google.server import google_server
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy, ToolError

PUBLIC = GoogleClient("public.apps.googleusercontent.com")
READ, CALENDAR = {Permission.READ_MAIL}, {Permission.READ_MAIL, Permission.CALENDAR}
ANNA, BEN = "anna.berg@example.com", "ben@example.com"


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server(ANNA, BEN) as running:
        yield running


@dataclass
class ConnectorSetup:
    """A profile before its window: what is in the settings, and the checks that were told."""

    path: Path
    google: Google
    secrets: SecretStore = field(default_factory=SecretStore)
    checks: list[SetupCheck] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.secrets.use_session_only()

    @property
    def accounts(self) -> tuple[Account, ...]:
        return read_settings(self.path, self.environment).accounts

    @property
    def environment(self) -> dict[str, str]:
        return {"DESKHAND_GOOGLE_ENDPOINT": self.google.url}

    def connector(self) -> GoogleConnector:
        """As a fresh start has it."""
        settings = read_settings(self.path, self.environment)
        accounts = GoogleAccounts(settings, self.secrets, CLOCK)
        return GoogleConnector(self.path, settings, self.secrets, accounts)

    async def with_client(self) -> "ConnectorSetup":
        await self.connector().set_client(self.google.client)
        return self

    async def connect(
        self, name: str = "", *, decision: Decision = "allow", address: str = ""
    ) -> Account:
        connector = self.connector()
        try:
            with browser(decision, address=address) as opened:
                return await connector.connect(name, READ, self.checks.append, opened)
        finally:
            await connector.accounts.close()

    @property
    def ends(self) -> dict[str, str]:
        """How each check ended."""
        return {each.key: each.state for each in self.checks}


@pytest.fixture
async def setup(tmp_path: Path, google: Google) -> ConnectorSetup:
    return await ConnectorSetup(tmp_path / "settings.toml", google).with_client()


async def test_a_sign_in_becomes_an_account_and_every_check_is_told(setup: ConnectorSetup) -> None:
    account = await setup.connect()
    assert account == Account(ANNA, "google", address=ANNA, person="Anna Berg")
    assert setup.accounts == (account,)
    assert setup.ends == dict.fromkeys(
        ("client", "consent", "permission", "mail", "keyring"), "done"
    )
    waiting = next(each for each in setup.checks if each.key == "consent")
    assert (waiting.state, waiting.links[0].url.startswith(setup.google.url)) == ("doing", True)


async def test_the_sign_in_is_there_after_a_restart_and_in_no_file(setup: ConnectorSetup) -> None:
    await setup.connect()
    connector = setup.connector()
    assert "Gmail answers" in await connector.test(ANNA)
    await connector.accounts.close()
    kept = await setup.secrets.get(f"google:{ANNA}")
    written = setup.path.read_text()
    assert setup.google.client.secret not in written
    assert not [each for each in kept.split('"') if len(each) > 20 and each in written]


async def test_a_sign_in_ends_by_the_clock_that_it_is_looked_at_with(setup: ConnectorSetup) -> None:
    await setup.connect()
    grant = Grant.from_secret(await setup.secrets.get(f"google:{ANNA}"))
    assert grant.expires
    assert grant.expires <= CLOCK() + timedelta(hours=1)
    assert grant.is_fresh(CLOCK())


async def test_without_a_client_the_first_check_gives_instructions(
    tmp_path: Path, google: Google
) -> None:
    setup = ConnectorSetup(tmp_path / "settings.toml", google)
    with pytest.raises(ToolError) as refused:
        await setup.connect()
    (check,) = (each for each in setup.checks if each.state == "failed")
    assert (check.key, len(check.links), refused.value.remedy) == (
        "client", 4, Remedy.CONNECT_ACCOUNT,
    )  # fmt: skip
    assert "Desktop app" in check.words


async def test_a_client_that_was_just_given_signs_in_at_once(
    tmp_path: Path, google: Google
) -> None:
    connector = ConnectorSetup(tmp_path / "settings.toml", google).connector()
    await connector.set_client(google.client)
    with browser() as opened:
        account = await connector.connect("", READ, lambda _: None, opened)
    await connector.accounts.close()
    assert account.address == ANNA


async def test_a_client_that_google_does_not_know_is_said(setup: ConnectorSetup) -> None:
    await setup.connector().set_client(GoogleClient(setup.google.client.id, "another"))
    with pytest.raises(ToolError):
        await setup.connect()
    assert setup.ends["consent"] == "failed"
    assert setup.accounts == ()


async def test_a_declined_consent_adds_no_account_and_can_be_repeated(
    setup: ConnectorSetup,
) -> None:
    with pytest.raises(ToolError):
        await setup.connect(decision="deny")
    assert (setup.ends["consent"], setup.accounts) == ("failed", ())


async def test_reading_that_was_unticked_is_asked_for_again(setup: ConnectorSetup) -> None:
    connector = setup.connector()
    with (
        browser(unticked=[Permission.READ_MAIL.scope]) as opened,
        pytest.raises(ToolError, match="ticked"),
    ):
        await connector.connect("", CALENDAR, setup.checks.append, opened)
    assert (setup.ends["permission"], setup.accounts) == ("failed", ())


async def test_an_api_that_is_not_enabled_is_said_with_its_page(setup: ConnectorSetup) -> None:
    setup.google.fail("sendAs", Fault("refused", 403, "accessNotConfigured"))
    with pytest.raises(ToolError):
        await setup.connect()
    failed = next(each for each in setup.checks if each.state == "failed")
    assert failed.key == "mail"
    assert failed.links[0].url.startswith("https://console.")
    assert setup.accounts == ()


async def test_the_same_address_signs_in_again_and_another_is_another_account(
    setup: ConnectorSetup,
) -> None:
    await setup.connect("work")
    again = await setup.connect("other name")
    assert again.name == "work"
    ben = await setup.connect("work", address=BEN)
    assert [each.name for each in setup.accounts] == ["work", ben.name] == ["work", BEN]


async def test_more_can_be_allowed_later_by_the_same_person_only(setup: ConnectorSetup) -> None:
    await setup.connect("work")
    connector = setup.connector()
    with browser() as opened:
        await connector.allow("work", {Permission.CALENDAR}, setup.checks.append, opened)
    assert connector.accounts.all["work"].status.granted == CALENDAR
    with browser(address=BEN) as opened, pytest.raises(ToolError, match="as ben@"):
        await connector.allow("work", {Permission.WRITE_MAIL}, setup.checks.append, opened)
    assert connector.accounts.all["work"].status.granted == CALENDAR
    await connector.accounts.close()


async def test_an_unticked_permission_is_reported_and_the_others_are_kept(
    setup: ConnectorSetup,
) -> None:
    await setup.connect("work")
    connector = setup.connector()
    with (
        browser(unticked=[Permission.CALENDAR.scope]) as opened,
        pytest.raises(ToolError) as refused,
    ):
        await connector.allow("work", {Permission.CALENDAR}, setup.checks.append, opened)
    assert refused.value.remedy is Remedy.ALLOW
    assert connector.accounts.all["work"].status.granted == READ
    await connector.accounts.close()


async def test_a_sign_in_that_google_ended_is_mended_by_signing_in_again(
    setup: ConnectorSetup,
) -> None:
    await setup.connect("work")
    setup.google.revoke_all()
    connector = setup.connector()
    with pytest.raises(ToolError) as refused:
        await connector.test("work")
    assert refused.value.remedy is Remedy.SIGN_IN
    asked = len(setup.google.requests)
    with pytest.raises(ToolError):
        await connector.test("work")
    assert len(setup.google.requests) == asked
    with browser() as opened:
        await connector.allow("work", (), setup.checks.append, opened)
    assert "Gmail answers" in await connector.test("work")
    await connector.accounts.close()


async def test_a_client_without_a_secret_does_not_get_that_of_the_client_before(
    setup: ConnectorSetup,
) -> None:
    connector = setup.connector()
    await connector.set_client(PUBLIC)
    assert await connector.accounts.client() == PUBLIC
    assert await setup.connector().accounts.client() == PUBLIC


@pytest.mark.parametrize("id", ["wrong", "", "x.apps.googleusercontent.com.example", "a b"])
async def test_an_invalid_client_id_is_refused_before_a_browser_opens(
    setup: ConnectorSetup, id: str
) -> None:
    before = setup.path.read_text()
    with pytest.raises(ToolError, match="client ID"):
        await setup.connector().set_client(GoogleClient(id))
    assert setup.path.read_text() == before


async def test_enabling_the_api_later_needs_no_second_sign_in(setup: ConnectorSetup) -> None:
    connector = setup.connector()
    setup.google.fail("sendAs", Fault("refused", 403, "accessNotConfigured"))
    with browser() as opened:
        with pytest.raises(ToolError):
            await connector.connect("", READ, setup.checks.append, opened)
        account = await connector.connect("", READ, setup.checks.append, opened)
    assert (account.address, len(opened.opened)) == (ANNA, 1)
    with browser(address=BEN) as opened:
        other = await connector.connect("", READ, setup.checks.append, opened)
    assert (other.address, len(opened.opened)) == (BEN, 1)
    await connector.accounts.close()
