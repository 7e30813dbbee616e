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
class Desk:
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

    def connecting(self) -> GoogleConnector:
        """As a fresh start has it."""
        settings = read_settings(self.path, self.environment)
        accounts = GoogleAccounts(settings, self.secrets, CLOCK)
        return GoogleConnector(self.path, settings, self.secrets, accounts)

    async def with_client(self) -> "Desk":
        await self.connecting().set_client(self.google.client)
        return self

    async def connect(
        self, name: str = "", *, decision: Decision = "allow", address: str = ""
    ) -> Account:
        connecting = self.connecting()
        try:
            with browser(decision, address=address) as opened:
                return await connecting.connect(name, READ, self.checks.append, opened)
        finally:
            await connecting.accounts.close()

    @property
    def ends(self) -> dict[str, str]:
        """How each check ended."""
        return {each.key: each.state for each in self.checks}


@pytest.fixture
async def desk(tmp_path: Path, google: Google) -> Desk:
    return await Desk(tmp_path / "settings.toml", google).with_client()


async def test_a_sign_in_becomes_an_account_and_every_check_is_told(desk: Desk) -> None:
    account = await desk.connect()
    assert account == Account(ANNA, "google", address=ANNA, person="Anna Berg")
    assert desk.accounts == (account,)
    assert desk.ends == dict.fromkeys(
        ("client", "consent", "permission", "mail", "keyring"), "done"
    )
    waiting = next(each for each in desk.checks if each.key == "consent")
    assert (waiting.state, waiting.links[0].url.startswith(desk.google.url)) == ("doing", True)


async def test_the_sign_in_is_there_after_a_restart_and_in_no_file(desk: Desk) -> None:
    await desk.connect()
    connecting = desk.connecting()
    assert "Gmail answers" in await connecting.test(ANNA)
    await connecting.accounts.close()
    kept = await desk.secrets.get(f"google:{ANNA}")
    written = desk.path.read_text()
    assert desk.google.client.secret not in written
    assert not [each for each in kept.split('"') if len(each) > 20 and each in written]


async def test_a_sign_in_ends_by_the_clock_that_it_is_looked_at_with(desk: Desk) -> None:
    await desk.connect()
    grant = Grant.from_secret(await desk.secrets.get(f"google:{ANNA}"))
    assert grant.expires
    assert grant.expires <= CLOCK() + timedelta(hours=1)
    assert grant.is_fresh(CLOCK())


async def test_without_a_client_the_first_check_says_what_to_do(
    tmp_path: Path, google: Google
) -> None:
    desk = Desk(tmp_path / "settings.toml", google)
    with pytest.raises(ToolError) as refused:
        await desk.connect()
    (check,) = (each for each in desk.checks if each.state == "failed")
    assert (check.key, len(check.links), refused.value.remedy) == (
        "client", 4, Remedy.CONNECT_ACCOUNT,
    )  # fmt: skip
    assert "Desktop app" in check.words


async def test_a_client_that_was_just_given_signs_in_at_once(
    tmp_path: Path, google: Google
) -> None:
    connecting = Desk(tmp_path / "settings.toml", google).connecting()
    await connecting.set_client(google.client)
    with browser() as opened:
        account = await connecting.connect("", READ, lambda _: None, opened)
    await connecting.accounts.close()
    assert account.address == ANNA


async def test_a_client_that_google_does_not_know_is_said(desk: Desk) -> None:
    await desk.connecting().set_client(GoogleClient(desk.google.client.id, "another"))
    with pytest.raises(ToolError):
        await desk.connect()
    assert desk.ends["consent"] == "failed"
    assert desk.accounts == ()


async def test_who_declines_gets_no_account_and_a_way_on(desk: Desk) -> None:
    with pytest.raises(ToolError):
        await desk.connect(decision="deny")
    assert (desk.ends["consent"], desk.accounts) == ("failed", ())


async def test_reading_that_was_unticked_is_asked_for_again(desk: Desk) -> None:
    connecting = desk.connecting()
    with (
        browser(unticked=[Permission.READ_MAIL.scope]) as opened,
        pytest.raises(ToolError, match="ticked"),
    ):
        await connecting.connect("", CALENDAR, desk.checks.append, opened)
    assert (desk.ends["permission"], desk.accounts) == ("failed", ())


