"""The window: conversations at the left, results at the right, everything by keyboard."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QListView,
    QMessageBox,
    QPushButton,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from assistant.conversation_store import Conversation, ConversationStore, StepRecord
from assistant.runs.reply import Reply
from gui.artifacts.artifacts_pane import ArtifactsPane
from gui.chat.composer_panel import QueuedRequests
from gui.chat.suggestions import EmptyState
from gui.conversations.conversation_model import CONVERSATION_ROLE
from gui.conversations.side_bar import SideBar
from gui.shell.actions import COMMANDS, Command
from gui.shell.dialogs import ShortcutDialog, shortcut_sections
from gui.shell.header import Header
from gui.startup.main_loop import exception_hook
from gui.theme.colors import DARK, LIGHT
from tests.assistant.scripted import CLOCK
from tests.gui.conftest import Shown, child, just_painted


def _answered(store: ConversationStore, title: str, *artifacts: str) -> Conversation:
    conversation = store.create(title, CLOCK())
    turn = store.begin(conversation.id, title, CLOCK())
    steps = (StepRecord("Read the latest emails", "done"),)
    store.finish(replace(turn, steps=steps, reply=Reply("Done.", artifacts=tuple(artifacts))))
    return conversation


def _side_bar(shown: Shown) -> SideBar:
    return child(shown.window, SideBar)


def _listed(shown: Shown) -> list[str]:
    model = child(_side_bar(shown), QListView).model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def _press(qtbot: QtBot, shown: Shown, keys: str) -> None:
    action = next(one for one in shown.window.actions() if QKeySequence(keys) in one.shortcuts())
    action.trigger()
    qtbot.wait(1)


def _action(shown: Shown, name: str) -> QAction:
    return next(one for one in shown.window.actions() if one.objectName() == name)


def test_conversations_are_listed_pinned_first_and_then_recent(
    shown: Shown, store: ConversationStore
) -> None:
    _answered(store, "Old")
    pinned = _answered(store, "Important")
    shown.history.toggle_pin(pinned.id)
    assert _listed(shown) == ["Pinned", "Important", "Recent", "Old"]


def test_search_filters_by_the_text_of_conversations(
    shown: Shown, store: ConversationStore
) -> None:
    _answered(store, "About the budget")
    _answered(store, "About the garden")
    search = child(_side_bar(shown), QLineEdit)
    search.setText("garden")
    assert _listed(shown) == ["Recent", "About the garden"]
    search.setText("nothing like that")
    assert _listed(shown) == []


def test_a_deleted_conversation_can_be_restored(shown: Shown, store: ConversationStore) -> None:
    kept = _answered(store, "Keep me")
    _side_bar(shown).view.deleted.emit(kept.id)
    assert _listed(shown) == []
    assert len(store.conversations()) == 1
    _side_bar(shown).undo_bar.button.click()
    assert _listed(shown) == ["Recent", "Keep me"]


def test_a_deletion_is_final_after_the_undo_timeout(shown: Shown, store: ConversationStore) -> None:
    gone = _answered(store, "Gone")
    _side_bar(shown).view.deleted.emit(gone.id)
    shown.history.finish_deletion()
    assert store.conversations() == ()


def test_a_title_is_edited_in_its_row(shown: Shown, store: ConversationStore) -> None:
    _answered(store, "Before")
    shown.history.changed.emit()
    model = child(_side_bar(shown), QListView).model()
    model.setData(model.index(1, 0), "After")
    assert _listed(shown) == ["Recent", "After"]


def test_the_delete_key_deletes_the_selected_conversation(
    shown: Shown, store: ConversationStore
) -> None:
    _answered(store, "One")
    shown.history.changed.emit()
    view = child(_side_bar(shown), QListView)
    view.setFocus()
    view.selectionModel().setCurrentIndex(
        view.model().index(1, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect
    )
    assert view.currentIndex().data(CONVERSATION_ROLE)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert _listed(shown) == []


def test_the_artifacts_are_hidden_while_there_are_none(
    shown: Shown, store: ConversationStore, tmp_path: Path
) -> None:
    report = tmp_path / "report.md"
    report.write_text("# Report\n\nAll is well.")
    report.chmod(0o600)
    empty, full = _answered(store, "Empty"), _answered(store, "Full", str(report), "mail:1")
    shown.session.show(empty.id)
    assert shown.window.findChild(ArtifactsPane) is None
    shown.session.show(full.id)
    pane = child(shown.window, ArtifactsPane)
    assert pane.isVisible()
    model = child(pane, QListView).model()
    assert [model.index(row, 0).data() for row in range(2)] == ["Email", "report.md"]
    shown.session.show(empty.id)
    assert not pane.isVisible()


def test_an_artifact_is_previewed_and_opened(
    shown: Shown, store: ConversationStore, tmp_path: Path
) -> None:
    report = tmp_path / "report.md"
    report.write_text("# Report\n\nAll is well.")
    report.chmod(0o600)
    shown.session.show(_answered(store, "Full", str(report)).id)
    pane = child(shown.window, ArtifactsPane)
    assert "All is well." in child(pane, QTextBrowser).toPlainText()
    next(one for one in pane.findChildren(QPushButton) if one.text() == "Open").click()
    assert shown.opened == [f"file://{report}"]


def test_a_missing_artifact_shows_a_message(
    shown: Shown, store: ConversationStore, tmp_path: Path
) -> None:
    shown.session.show(_answered(store, "Gone", str(tmp_path / "gone.pdf")).id)
    shown.window.chat.signals.artifact_activated.emit(str(tmp_path / "gone.pdf"))
    box = child(shown.window, QMessageBox)
    assert "no longer" in box.informativeText()
    assert shown.opened == []


def test_a_dangerous_artifact_is_only_shown_in_its_folder(shown: Shown, tmp_path: Path) -> None:
    starter = tmp_path / "invoice.pdf.desktop"
    starter.write_text("[Desktop Entry]\nExec=true\n")
    shown.window.chat.signals.artifact_activated.emit(str(starter))
    box = child(shown.window, QMessageBox)
    assert shown.opened == []
    show = next(button for button in box.buttons() if button.text() == "Show in folder")
    assert box.defaultButton() is not show
    show.click()
    assert shown.opened == [f"file://{tmp_path}"]


def test_a_link_is_shown_in_full_before_it_is_followed(shown: Shown) -> None:
    shown.window.chat.signals.link_activated.emit(
        "https://bank.example@evil.example/login", "Log in"
    )
    box = child(shown.window, QMessageBox)
    assert box.text() == "Go to evil.example?"
    assert shown.opened == []
    follow = next(button for button in box.buttons() if button.text() == "Open")
    follow.click()
    assert shown.opened == ["https://bank.example@evil.example/login"]


def test_a_mail_link_is_previewed_in_the_window(shown: Shown) -> None:
    wanted: list[str] = []
    shown.window.artifacts.content_requested.connect(wanted.append)
    shown.window.chat.signals.link_activated.emit("mail:42", "Budget")
    assert wanted == ["mail:42"]
    shown.window.artifacts.show_content("mail:42", "Dear **all**")
    read = child(child(shown.window, ArtifactsPane), QTextBrowser)
    assert read.toPlainText().strip() == "Dear all"
    shown.window.artifacts.show_content("mail:41", "An older answer")
    assert read.toPlainText().strip() == "Dear all"


def test_missing_content_is_requested_again(
    shown: Shown, store: ConversationStore, tmp_path: Path
) -> None:
    (tmp_path / "report.docx").write_bytes(b"PK")
    shown.session.show(_answered(store, "Full", str(tmp_path / "report.docx")).id)
    wanted: list[str] = []
    shown.window.artifacts.content_requested.connect(wanted.append)
    shown.window.artifacts.request_missing_content()
    assert wanted == [str(tmp_path / "report.docx")]


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.keys], ids=lambda one: one.name)
def test_every_shortcut_is_in_the_dialog_and_on_the_window(shown: Shown, command: Command) -> None:
    listed = {title for _, lines in shortcut_sections() for _, title in lines}
    assert command.title in listed
    assert _action(shown, command.name).shortcuts()


def test_the_side_bar_is_hidden_and_shown_by_key(qtbot: QtBot, shown: Shown) -> None:
    _press(qtbot, shown, "Ctrl+B")
    assert not _side_bar(shown).isVisible()
    _press(qtbot, shown, "Ctrl+Shift+F")
    assert _side_bar(shown).isVisible()


def test_the_shortcut_dialog_opens_by_key(qtbot: QtBot, shown: Shown) -> None:
    _press(qtbot, shown, "Ctrl+/")
    sheet = child(shown.window, ShortcutDialog)
    sheet.close()


def test_the_theme_is_applied_and_stored(shown: Shown) -> None:
    _action(shown, "theme_dark").trigger()
    assert QApplication.palette().window().color().name() == DARK.page
    assert DARK.surface in shown.window.styleSheet()
    assert shown.window.preferences.theme == "dark"
    _action(shown, "theme_light").trigger()
    assert QApplication.palette().window().color().name() == LIGHT.page


@pytest.mark.parametrize("remedy", ["connect_model", "model_key", "spending_cap"])
def test_a_remedy_requests_the_settings(shown: Shown, qtbot: QtBot, remedy: str) -> None:
    with qtbot.waitSignal(shown.window.settings_requested) as asked:
        shown.window.chat.signals.remedy_requested.emit(remedy, "Plan my week")
    assert asked.args == [remedy, "Plan my week"]


def test_the_new_chat_remedy_keeps_the_request(shown: Shown, store: ConversationStore) -> None:
    shown.session.show(_answered(store, "Long").id)
    shown.window.chat.signals.remedy_requested.emit("new_chat", "Plan my week")
    assert shown.session.current is None
    assert shown.window.chat.panel.composer.text == "Plan my week"


def test_every_focusable_widget_has_an_accessible_name(
    shown: Shown, store: ConversationStore, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("a")
    shown.session.show(_answered(store, "Full", str(tmp_path / "a.md")).id)
    nameless = [
        part
        for part in shown.window.findChildren(QWidget)
        if part.isVisible()
        and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (part.accessibleName() or (isinstance(part, QAbstractButton) and part.text()))
    ]
    assert nameless == []


def test_the_menu_is_made_from_the_registry(shown: Shown) -> None:
    header = child(shown.window, Header)
    titles = [action.text() for action in header.menu_button.menu().actions()]
    assert {"Accounts…", "Open the documents folder", "Quit", "Appearance"} <= set(titles)


def test_closing_only_emits_a_signal(qtbot: QtBot, shown: Shown) -> None:
    with qtbot.waitSignal(shown.window.closing):
        shown.window.close()
    assert shown.window.isVisible()


@pytest.mark.usefixtures("tidy")
def test_requests_before_the_controller_exists_are_queued(
    qtbot: QtBot, store: ConversationStore, tmp_path: Path
) -> None:
    shown = just_painted(qtbot, store, tmp_path)
    shown.window.chat.panel.composer.submitted.emit("Read my mail")
    shown.begin()
    assert child(shown.window, QueuedRequests).accessibleName() == "Next: Read my mail"


@pytest.mark.usefixtures("tidy")
def test_the_first_frame_shows_the_greeting_only_without_conversations(
    qtbot: QtBot, store: ConversationStore, tmp_path: Path
) -> None:
    new = just_painted(qtbot, store, tmp_path)
    assert child(new.window, EmptyState).isVisible()
    new.begin()
    _answered(store, "One")
    new.controller.close()
    again = just_painted(qtbot, store, tmp_path)
    assert not child(again.window, EmptyState).isVisible()
    again.begin()
    assert _listed(again) == ["Recent", "One"]


def test_a_new_chat_shows_an_empty_page(shown: Shown, store: ConversationStore) -> None:
    shown.session.show(_answered(store, "One").id)
    button = next(one for one in shown.window.findChildren(QPushButton) if one.text() == "New chat")
    button.click()
    assert shown.session.current is None


def test_a_bug_is_shown_once_without_user_data(shown: Shown) -> None:
    stop = exception_hook(shown.window)
    for _ in range(2):
        stop(ValueError, ValueError("secret words of a mail"), None)
    (box,) = shown.window.findChildren(QMessageBox)
    assert "ValueError" in box.informativeText()
    assert "secret" not in box.informativeText()
