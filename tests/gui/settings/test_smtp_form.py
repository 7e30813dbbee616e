"""The SMTP form with a real server."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.settings.account_settings import Account
from gui.settings.smtp_form import SmtpForm
from tests.google.google import Google
from tests.gui.conftest import Run, Shown
from tests.gui.settings.account_window import AccountWindow, account_window, choose, press, read
from tests.gui.settings.model_window import until
from tests.tools.mail.smtp.certificates import Certificate
from tests.tools.mail.smtp.smtp_servers import ScriptedSmtpServer, SmtpTestServer

# What the platform without a display says of a tray and of a window that is to come forward.
pytestmark = pytest.mark.qt_log_ignore(
    "systemTrayWindowChanged", r"does not support (raise\(\)|grabbing the keyboard)"
)


async def _fill(
    window: AccountWindow, server: SmtpTestServer | ScriptedSmtpServer, password: str
) -> SmtpForm:
    form = window.page.smtp
    if not form.isVisible():
        await press(window.page, "Send by SMTP…")
    form.address.line.setText("ana@x.example")
    form.password.line.setText(password)
    form.host.line.setText("localhost")
    form.port.line.setText(str(server.port))
    await press(form, "Connect")
    return form


def test_an_smtp_account_is_connected_after_its_server_accepted_the_password(
    shown: Shown, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = Certificate.create(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))
    nowhere = Google(())

    async def work() -> None:
        async with (
            SmtpTestServer().running(certificate.server_context) as server,
            account_window(shown, tmp_path / "profile", nowhere) as window,
        ):
            form = await _fill(window, server, "not this one")
            await until(lambda: form.password.error)
            assert "password" in form.password.error
            await _fill(window, server, server.password)
            await until(lambda: "ana@x.example" in window.page.rows)
            await window.settled()
            assert not form.isVisible()
            assert "for this session only" in window.page.note.text()
            row = window.page.rows["ana@x.example"]
            assert "localhost" in row.account.place
            await press(row, "Test ana@x.example")
            await until(lambda: "Signed in to" in row.results.accessibleName())
            choose(row, "Change the password…")
            assert form.address.line.text() == "ana@x.example"
            assert form.password.line.text() == "", "a password is never shown again"
            assert server.password not in read(window.page)

    run(work())
    written = (tmp_path / "profile" / "settings.toml").read_text()
    assert "ana@x.example" in written
    assert SmtpTestServer.password not in written


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("address", "ana", "address that the mail is sent from"),
        ("password", "", "app password"),
        ("host", "", "name of the server"),
        ("port", "", "587 or 465"),
    ],
)
def test_a_missing_value_is_reported_at_its_field(
    shown: Shown, tmp_path: Path, run: Run, field: str, typed: str, words: str
) -> None:
    async def work() -> None:
        async with account_window(shown, tmp_path / "profile", Google(())) as window:
            form = window.page.smtp
            await press(window.page, "Send by SMTP…")
            form.address.line.setText("ana@x.example")
            form.password.line.setText("abcd")
            entry = getattr(form, field).line
            entry.setText(typed)
            QTest.keyClick(entry, Qt.Key.Key_Return)
            assert words in getattr(form, field).error
            assert window.window.settings.isVisible(), "Enter belongs to the form"

    run(work())


@pytest.mark.parametrize("leaving", ["Cancel", "Connect Google…", "Send by SMTP…"])
def test_cancelling_during_the_check_connects_nothing(
    shown: Shown, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, leaving: str
) -> None:
    certificate = Certificate.create(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))

    async def work() -> None:
        silent = ScriptedSmtpServer({"AUTH": None})
        async with (
            silent.running(certificate.server_context),
            account_window(shown, tmp_path / "profile", Google(())) as window,
        ):
            form = window.page.smtp
            await press(window.page, "Send by SMTP…")
            await press(form, "TLS from the start (usual at port 465)")
            await _fill(window, silent, "abcdefghijklmnop")
            await silent.stalled.wait()
            await press(window.page, leaving)
            await silent.disconnected.wait()
            await window.settled()
            assert form.isVisible() is (leaving == "Send by SMTP…")
            assert "Sample workspace" in window.page.rows

    run(work())


def test_enter_submits_once(
    shown: Shown, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = Certificate.create(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))

    async def work() -> None:
        silent = ScriptedSmtpServer({"AUTH": None})
        async with (
            silent.running(certificate.server_context),
            account_window(shown, tmp_path / "profile", Google(())) as window,
        ):
            form = window.page.smtp
            asked: list[object] = []
            form.submitted.connect(lambda account, _password: asked.append(account))
            await press(window.page, "Send by SMTP…")
            await press(form, "TLS from the start (usual at port 465)")
            await _fill(window, silent, "abcdefghijklmnop")
            await silent.stalled.wait()
            QTest.keyClick(form.password.line, Qt.Key.Key_Return)
            assert len(asked) == 1
            await press(form, "Cancel")
            await window.settled()

    run(work())


def test_another_security_suggests_its_usual_port(shown: Shown, tmp_path: Path, run: Run) -> None:
    async def work() -> None:
        async with account_window(shown, tmp_path / "profile", Google(())) as window:
            form = window.page.smtp
            await press(window.page, "Send by SMTP…")
            assert (form.host.line.text(), form.port.line.text()) == ("smtp.gmail.com", "587")
            await press(form, "TLS from the start (usual at port 465)")
            assert form.port.line.text() == "465"
            form.port.line.setText("2465")
            await press(form, "STARTTLS (usual at port 587)")
            assert form.port.line.text() == "2465"

    run(work())


def test_changing_an_account_of_the_environment_creates_another(qtbot: QtBot) -> None:
    form, given = SmtpForm(), list[Account]()
    qtbot.addWidget(form)
    form.submitted.connect(lambda account, _password: given.append(account))
    for brought, name in ((False, "mine"), (True, "")):
        form.begin(Account("mine", "smtp", address="ana@x.org", of_environment=brought))
        form.password.line.setText("abcdefghijklmnop")
        form.submit.click()
        assert (given[-1].name, given[-1].address) == (name, "ana@x.org")
