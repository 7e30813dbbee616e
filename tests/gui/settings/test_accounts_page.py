"""The accounts page: Google is connected, signed in to again and disconnected."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from assistant.accounts.google_setup_checks import HelpLink, SetupCheck
from assistant.conversation_store import ConversationStore
from assistant.workspace import Workspace
from gui.settings.google_client_form import FileDrop
from tests.assistant.scripted import CLOCK
from tests.google.browser import browser
from tests.google.faults import refusing
from tests.google.google import Google
from tests.google.server import google_server
from tests.gui.conftest import Run, Shown, child, just_painted
from tests.gui.settings.account_window import (
    AccountWindow,
    Visits,
    account_window,
    buttons,
    choose,
    follow,
    press,
    read,
)
from tests.gui.settings.model_window import until
from tools.accounts.google.permissions import Permission

# What the platform without a display says of a tray and of a window that is to come forward.
pytestmark = pytest.mark.qt_log_ignore(
    "systemTrayWindowChanged", r"does not support (raise\(\)|grabbing the keyboard)"
)

WRITE = "Write drafts and send what you approve"
CALENDAR = "See and change your calendar"
OnPage = Callable[[Callable[[AccountWindow], Awaitable[None]]], None]


@pytest.fixture
def google() -> Iterator[Google]:
    """A Google server with one mail."""
    with google_server() as running:
        running.add_mail(
            b"From: Ada <ada@x.example>\r\nTo: anna.berg@example.com\r\nSubject: The engine\r\n"
            b"Date: Fri, 20 Nov 2026 08:00:00 +0000\r\nMessage-ID: <1@x.example>\r\n\r\nIt weaves."
        )
        yield running


@pytest.fixture
def visits() -> Visits:
    """The opener of links."""
    return Visits()


@pytest.fixture
def shown(
    tidy: None,  # noqa: ARG001 — ends after the window
    qtbot: QtBot,
    store: ConversationStore,
    tmp_path: Path,
    visits: Visits,
) -> Iterator[Shown]:
    """The window on an empty profile."""
    made = just_painted(qtbot, store, tmp_path, visits)
    made.begin()
    yield made
    made.history.finish_deletion()


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """The folder of the profile."""
    return tmp_path / "profile"


@pytest.fixture
def on_page(shown: Shown, profile: Path, google: Google, visits: Visits, run: Run) -> OnPage:
    """Run a test on the accounts page."""

    def play(scene: Callable[[AccountWindow], Awaitable[None]]) -> None:
        async def work() -> None:
            async with account_window(shown, profile, google, visits) as window:
                await scene(window)

        run(work())

    return play


def test_google_is_connected_step_by_step_and_its_mail_is_read(
    on_page: OnPage, profile: Path, google: Google
) -> None:
    async def scene(window: AccountWindow) -> None:
        form = window.form
        assert "Sample workspace" in window.page.rows
        await press(window.page, "Connect Google…")
        assert [step.stage for step in form.steps] == ["now", "later", "later", "later"]
        await window.begin()
        assert [step.stage for step in form.steps] == ["done", "now", "later", "later"]
        with browser() as opened:
            window.visits.open = opened
            await press(form, WRITE)
            await press(form, "Sign in with Google")
            assert [step.stage for step in form.steps] == ["done", "done", "now", "later"]
            await until(lambda: form.steps[3].stage == "done")
        assert "1 message" in read(form.checks)
        assert "is connected" in form.steps[3].words
        await press(form, "Done")
        await window.settled()
        row = window.page.rows[google.address]
        assert "send what you approve" in read(row)
        assert "Not allowed yet: see and change your calendar." in read(row)
        assert (await window.standing()).granted == {Permission.READ_MAIL, Permission.WRITE_MAIL}
        assert window.window.shown.window.status.account.text() == google.address
        await window.window.ask("Read my latest 5 emails")
        assert "The engine" in _details(window.window.chat)

    on_page(scene)
    assert google.address in (profile / "settings.toml").read_text()


def test_a_finished_sign_in_is_not_shown_again(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        assert not window.form.isHidden()
        window.window.shown.window.settings_requested.emit("", "")
        await until(window.form.isHidden)

    on_page(scene)


def _details(chat: QWidget) -> str:
    reply = chat.transcript.turns[-1].reply  # type: ignore[attr-defined]
    return f"{reply.message}\n{reply.details}"


def test_the_client_file_can_be_dropped(on_page: OnPage, google: Google, tmp_path: Path) -> None:
    file = tmp_path / "client_secret.json"
    known = {"client_id": google.client.id, "client_secret": google.client.secret}
    wrong = tmp_path / "key.json"
    wrong.write_text('{"type": "service_account"}')
    file.write_text(json.dumps({"installed": known}))

    async def scene(window: AccountWindow) -> None:
        await press(window.page, "Connect Google…")
        place = child(window.form, FileDrop)
        _drop(place, wrong)
        await until(lambda: window.form.steps[0].stage == "failed")
        assert "service account" in window.form.steps[0].words
        _drop(place, file)
        await until(lambda: window.form.steps[0].stage == "done")
        assert google.client.id.split(".")[0] in window.form.steps[0].words
        assert await window.workspace.providers.google.client() == google.client

    on_page(scene)


def _drop(place: FileDrop, file: Path) -> None:
    carried = QMimeData()
    carried.setUrls([QUrl.fromLocalFile(str(file))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    place.dropEvent(QDropEvent(QPointF(5, 5), copy, carried, left, none))


def test_an_empty_client_id_is_reported_at_its_field(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        await press(window.page, "Connect Google…")
        await press(window.form, "Use this client")
        assert "client ID" in window.form.client.id.error

    on_page(scene)


def test_the_pages_of_the_console_open_in_the_browser(on_page: OnPage, visits: Visits) -> None:
    async def scene(window: AccountWindow) -> None:
        await press(window.page, "Connect Google…")
        await follow(window.form.client, "Audience")
        assert visits.urls == ["https://console.cloud.google.com/auth/audience"]

    on_page(scene)


def test_where_no_browser_opens_the_link_can_be_copied_and_used(
    on_page: OnPage, visits: Visits
) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.begin()
        await press(window.form, "Sign in with Google")
        await until(lambda: "No browser opened" in read(window.form.wait))
        assert "About 5 minutes are left." in read(window.form.wait)
        await press(window.form, "Copy the link")
        assert QGuiApplication.clipboard().text() == window.form.wait.url == visits.urls[0]
        with browser() as opened:
            opened(QGuiApplication.clipboard().text())
            await until(lambda: window.form.steps[3].stage == "done")
        await window.settled()

    on_page(scene)


def test_the_page_is_opened_again_when_it_was_closed(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.begin()
        await window.wait_in_browser("Sign in with Google")
        await window.sign_in("Open the page again")

    on_page(scene)


def test_a_sign_in_is_cancelled_and_started_again(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.begin()
        await press(window.form, CALENDAR)
        await window.wait_in_browser("Sign in with Google")
        await press(window.form.wait, "Cancel")
        await until(lambda: window.form.steps[1].stage == "now")
        await window.settled()
        await window.sign_in("Sign in with Google")
        granted = (await window.standing()).granted
        assert granted == {Permission.READ_MAIL, Permission.CALENDAR}

    on_page(scene)


def test_a_sign_in_that_replaces_another_can_be_cancelled(on_page: OnPage, google: Google) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        google.revoke_all()
        google.expire_tokens()
        await window.window.ask("Read my latest 5 emails")
        await window.wait_in_browser(f"Reconnect… {google.address}")
        await window.wait_in_browser(f"Reconnect… {google.address}")
        assert window.form.steps[2].stage == "now"
        await press(window.form.wait, "Cancel")
        await until(lambda: window.form.steps[1].stage == "now")
        await window.settled()

    on_page(scene)


def test_quitting_does_not_wait_for_a_sign_in(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.begin()
        await window.wait_in_browser("Sign in with Google")
        window.window.desk.close()
        await window.settled()

    on_page(scene)


def test_after_a_declined_consent_the_sign_in_can_be_repeated(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.begin()
        await window.sign_in("Sign in with Google", step=2, ends="failed", decision="deny")
        assert "Test users" in window.form.steps[2].words
        assert "Change: Your Google client" in _names(window.form)
        assert window.form.focusWidget() is window.form.try_again
        await window.sign_in("Try again")

    on_page(scene)


def _names(parent: QWidget) -> set[str]:
    return {one.accessibleName() or one.text() for one in buttons(parent)}


def test_unticked_reading_is_reported_with_its_box(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.begin()
        await press(window.form, CALENDAR)
        unticked = [Permission.READ_MAIL.scope]
        await window.sign_in("Sign in with Google", ends="failed", unticked=unticked)
        assert "Reading mail was not allowed" in read(window.form.checks)
        assert "Try again" in _names(window.form)

    on_page(scene)


def test_an_api_that_is_not_enabled_has_its_link(
    on_page: OnPage, google: Google, visits: Visits
) -> None:
    page = "https://console.developers.google.com/apis/api/gmail.googleapis.com/overview"
    words = f"Gmail API has not been used in project 12 before. Enable it by visiting {page} then"

    async def scene(window: AccountWindow) -> None:
        await window.begin()
        google.fail("/gmail/v1/", refusing(403, "accessNotConfigured", words=words), times=9)
        await window.sign_in("Sign in with Google", ends="failed")
        (check,) = [one for one in window.form.checks.checks.values() if one.key == "mail"]
        assert check.links
        visits.open = lambda _url: True
        await follow(window.form.checks, check.links[0].words)
        await press(_question(window), "Open")
        assert visits.urls[-1].startswith("https://console.developers.google.com/")
        google.mend()
        await window.sign_in("Try again")

    on_page(scene)


def test_the_target_of_a_link_in_a_response_is_shown_before_it_is_opened(
    on_page: OnPage, visits: Visits
) -> None:
    page = HelpLink("Open this page", "https://console.developers.google.com@x.example/enable")

    async def scene(window: AccountWindow) -> None:
        await window.begin()
        window.form.show_check(SetupCheck("mail", "failed", "It is not enabled.", (page,)))
        await follow(window.form.checks, page.words)
        assert _question(window).text() == "Go to x.example?"
        assert visits.urls == []

    on_page(scene)


def _question(window: AccountWindow) -> QMessageBox:
    return child(window.window.shown.window, QMessageBox)


def test_a_signed_out_account_is_one_line_and_one_button_signs_in(
    on_page: OnPage, google: Google
) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        await press(window.form, "Done")
        assert window.need == ""
        google.revoke_all()
        google.expire_tokens()
        await window.window.ask("Read my latest 5 emails")
        await window.settled()
        assert google.address in window.need
        asked = len(google.requests)
        await window.window.ask("Read my latest 3 emails")
        await window.settled()
        assert len(google.requests) == asked, "nobody knocks at a closed door"
        button = _remedy(window.window.chat)
        assert button.text() == "Sign in again…"
        button.click()
        await window.settled()
        await window.sign_in(f"Reconnect… {google.address}")
        assert window.need == ""
        await press(window.page, "Ask again")
        await window.window.answered()
        assert "The engine" in _details(window.window.chat)

    on_page(scene)


def _remedy(chat: QWidget) -> QAbstractButton:
    words = {"Sign in again…", "Allow it…", "Connect an account…", "Open the accounts…"}
    return next(one for one in buttons(chat) if one.text() in words)


def test_the_reason_why_mail_cannot_be_read_stays_after_a_reply(
    on_page: OnPage, tmp_path: Path
) -> None:
    box = tmp_path / "Mine.mbox"
    box.write_text("From ada Fri Nov 20 08:00:00 2026\nSubject: Hello\n\nHi.\n")

    async def scene(window: AccountWindow) -> None:
        desk = window.window.desk
        await desk.settings.accounts.add_mail("mbox", box)
        await window.settled()
        box.unlink()
        await desk.refresh(desk.workspace)
        assert "Mine.mbox" in window.need
        await window.window.ask("What is 2 + 2?")
        await window.settled()
        assert "Mine.mbox" in window.need

    on_page(scene)


def test_a_reply_changes_neither_the_form_nor_the_list(on_page: OnPage, google: Google) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        row, form = window.page.rows[google.address], window.page.secret_store.passphrase
        await press(window.page.secret_store, "Keep in a file with a passphrase…")
        form.passphrase.line.setText("blue horse")
        await window.window.ask("Read my latest 5 emails")
        await window.settled()
        assert form.isVisible()
        assert form.passphrase.line.text() == "blue horse"
        assert window.page.rows[google.address] is row

    on_page(scene)


def test_a_missing_permission_is_allowed_from_the_page(on_page: OnPage, google: Google) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        await press(window.form, "Done")
        row = window.page.rows[google.address]
        await press(row, f"Allow {google.address} to see and change your calendar")
        ticked = window.form.permissions.chosen
        assert ticked == {Permission.READ_MAIL, Permission.CALENDAR}
        await window.sign_in("Sign in with Google")
        assert "see and change your calendar" in read(window.page.rows[google.address])
        assert (await window.standing()).granted == ticked

    on_page(scene)


def test_a_missing_permission_is_allowed_from_the_reply_and_the_request_repeated(
    on_page: OnPage, google: Google
) -> None:
    google.add_event(
        summary="Dentist",
        start={"dateTime": "2026-11-20T15:00:00+01:00"},
        end={"dateTime": "2026-11-20T16:00:00+01:00"},
    )

    async def scene(window: AccountWindow) -> None:
        await window.connect()
        await press(window.form, "Done")
        await window.window.ask("What is on my calendar today?")
        button = _remedy(window.window.chat)
        assert button.text() == "Allow it…"
        button.click()
        await window.settled()
        ticked = window.form.permissions.chosen
        assert ticked == {Permission.READ_MAIL, Permission.CALENDAR}
        await window.sign_in("Sign in with Google")
        await press(window.page, "Ask again")
        await window.window.answered()
        assert "Dentist" in _details(window.window.chat)

    on_page(scene)


def test_without_a_sending_account_the_reply_leads_to_the_connect_buttons(
    on_page: OnPage, tmp_path: Path
) -> None:
    box = tmp_path / "Mine.mbox"
    box.write_text("From ada Fri Nov 20 08:00:00 2026\nSubject: Hello\n\nHi.\n")

    async def scene(window: AccountWindow) -> None:
        await window.window.desk.settings.accounts.add_mail("mbox", box)
        await window.window.ask('Send an email to bo@x.example saying "hello"')
        button = _remedy(window.window.chat)
        assert button.text() == "Connect an account…"
        button.click()
        await window.settled()
        assert window.page.focusWidget() is window.page.connect_google

    on_page(scene)


def test_an_account_is_tested(on_page: OnPage, google: Google) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        row = window.page.rows[google.address]
        await press(row, f"Test {google.address}")
        await until(lambda: "Gmail answers" in row.results.accessibleName())
        well = row.results.accessibleName()
        google.fail("/gmail/v1/", refusing(404, "notFound", words="gone"), times=99)
        await press(row, f"Test {google.address}")
        await until(lambda: not row.results.is_running and row.results.accessibleName() != well)

    on_page(scene)


def test_disconnecting_confirms_revokes_and_returns_to_the_sample(
    on_page: OnPage, google: Google
) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        choose(window.page.rows[google.address], "Disconnect…")
        box = child(window.window.settings, QMessageBox)
        assert "gives its access back to Google" in box.informativeText()
        next(one for one in box.buttons() if one.text() == "Disconnect").click()
        await until(lambda: "Sample workspace" in window.page.rows)
        await window.settled()
        assert "disconnected" in window.page.note.text()
        assert any("/oauth2/revoke" in one.target for one in google.requests)

    on_page(scene)


def test_a_passphrase_stores_the_sign_in_where_there_is_no_keyring(
    on_page: OnPage, profile: Path
) -> None:
    async def scene(window: AccountWindow) -> None:
        await window.connect()
        view, form = window.page.secret_store, window.page.secret_store.passphrase
        assert "sign in again after a restart" in window.form.steps[3].words
        assert "There is no keyring" in read(view)
        await press(view, "Keep in a file with a passphrase…")
        form.passphrase.line.setText("blue horse")
        form.repeated.line.setText("blue house")
        await press(form, "Encrypt the file")
        assert form.repeated.error == "The passphrases differ."
        form.repeated.line.setText("blue horse")
        await press(form, "Encrypt the file")
        await until(lambda: not form.isVisible())
        await window.settled()
        assert "encrypted with your passphrase" in read(view)

    on_page(scene)
    assert (profile / "secrets.sealed").exists()


async def _connect_before(profile: Path, google: Google, passphrase: str) -> None:
    """Connect Google in an earlier session, with the sign-in in an encrypted file."""
    brought = {
        "DESKHAND_GOOGLE_ENDPOINT": google.url,
        "GOOGLE_CLIENT_ID": google.client.id,
        "GOOGLE_CLIENT_SECRET": google.client.secret,
    }
    workspace = Workspace.open(profile, clock=CLOCK, environment=brought)
    await workspace.secrets.use_encrypted_file(workspace.profile.secrets, passphrase)
    with browser() as opened:
        connector = workspace.accounts.google
        await connector.connect("", (), lambda _check: None, _coming(opened))
    await workspace.close()


def _coming(opened: Callable[[str], bool]) -> Callable[[str], Awaitable[bool]]:
    async def open_it(url: str) -> bool:
        return opened(url)

    return open_it


def test_a_locked_file_is_unlocked_and_the_request_repeated(
    on_page: OnPage, profile: Path, google: Google
) -> None:
    asyncio.run(_connect_before(profile, google, "correct horse battery"))

    async def scene(window: AccountWindow) -> None:
        view, form = window.page.secret_store, window.page.secret_store.passphrase
        assert "locked" in window.need
        await window.window.ask("Read my latest 5 emails")
        _remedy(window.window.chat).click()
        await window.settled()
        assert form.isVisible()
        form.passphrase.line.setText("wrong horse battery")
        await press(form, "Open")
        await until(lambda: form.passphrase.error)
        form.passphrase.line.setText("correct horse battery")
        await press(form, "Open")
        await until(lambda: not form.isVisible())
        await window.settled()
        assert "encrypted with your passphrase" in read(view)
        assert window.need == ""
        await press(window.page, "Ask again")
        await window.window.answered()
        assert "The engine" in _details(window.window.chat)

    on_page(scene)


@pytest.mark.parametrize("way", ["open_google", "begin_smtp"])
def test_everything_on_the_page_that_takes_the_focus_has_a_name(on_page: OnPage, way: str) -> None:
    async def scene(window: AccountWindow) -> None:
        getattr(window.page, way)()
        window.form.begin("")
        window.page.secret_store.ask_for_new()
        nameless = [
            part
            for part in window.window.settings.findChildren(QWidget)
            if part.isVisible()
            and part.focusPolicy() & Qt.FocusPolicy.TabFocus
            and part.focusProxy() is None
            and not (part.accessibleName() or (isinstance(part, QAbstractButton) and part.text()))
        ]
        assert [type(part).__name__ for part in nameless] == []

    on_page(scene)


def test_own_mail_is_offered_where_there_is_only_the_sample(on_page: OnPage) -> None:
    async def scene(window: AccountWindow) -> None:
        window.window.settings.hide()
        await press(window.window.chat, "Connect your own mail…")
        assert window.page.isVisible()

    on_page(scene)
