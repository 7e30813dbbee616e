"""The chat pane from a request to its reply, as the session drives it."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu
from pytestqt.qtbot import QtBot

from assistant.runs.events import StepOutcome
from assistant.runs.reply import Reply, ReplyStatus
from gui.chat.approval_card import ApprovalCard, ApprovalRequest
from gui.chat.chat_pane import ChatPane
from gui.chat.composer_panel import EDIT_FOLLOWS_REPLY, EDIT_REPLACES_REPLY
from gui.chat.dismissible_line import DismissibleLine
from gui.chat.suggestions import SuggestionCard
from gui.chat.transcript.reply_footer import ArtifactChip, ReplyFooter
from gui.chat.transcript.step_list import StepList, _wait_label
from gui.chat.turn_view import RemedyView, StepState, StepView, TurnView, WaitStatus
from gui.theme.colors import DARK
from tools.proposal import Proposal

NOW = datetime(2026, 11, 21, 10, 42, tzinfo=UTC)
STEPS = (StepView(1, "Read the latest emails"), StepView(2, "Create a document"))


async def perform() -> None:
    """Do nothing; nothing here is ever performed."""


def settle() -> None:
    QApplication.processEvents()
    QApplication.processEvents()


def steps_of(pane: ChatPane) -> StepList:
    return [view for view in pane.findChildren(StepList) if view.isVisible()][-1]


def button_of(pane: ChatPane, name: str) -> QAbstractButton:
    return next(
        button
        for button in pane.findChildren(QAbstractButton)
        if button.isVisible() and name in {button.text(), button.accessibleName()}
    )


def finish(pane: ChatPane, reply: Reply, **more: Any) -> None:
    pane.finish_turn(replace(pane.transcript.turns[-1], reply=reply, **more))


def set_step(pane: ChatPane, id: int, state: StepState, note: str = "") -> None:
    pane.set_steps(
        [
            replace(step, state=state, note=note) if step.id == id else step
            for step in pane.transcript.turns[-1].steps
        ]
    )


def run(pane: ChatPane, *states: StepState, status: ReplyStatus = "success") -> None:
    pane.begin_turn("do it", NOW)
    pane.set_steps(STEPS)
    for step, state in zip(STEPS, states, strict=True):
        set_step(pane, step.id, StepState.RUNNING)
        set_step(pane, step.id, state, "" if state is StepState.DONE else "It did not work.")
    finish(pane, Reply("That is it.", status=status))
    settle()


def test_a_typed_request_is_emitted(pane: ChatPane, qtbot: QtBot) -> None:
    pane.focus_composer()
    with qtbot.waitSignal(pane.panel.composer.submitted) as sent:
        QTest.keyClicks(pane.focusWidget(), "read my mail")
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Return)

    assert sent.args == ["read my mail"]


def test_a_sample_request_runs_at_a_click(pane: ChatPane, qtbot: QtBot) -> None:
    pane.show_empty(["Read my latest 5 emails", "What is on today?"])
    settle()
    with qtbot.waitSignal(pane.empty_state.requested) as sent:
        QTest.mouseClick(button_of(pane, "Ask: What is on today?"), Qt.MouseButton.LeftButton)

    assert sent.args == ["What is on today?"]


def test_the_greeting_goes_with_the_first_turn_and_returns_when_all_is_cleared(
    pane: ChatPane,
) -> None:
    pane.show_empty(["Read my latest 5 emails"])
    assert pane.empty_state.isVisible()
    pane.begin_turn("hello")
    assert not pane.empty_state.isVisible()
    pane.clear()
    assert pane.empty_state.isVisible()


def test_the_wait_for_a_plan_is_named(pane: ChatPane) -> None:
    pane.begin_turn("do it")
    settle()
    assert steps_of(pane).accessibleName() == "Planning…"


def test_the_wait_status_is_named_below_the_steps(pane: ChatPane) -> None:
    pane.begin_turn("do it")
    pane.set_wait(WaitStatus("Qwen plans the steps", monotonic()))
    settle()
    alone = steps_of(pane)
    assert alone.accessibleName() == "Qwen plans the steps"
    height = alone.height()
    pane.set_steps(STEPS[:1])
    settle()
    assert steps_of(pane).accessibleName().endswith("\nQwen plans the steps")
    assert steps_of(pane).height() > height
    pane.set_wait(None)
    settle()
    assert "Qwen" not in steps_of(pane).accessibleName()


def test_a_long_wait_shows_its_duration() -> None:
    assert _wait_label(WaitStatus("Qwen plans", monotonic())) == "Qwen plans…"
    assert _wait_label(WaitStatus("Qwen plans", monotonic() - 7.5)) == "Qwen plans · 7 s"
    assert _wait_label(WaitStatus("Qwen plans", monotonic() - 65.5)) == "Qwen plans · 1 min 5 s"


def test_steps_tick_off(pane: ChatPane) -> None:
    pane.begin_turn("do it")
    pane.set_steps(STEPS)
    set_step(pane, 1, StepState.RUNNING)
    settle()
    set_step(pane, 1, StepState.DONE)
    set_step(pane, 2, StepState.RUNNING)
    settle()

    spoken = steps_of(pane).accessibleName()
    assert "Read the latest emails: done" in spoken
    assert "Create a document: running" in spoken


def test_a_plan_that_went_well_folds_and_unfolds(pane: ChatPane) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    steps = steps_of(pane)
    folded = steps.height()
    QTest.mouseClick(button_of(pane, "2 steps"), Qt.MouseButton.LeftButton)
    settle()
    assert steps.height() > 2 * folded
    QTest.keyClick(button_of(pane, "2 steps"), Qt.Key.Key_Space)
    settle()
    assert steps.height() == folded


def test_a_failure_stays_open_with_its_reason(pane: ChatPane) -> None:
    run(pane, StepState.DONE, StepState.FAILED, status="partial_success")

    assert button_of(pane, "2 steps, 1 failed").isChecked()
    assert "It did not work." in steps_of(pane).accessibleName()


def test_every_outcome_of_a_step_has_a_state() -> None:
    assert {str(outcome) for outcome in StepOutcome} <= {str(state) for state in StepState}


def test_a_chip_names_its_artifact_and_is_activated(
    pane: ChatPane, qtbot: QtBot, tmp_path: Path
) -> None:
    report = tmp_path / "Report.pdf"
    report.write_bytes(b"x" * 2345)
    pane.begin_turn("do it")
    finish(pane, Reply("Saved.", artifacts=(str(report), "mail:a1")))
    settle()
    first, second = (chip for chip in pane.findChildren(ArtifactChip) if chip.isVisible())
    assert first.artifact.name == "Report.pdf"
    assert first.artifact.note == f"PDF · 2.3 kB · {tmp_path.name}"
    with qtbot.waitSignal(pane.signals.artifact_activated) as opened:
        QTest.mouseClick(first, Qt.MouseButton.LeftButton)
    assert opened.args == [str(report)]
    with qtbot.waitSignal(pane.signals.artifact_activated) as opened:
        QTest.keyClick(second, Qt.Key.Key_Return)
    assert opened.args == ["mail:a1"]


def test_a_missing_file_says_so(pane: ChatPane, tmp_path: Path) -> None:
    pane.begin_turn("do it")
    finish(pane, Reply("Saved.", artifacts=(str(tmp_path / "gone.pdf"),)))
    settle()

    [chip] = [chip for chip in pane.findChildren(ArtifactChip) if chip.isVisible()]
    assert chip.artifact.note == "PDF · not found"


def test_a_name_that_hides_its_ending_is_shown_as_it_is(pane: ChatPane) -> None:
    pane.begin_turn("do it")
    finish(pane, Reply("Saved.", artifacts=("/tmp/<b>invoice\u202efdp.exe",)))  # noqa: S108
    settle()

    [chip] = [chip for chip in pane.findChildren(ArtifactChip) if chip.isVisible()]
    assert chip.artifact.name == "<b>invoice[U+202E]fdp.exe"
    assert "&lt;b&gt;invoice[U+202E]fdp.exe" in chip.toolTip()


def actions_of(pane: ChatPane, turn: int) -> dict[str, QAction]:
    menu = QMenu(pane)
    pane.transcript.interaction.add_turn_actions(menu, turn)
    return {action.text(): action for action in menu.actions()}


@pytest.mark.parametrize("way", ["the button", "the menu"])
def test_the_last_request_is_asked_again(pane: ChatPane, qtbot: QtBot, way: str) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    with qtbot.waitSignal(pane.panel.composer.resubmitted) as sent:
        if way == "the button":
            QTest.mouseClick(button_of(pane, "Ask again"), Qt.MouseButton.LeftButton)
        else:
            actions_of(pane, 0)["Ask again"].trigger()
    assert sent.args == ["do it"]


@pytest.mark.parametrize("way", ["the button", "the menu", "Up"])
def test_the_last_request_is_edited_and_sent_in_its_place(
    pane: ChatPane, qtbot: QtBot, way: str
) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    if way == "the button":
        QTest.mouseClick(button_of(pane, "Edit the request"), Qt.MouseButton.LeftButton)
    elif way == "the menu":
        actions_of(pane, 0)["Edit request"].trigger()
    else:
        pane.focus_composer()
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Up)
    assert pane.panel.composer.text == "do it"
    assert editing_line(pane).accessibleName() == EDIT_REPLACES_REPLY
    QTest.keyClicks(pane.focusWidget(), " now")
    with qtbot.waitSignal(pane.panel.composer.resubmitted) as sent:
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Return)
    assert sent.args == ["do it now"]
    assert not editing_line(pane).isVisible()


def editing_line(pane: ChatPane) -> DismissibleLine:
    return pane.panel.edit_note


def test_editing_says_so_where_the_answer_stays(pane: ChatPane) -> None:
    pane.begin_turn("send it", NOW)
    finish(pane, Reply("Sent."), acted=True)
    pane.focus_composer()
    QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Up)
    assert editing_line(pane).accessibleName() == EDIT_FOLLOWS_REPLY


def test_escape_leaves_the_request_as_it_was(pane: ChatPane, qtbot: QtBot) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    pane.focus_composer()
    QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Up)
    QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Escape)
    assert pane.panel.composer.text == ""
    assert not editing_line(pane).isVisible()
    QTest.keyClicks(pane.focusWidget(), "something else")
    with (
        qtbot.waitSignal(pane.panel.composer.submitted),
        qtbot.assertNotEmitted(pane.panel.composer.resubmitted),
    ):
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Return)


def test_a_request_that_runs_is_recalled_to_be_asked_after_it(pane: ChatPane, qtbot: QtBot) -> None:
    pane.begin_turn("do it", NOW)
    pane.focus_composer()
    QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Up)
    with (
        qtbot.waitSignal(pane.panel.composer.submitted) as sent,
        qtbot.assertNotEmitted(pane.panel.composer.resubmitted),
    ):
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Return)
    assert sent.args == ["do it"]


def test_an_earlier_request_is_asked_anew(pane: ChatPane, qtbot: QtBot) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    run(pane, StepState.DONE, StepState.DONE)
    with (
        qtbot.waitSignal(pane.panel.composer.submitted),
        qtbot.assertNotEmitted(pane.panel.composer.resubmitted),
    ):
        actions_of(pane, 0)["Ask again"].trigger()
    actions_of(pane, 0)["Edit request"].trigger()
    with (
        qtbot.waitSignal(pane.panel.composer.submitted),
        qtbot.assertNotEmitted(pane.panel.composer.resubmitted),
    ):
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Return)


def test_only_the_last_reply_has_buttons_and_every_one_shows_its_usage(pane: ChatPane) -> None:
    for number in (1, 2):
        pane.begin_turn(f"request {number}", NOW)
        finish(pane, Reply("So it is."), spent=f"{number}00 tokens · $0.002")
    settle()
    feet = [foot for foot in pane.findChildren(ReplyFooter) if foot.isVisible()]
    assert {foot.accessibleName(): len(foot.findChildren(QAbstractButton)) for foot in feet} == {
        "100 tokens · $0.002": 0,
        "200 tokens · $0.002": 3,
    }


def test_a_reply_is_copied_with_a_button(pane: ChatPane) -> None:
    pane.begin_turn("write", NOW)
    finish(pane, Reply("Written.", "- **one**"))
    settle()
    button_of(pane, "Copy the reply").click()
    assert QApplication.clipboard().text() == "Written.\n\n- **one**"


def test_a_removed_turn_leaves_the_one_before_it(pane: ChatPane) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    run(pane, StepState.DONE, StepState.FAILED)
    pane.remove_last()
    settle()
    assert len(pane.transcript.turns) == 1
    assert button_of(pane, "Ask again")
    assert button_of(pane, "2 steps")


def test_the_remedy_has_a_button(pane: ChatPane, qtbot: QtBot) -> None:
    pane.begin_turn("sandwich")
    finish(
        pane,
        Reply("I did not understand that.", status="info"),
        remedy=RemedyView("connect_model", "Connect a model"),
    )
    settle()
    with qtbot.waitSignal(pane.signals.remedy_requested) as asked:
        QTest.mouseClick(button_of(pane, "Connect a model"), Qt.MouseButton.LeftButton)

    assert asked.args == ["connect_model", "sandwich"]


def test_a_suggestion_under_a_reply_is_asked(pane: ChatPane, qtbot: QtBot) -> None:
    pane.begin_turn("sandwich")
    finish(pane, Reply("Try this.", status="info"), suggestions=("Read my mail",))
    settle()
    [card] = [
        card
        for card in pane.findChildren(SuggestionCard)
        if card.isVisible() and card.request == "Read my mail"
    ]
    with qtbot.waitSignal(pane.signals.request_suggested) as sent:
        QTest.mouseClick(card, Qt.MouseButton.LeftButton)

    assert sent.args == ["Read my mail"]


def test_a_link_in_a_reply_cannot_ask_for_anything(pane: ChatPane, qtbot: QtBot) -> None:
    pane.begin_turn("read")
    composer, transcript = pane.panel.composer, pane.signals
    with (
        qtbot.assertNotEmitted(composer.submitted),
        qtbot.assertNotEmitted(transcript.request_suggested),
    ):
        finish(pane, Reply("Read.", details="[click](ask:send-everything)"))
        settle()

    assert not [card for card in pane.transcript.findChildren(SuggestionCard) if card.isVisible()]


def test_streamed_text_is_replaced_by_the_reply(pane: ChatPane) -> None:
    pane.begin_turn("write")
    pane.append_text("Half a th")
    finish(pane, Reply("Written.", details="Half a thought."))
    settle()
    pane.transcript.setFocus()
    QTest.keyClick(pane.transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)

    assert pane.transcript.interaction.selected_text == "write\n\nWritten.\n\nHalf a thought."


def test_streamed_text_stays_after_a_change_of_theme_and_conversation(
    pane: ChatPane,
) -> None:
    pane.begin_turn("write")
    pane.append_text("Half a **th")
    pane.transcript.flush()
    pane.set_tokens(DARK)
    assert all_text(pane) == "write\n\nHalf a **th"
    pane.append_text("ought**")
    pane.transcript.flush()
    assert all_text(pane) == "write\n\nHalf a **thought**"
    pane.show_turns([TurnView("write", NOW, text="Half a ")])
    pane.append_text("thought")
    pane.transcript.flush()
    assert all_text(pane) == "write\n\nHalf a thought"


def all_text(pane: ChatPane) -> str:
    settle()
    pane.transcript.setFocus()
    QTest.keyClick(pane.transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    return pane.transcript.interaction.selected_text


def test_events_after_the_end_of_a_turn_change_nothing(pane: ChatPane) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    shown = pane.transcript.turns[-1]
    set_step(pane, 1, StepState.FAILED, "late")
    pane.append_text("late")
    finish(pane, Reply("late"))

    assert pane.transcript.turns[-1] == shown


def test_stopping_asks_to_stop(pane: ChatPane, qtbot: QtBot) -> None:
    pane.begin_turn("do it")
    pane.focus_composer()
    with qtbot.waitSignal(pane.panel.composer.stop_requested):
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Escape)


def test_queued_requests_are_named(pane: ChatPane) -> None:
    pane.begin_turn("first")
    pane.set_waiting(["second", "third"])
    assert pane.panel.queue.isVisible()
    assert pane.panel.queue.accessibleName() == "Next: second\nThen: third"
    pane.set_waiting([])
    assert not pane.panel.queue.isVisible()


def test_a_queued_request_is_taken_back_and_not_lost(pane: ChatPane, qtbot: QtBot) -> None:
    pane.begin_turn("first")
    pane.set_waiting(["second", "third"])
    with qtbot.waitSignal(pane.panel.taken_back) as taken:
        QTest.mouseClick(button_of(pane, "Take back: third"), Qt.MouseButton.LeftButton)
    assert taken.args == [1]
    assert pane.panel.composer.text == "third"


def test_a_long_queue_is_counted(pane: ChatPane) -> None:
    pane.set_waiting([f"request {number}" for number in range(1, 8)])
    assert pane.panel.queue.accessibleName().endswith("Then: request 4 (and 3 more)")


def test_up_recalls_the_last_request_of_a_reopened_conversation(pane: ChatPane) -> None:
    pane.show_turns([TurnView("earlier", NOW, reply=Reply("Done."))])
    pane.focus_composer()
    QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Up)

    assert pane.panel.composer.text == "earlier"


@pytest.mark.parametrize("status", ["success", "partial_success", "info", "error"])
def test_every_status_is_a_word_too(pane: ChatPane, status: ReplyStatus) -> None:
    pane.begin_turn("do it")
    finish(pane, Reply("So it is.", status=status))
    settle()

    words = {row.block.text for _, row, _ in pane.transcript.visible_rows}
    assert words & {"Done", "Partly done", "For your information", "Not done"}


def test_a_change_of_theme_reaches_everything(pane: ChatPane) -> None:
    pane.show_empty(["Read my mail"])
    run(pane, StepState.DONE, StepState.FAILED)
    pane.set_tokens(DARK)
    settle()
    image = pane.grab().toImage()

    corners = ((2, 2), (image.width() - 30, 2), (2, image.height() - 2))
    assert {image.pixelColor(*corner).name() for corner in corners} == {DARK.page}


def test_a_change_of_font_reaches_everything(pane: ChatPane) -> None:
    run(pane, StepState.DONE, StepState.DONE)
    pane.resize(1900, 700)
    settle()
    width, height = pane.transcript.column_width, pane.panel.composer.height()
    font = QFont()
    font.setPixelSize(28)
    pane.setFont(font)
    settle()

    assert pane.transcript.column_width > 1.5 * width
    assert pane.panel.composer.height() > height


def test_the_reply_is_announced_to_a_screen_reader(pane: ChatPane) -> None:
    run(pane, StepState.DONE, StepState.DONE)

    assert pane.transcript.accessibleName() == "Conversation"
    assert pane.transcript.accessibleDescription() == "Done. That is it."


def test_another_conversation_removes_the_card(pane: ChatPane, qtbot: QtBot) -> None:
    pane.begin_turn("send it")
    request = ApprovalRequest(Proposal("Send this email", "Send", (), "Hello", perform))
    pane.panel.show_approval(request)
    with qtbot.assertNotEmitted(request.closed):
        pane.show_turns([TurnView("earlier", NOW, reply=Reply("Done."))])

    assert not [card for card in pane.findChildren(ApprovalCard) if card.isVisible()]


def test_a_greeting_too_tall_for_the_window_scrolls(pane: ChatPane) -> None:
    pane.resize(400, 300)
    pane.show_empty(["Read my mail " * 12] * 4)
    settle()

    viewport = pane.empty_state.parentWidget()
    assert viewport is not None
    assert pane.empty_state.height() > viewport.height()