async def test_an_api_that_is_not_enabled_is_said_with_its_page(desk: Desk) -> None:
    desk.google.fail("sendAs", Fault("refused", 403, "accessNotConfigured"))
    with pytest.raises(ToolError):
        await desk.connect()
    failed = next(each for each in desk.checks if each.state == "failed")
    assert failed.key == "mail"
    assert failed.links[0].url.startswith("https://console.")
    assert desk.accounts == ()


async def test_the_same_address_signs_in_again_and_another_is_another_account(desk: Desk) -> None:
    await desk.connect("work")
    again = await desk.connect("other name")
    assert again.name == "work"
    ben = await desk.connect("work", address=BEN)
    assert [each.name for each in desk.accounts] == ["work", ben.name] == ["work", BEN]


async def test_more_can_be_allowed_later_by_the_same_person_only(desk: Desk) -> None:
    await desk.connect("work")
    connecting = desk.connecting()
    with browser() as opened:
        await connecting.allow("work", {Permission.CALENDAR}, desk.checks.append, opened)
    assert connecting.accounts.all["work"].status.granted == CALENDAR
    with browser(address=BEN) as opened, pytest.raises(ToolError, match="as ben@"):
        await connecting.allow("work", {Permission.WRITE_MAIL}, desk.checks.append, opened)
    assert connecting.accounts.all["work"].status.granted == CALENDAR
    await connecting.accounts.close()


async def test_what_was_left_unticked_is_said_and_the_rest_is_kept(desk: Desk) -> None:
    await desk.connect("work")
    connecting = desk.connecting()
    with (
        browser(unticked=[Permission.CALENDAR.scope]) as opened,
        pytest.raises(ToolError) as refused,
    ):
        await connecting.allow("work", {Permission.CALENDAR}, desk.checks.append, opened)
    assert refused.value.remedy is Remedy.ALLOW
    assert connecting.accounts.all["work"].status.granted == READ
    await connecting.accounts.close()


async def test_a_sign_in_that_google_ended_is_mended_by_signing_in_again(desk: Desk) -> None:
    await desk.connect("work")
    desk.google.revoke_all()
    connecting = desk.connecting()
    with pytest.raises(ToolError) as refused:
        await connecting.test("work")
    assert refused.value.remedy is Remedy.SIGN_IN
    asked = len(desk.google.requests)
    with pytest.raises(ToolError):
        await connecting.test("work")
    assert len(desk.google.requests) == asked
    with browser() as opened:
        await connecting.allow("work", (), desk.checks.append, opened)
    assert "Gmail answers" in await connecting.test("work")
    await connecting.accounts.close()


async def test_a_client_without_a_secret_does_not_get_that_of_the_client_before(
    desk: Desk,
) -> None:
    connecting = desk.connecting()
    await connecting.set_client(PUBLIC)
    assert await connecting.accounts.client() == PUBLIC
    assert await desk.connecting().accounts.client() == PUBLIC


@pytest.mark.parametrize("id", ["wrong", "", "x.apps.googleusercontent.com.example", "a b"])
async def test_what_is_no_client_id_is_refused_before_a_browser_opens(desk: Desk, id: str) -> None:
    before = desk.path.read_text()
    with pytest.raises(ToolError, match="client ID"):
        await desk.connecting().set_client(GoogleClient(id))
    assert desk.path.read_text() == before


async def test_after_the_api_was_enabled_nobody_has_to_sign_in_once_more(desk: Desk) -> None:
    connecting = desk.connecting()
    desk.google.fail("sendAs", Fault("refused", 403, "accessNotConfigured"))
    with browser() as opened:
        with pytest.raises(ToolError):
            await connecting.connect("", READ, desk.checks.append, opened)
        account = await connecting.connect("", READ, desk.checks.append, opened)
    assert (account.address, len(opened.opened)) == (ANNA, 1)
    with browser(address=BEN) as opened:
        other = await connecting.connect("", READ, desk.checks.append, opened)
    assert (other.address, len(opened.opened)) == (BEN, 1)
    await connecting.accounts.close()
