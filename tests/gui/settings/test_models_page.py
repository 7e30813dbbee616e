"""The models page: models are found, connected, tested, chosen and removed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from assistant.model_client.language_model import ToolCall, Usage
from assistant.settings.model_settings import NO_MODEL
from assistant.workspace import Workspace
from gui.settings.model_row import ModelRow
from gui.theme.colors import DARK, LIGHT, Theme
from tests.assistant.model_client.local.tiny_gguf import write_tiny
from tests.assistant.model_client.loopback import Loopback, ScriptStep, json_answer, loopback
from tests.assistant.model_client.model_responses import rejects, responds
from tests.gui.conftest import Run, Shown
from tests.gui.settings.model_window import NAME, ModelWindow, model_window, until

if TYPE_CHECKING:
    from gui.settings.form_fields import FormField

# What the platform without a display says of a tray and of a window that is to come forward.
pytestmark = pytest.mark.qt_log_ignore(
    "systemTrayWindowChanged", r"does not support (raise\(\)|grabbing the keyboard)"
)

LONG = "hf.co/somebody/Qwen2.5-Coder-32B-Instruct-GGUF-with-a-name-that-goes-on:Q4_K_M"
LISTED = json_answer(
    {
        "object": "list",
        "data": [
            {"id": "llama3.2:3b", "object": "model", "context_length": 131_072},
            {"id": LONG, "object": "model"},
        ],
    }
)
CALL = ToolCall("1", "read_latest_emails", '{"count": 5}')
ABLE: tuple[ScriptStep, ...] = (
    responds('{"action": "read_latest_emails", "count": 5}'),
    responds(calls=[CALL]),
    responds("The sea ", "is ", "wide.", pause=0.01),
)
WEAK: tuple[ScriptStep, ...] = tuple(responds("I would read your mail.") for _ in range(3))


def _port(server: Loopback) -> int:
    return int(server.url.rsplit(":", 1)[1].removesuffix("/v1"))


async def _press(parent: QWidget, name: str) -> None:
    """Press the visible button of that name, by keyboard."""
    await asyncio.sleep(0.02)  # what was just made is shown with the next turn of the loop
    button = next(
        one
        for one in parent.findChildren(QAbstractButton)
        if one.isVisible() and name in {one.text(), one.accessibleName()}
    )
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    QTest.keyClick(button, Qt.Key.Key_Space)


def _actions(row: ModelRow, button: str) -> dict[str, QAction]:
    menu = next(one for one in row.findChildren(QAbstractButton) if one.objectName() == button)
    return {action.text(): action for action in menu.menu().actions()}  # type: ignore[attr-defined]


async def _tried(window: ModelWindow, name: str) -> str:
    """Return the test results of a model."""
    await until(lambda: name in window.page.rows)
    trial = window.page.rows[name].results
    await until(lambda: trial.accessibleName() and not trial.is_running)
    return trial.accessibleName()


@asynccontextmanager
async def _settings(shown: Shown, workspace: Workspace, **ports: int) -> AsyncIterator[ModelWindow]:
    async with model_window(shown, workspace, ports) as window:
        action = next(one for one in shown.window.actions() if one.objectName() == "settings")
        action.trigger()
        window.settings.show_page(window.page)
        yield window


def test_a_model_of_this_computer_is_found_connected_and_tested(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with (
            loopback(LISTED, *ABLE, LISTED, paths=("/models", "/chat/completions")) as server,
            _settings(shown, workspace, Ollama=_port(server)) as window,
        ):
            await _press(window.page, "Look on this computer")
            await until(lambda: "looking" in window.page.local.accessibleName())
            await until(lambda: "looking" not in window.page.local.accessibleName())
            await _press(window.page.local, "Connect llama3.2:3b")
            results = await _tried(window, "llama3.2:3b")
            assert "It calls tools" in results
            assert "131,072 tokens" in results
            assert shown.window.status.planner.text() == "llama3.2:3b · on this computer ▾"
            (model,) = workspace.models.available
            assert (model.plans, model.writes) == (True, True)
            window.page.look()
            await until(lambda: _buttons(window.page.local, "Connected llama3.2:3b"))
            assert not _buttons(window.page.local, "Connected llama3.2:3b")[0].isEnabled()

    run(work())


def _buttons(parent: QWidget, name: str) -> list[QAbstractButton]:
    return [one for one in parent.findChildren(QAbstractButton) if one.accessibleName() == name]


def test_the_limits_of_a_weak_model_are_explained(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with loopback(*WEAK) as server, _settings(shown, workspace) as window:
            await window.connect(server.url, LONG)
            await _press(window.page.rows[LONG], f"Test {LONG}")
            results = await _tried(window, LONG)
            assert "The server does not enforce the format of plans" in results
            assert "requests that need a look-up first will fail" in results

    run(work())


def test_the_reason_why_a_model_does_not_answer_is_shown(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with (
            loopback(afterwards=rejects(401, "no")) as server,
            _settings(shown, workspace) as window,
        ):
            await window.connect(server.url)
            await _press(window.page.rows[NAME], f"Test {NAME}")
            assert "key" in await _tried(window, NAME)

    run(work())


def test_a_server_is_connected_by_the_keyboard_alone(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with (
            loopback(LISTED, *ABLE, paths=("/models", "/chat/completions")) as server,
            _settings(shown, workspace) as window,
        ):
            form = window.page.server
            await _press(window.page, "Another server…")
            QTest.keyClicks(form.address.line, server.url)
            await _press(form, "List models")
            await until(form.model_id.count)
            form.model_id.hidePopup()
            assert form.model_id.currentText() == "llama3.2:3b"
            QTest.keyClick(form.address.line, Qt.Key.Key_Return)
            assert "Text is shown while it is written." in await _tried(window, "llama3.2:3b")
            assert not form.isVisible()
            assert window.settings.isVisible(), "Enter belongs to the form"

    run(work())


@pytest.mark.parametrize(
    ("url", "id", "field", "words"),
    [
        ("localhost:11434", "x", "address", "must look like http://127.0.0.1:11434/v1"),
        ("", "x", "address", "must look like"),
        ("http://127.0.0.1:9/v1", "", "model", "Choose a model"),
    ],
)
def test_an_error_is_shown_at_its_field(
    shown: Shown, workspace: Workspace, run: Run, url: str, id: str, field: str, words: str
) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            form = window.page.server
            window.page.begin_server()
            form.address.line.setText(url)
            form.model_id.setEditText(id)
            await _press(form, "Connect")
            wrong: FormField = getattr(form, field)
            assert words in wrong.error
            assert wrong.entry.accessibleDescription() == wrong.error
            assert window.settings.focusWidget() in {wrong.entry, form.model_id.lineEdit()}
            assert workspace.models.available == ()

    run(work())


@pytest.mark.parametrize(
    ("step", "field"),
    [(rejects(401, "Incorrect API key"), "key"), (rejects(404, "nothing here"), "address")],
)
def test_the_reason_why_a_server_lists_nothing_is_shown_at_its_field(
    shown: Shown, workspace: Workspace, run: Run, step: ScriptStep, field: str
) -> None:
    async def work() -> None:
        async with loopback(step) as server, _settings(shown, workspace) as window:
            form = window.page.server
            window.page.begin_server()
            form.address.line.setText(server.url)
            form.key.line.setText("sk-wrong")
            await _press(form, "List models")
            wrong: FormField = getattr(form, field)
            await until(lambda: wrong.error)
            assert form.submit.isEnabled()

    run(work())


def test_a_key_goes_to_its_server_and_a_missing_keyring_is_reported(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with loopback(*ABLE) as server, _settings(shown, workspace) as window:
            form = window.page.server
            window.page.begin_server()
            form.address.line.setText(server.url)
            form.key.line.setText("sk-canary")
            form.model_id.setEditText("gpt")
            await _press(form, "Connect")
            await _tried(window, "gpt")
            assert "for this session only" in window.page.note.text()
            assert server.last.headers["authorization"] == "Bearer sk-canary"
            window.page.rows["gpt"].change_wanted.emit()
            assert form.key.line.text() == "", "a key is never shown again"

    run(work())
    assert "sk-canary" not in workspace.profile.settings.read_text()


def test_a_key_is_not_sent_over_an_unencrypted_connection(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            form = window.page.server
            window.page.begin_server()
            form.address.line.setText("http://models.example/v1")
            form.key.line.setText("sk-canary")
            form.model_id.setEditText("gpt")
            await _press(form, "Connect")
            await until(lambda: form.address.error)
            assert "https://" in form.address.error
            assert workspace.models.available == ()

    run(work())


def test_a_model_is_changed_in_its_place(shown: Shown, workspace: Workspace, run: Run) -> None:
    async def work() -> None:
        async with loopback(*ABLE) as server, _settings(shown, workspace) as window:
            await window.connect("http://127.0.0.1:9/v1")
            window.page.rows[NAME].change_wanted.emit()
            form = window.page.server
            assert form.model_id.currentText() == "qwen2.5:7b"
            form.address.line.setText(server.url)
            form.context.line.setText("4096")
            await _press(form, "Save")
            await _tried(window, NAME)
            (model,) = workspace.models.available
            assert (model.name, model.configured.url) == (NAME, server.url)
            assert (model.configured.model, model.configured.context) == ("qwen2.5:7b", 4096)

    run(work())


def test_two_servers_may_have_a_model_of_the_same_name(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with loopback(*ABLE, *ABLE) as server, _settings(shown, workspace) as window:
            for _ in range(2):
                window.page.begin_server()
                window.page.server.address.line.setText(server.url)
                window.page.server.model_id.setEditText("qwen")
                before = set(window.page.rows)
                await _press(window.page.server, "Connect")
                await until(partial(_has_others, window, before))
                (name,) = set(window.page.rows) - before
                await _tried(window, name)
            assert [model.name for model in workspace.models.available] == [
                "qwen",
                "qwen (this computer)",
            ]

    run(work())


def _has_others(window: ModelWindow, before: set[str]) -> bool:
    return set(window.page.rows) != before


def test_uses_are_switched_and_a_model_is_removed_after_a_confirmation(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            await window.connect("http://127.0.0.1:9/v1")
            _actions(window.page.rows[NAME], "uses")["Use for writing"].trigger()
            assert workspace.settings.writing.model == NO_MODEL
            assert workspace.models.available[0].plans
            _actions(window.page.rows[NAME], "more")["Remove…"].trigger()
            box = window.settings.findChild(QMessageBox)
            assert isinstance(box, QMessageBox)
            assert len(workspace.models.available) == 1
            next(one for one in box.buttons() if one.text() == "Remove").click()
            await until(lambda: not workspace.models.available)
            assert window.page.rows == {}
            assert window.page.no_model.isVisible()

    run(work())


def test_the_planner_and_known_phrases_are_chosen(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            choice = window.page.planner
            assert not choice.buttons["stepwise"].isEnabled(), "there is no model yet"
            await window.connect("http://127.0.0.1:9/v1")
            choice.buttons["stepwise"].click()
            assert workspace.settings.planning.planner == "stepwise"
            assert not choice.known_phrases.isEnabled()
            choice.buttons["written"].click()
            choice.known_phrases.click()
            assert workspace.settings.planning.known_phrases is False
            choice.buttons["built-in"].click()
            assert shown.window.status.planner.text() == "Built-in planner ▾"

    run(work())


@pytest.mark.parametrize(
    ("typed", "cap", "wrong"),
    [("12.50", "12.50", ""), ("$10", "10", ""), ("", None, ""), ("2,5", "2.5", "")]
    + [(text, None, "Give an amount") for text in ("ten", "-1", "NaN", "Infinity")],
)
def test_the_cap_is_an_amount_or_none(
    shown: Shown, workspace: Workspace, run: Run, typed: str, cap: str | None, wrong: str
) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            window.page.cap.field.line.setText(typed)
            QTest.keyClick(window.page.cap.field.line, Qt.Key.Key_Return)
            assert wrong in window.page.cap.field.error
            assert bool(window.page.cap.field.error) is bool(wrong)
            assert workspace.settings.spending.monthly == (None if cap is None else Decimal(cap))

    run(work())


def test_a_file_that_is_no_model_is_refused(
    shown: Shown, workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "letter.gguf"
    file.write_text("Dear all")

    async def work() -> None:
        async with _settings(shown, workspace) as window:
            form = window.page.file
            await _press(window.page, "A model file…")
            form.take(file)
            await until(lambda: form.path.error)
            assert "letter.gguf" in form.path.error or "deskhand[local]" in form.path.error
            assert not form.submit.isEnabled()

    run(work())


def test_a_model_file_is_used_after_its_memory_need_was_shown(
    shown: Shown, workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    pytest.importorskip("xllamacpp")
    file = write_tiny(tmp_path / "tiny.gguf")

    async def work() -> None:
        async with _settings(shown, workspace) as window:
            form = window.page.file
            await _press(window.page, "A model file…")
            form.take(file)
            await until(form.submit.isEnabled)
            assert "of memory" in form.memory.text()
            assert not window.page.rows
            await _press(form, "Use this file")
            await until(lambda: workspace.models.available)
            (model,) = workspace.models.available
            assert (model.name, model.configured.file) == ("Tiny", file)

    run(work())


def test_the_picker_offers_every_planner_and_marks_the_one_that_plans(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with model_window(shown, workspace) as window:
            await window.connect("http://127.0.0.1:9/v1")
            await window.connect("https://models.example/v1", LONG)
            offered = _offered(window)
            here = f"{NAME} · on this computer"
            assert list(offered)[:2] == ["Built-in planner", here]
            elsewhere = next(name for name in offered if name.endswith("models.example"))
            assert offered[elsewhere].isChecked()
            assert "nothing leaves" not in shown.window.status.account.text()
            offered[here].trigger()
            assert [model.plans for model in workspace.models.available] == [True, False]
            assert [model.writes for model in workspace.models.available] == [True, False]
            assert "nothing leaves" in shown.window.status.account.text()
            _offered(window)["Plan step by step"].trigger()
            assert _planner(workspace) == "stepwise"
            _offered(window)["Built-in planner"].trigger()
            assert not _offered(window)["Plan step by step"].isEnabled()
            _offered(window)[here].trigger()
            assert _planner(workspace) == "written"
            _offered(window)["Model settings…"].trigger()
            assert window.settings.isVisible()

    run(work())


def _planner(workspace: Workspace) -> str:
    return workspace.settings.planning.planner


def _offered(window: ModelWindow) -> dict[str, QAction]:
    menu = window.shown.window.status.planner.menu()
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if action.text()}


def test_a_separate_writing_model_keeps_writing(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with model_window(shown, workspace) as window:
            for name in ("One", "Two", "Three"):
                await window.connect("http://127.0.0.1:9/v1", name)
            workspace.models.choose("One", "planning")
            window.models.use("Two")
            assert [model.plans for model in workspace.models.available] == [False, True, False]
            assert [model.writes for model in workspace.models.available] == [False, False, True]

    run(work())


def test_model_costs_are_in_the_status_line_once_there_are_any(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with model_window(shown, workspace) as window:
            spending = shown.window.status.spending
            assert not spending.isVisible()
            workspace.spending.record("gpt", Usage(1000, 200), Decimal("8.5"))
            window.desk.apply_planning()
            assert (spending.isVisible(), spending.full_text) == (True, "$8.50 this month")
            workspace.models.set_spending_cap(Decimal(10))
            window.desk.apply_planning()
            assert spending.full_text.startswith("85 % of this month's cap")
            assert spending.objectName() == "statusWarning"

    run(work())


@pytest.mark.parametrize("open_way", ["look", "begin_server", "begin_file"])
def test_everything_on_the_page_that_takes_the_focus_has_a_name(
    shown: Shown, workspace: Workspace, run: Run, open_way: str
) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            await window.connect("http://127.0.0.1:9/v1")
            way: Callable[[], None] = getattr(window.page, open_way)
            way()
            nameless = [
                part
                for part in window.settings.findChildren(QWidget)
                if part.isVisible()
                and part.focusPolicy() & Qt.FocusPolicy.TabFocus
                and part.focusProxy() is None
                and not (
                    part.accessibleName() or (isinstance(part, QAbstractButton) and part.text())
                )
            ]
            assert [type(part).__name__ for part in nameless] == []

    run(work())


def test_the_settings_open_again_after_they_were_closed(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            QTest.keyClick(window.settings, Qt.Key.Key_Escape)
            await asyncio.sleep(0.02)
            assert not window.settings.isVisible()
            shown.window.settings_requested.emit("", "")
            assert window.settings.isVisible()

    run(work())


def test_the_settings_follow_the_theme(shown: Shown, workspace: Workspace, run: Run) -> None:
    async def work() -> None:
        async with _settings(shown, workspace) as window:
            for theme, tokens in ((Theme.DARK, DARK), (Theme.LIGHT, LIGHT)):
                shown.window.choose_theme(theme)
                await asyncio.sleep(0.02)
                image = window.settings.grab().toImage()
                corner = image.pixelColor(image.width() - 30, 8).name()
                assert corner == tokens.page
                assert image.pixelColor(4, image.height() - 4).name() == tokens.surface

    run(work())
