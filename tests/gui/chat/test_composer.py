"""Typing, sending, stopping and recalling requests."""

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QFont, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.chat.chat_style import ChatStyle
from gui.chat.composer import Composer
from gui.theme.colors import DARK, LIGHT


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer(ChatStyle.of(LIGHT, QFont()))
    qtbot.addWidget(made)
    made.resize(600, 60)
    made.show()
    return made


def test_enter_sends_the_text_without_surrounding_blanks(composer: Composer, qtbot: QtBot) -> None:
    QTest.keyClicks(composer.field, "  read my mail ")
    with qtbot.waitSignal(composer.submitted) as sent:
        QTest.keyClick(composer.field, Qt.Key.Key_Return)

    assert sent.args == ["read my mail"]
    assert composer.text == ""


def test_shift_enter_breaks_the_line(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(composer.submitted):
        QTest.keyClicks(composer.field, "a")
        QTest.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClicks(composer.field, "b")

    assert composer.text == "a\nb"


def test_the_enter_of_the_number_pad_sends_too(composer: Composer, qtbot: QtBot) -> None:
    QTest.keyClicks(composer.field, "a")
    with qtbot.waitSignal(composer.submitted):
        QTest.keyClick(composer.field, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)


def test_nothing_but_blanks_is_not_sent(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(composer.submitted):
        QTest.keyClicks(composer.field, "  ")
        QTest.keyClick(composer.field, Qt.Key.Key_Return)

    assert not composer.send_button.isEnabled()


def test_enter_that_finishes_a_character_does_not_send(composer: Composer, qtbot: QtBot) -> None:
    QTest.keyClicks(composer.field, "a")
    QApplication.sendEvent(composer.field, QInputMethodEvent("かな", []))
    with qtbot.assertNotEmitted(composer.submitted):
        QTest.keyClick(composer.field, Qt.Key.Key_Return)
    QApplication.sendEvent(composer.field, QInputMethodEvent("", []))
    with qtbot.waitSignal(composer.submitted):
        QTest.keyClick(composer.field, Qt.Key.Key_Return)


def test_up_in_the_empty_field_recalls_the_last_request(composer: Composer) -> None:
    QTest.keyClicks(composer.field, "read my mail")
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    QTest.keyClick(composer.field, Qt.Key.Key_Up)

    assert composer.text == "read my mail"


def test_up_in_a_text_moves_the_cursor(composer: Composer) -> None:
    composer.remember("earlier")
    QTest.keyClicks(composer.field, "now")
    QTest.keyClick(composer.field, Qt.Key.Key_Up)

    assert composer.text == "now"


def test_escape_and_the_button_stop_a_run(composer: Composer, qtbot: QtBot) -> None:
    composer.set_running(running=True)
    assert composer.send_button.accessibleName() == "Stop"
    with qtbot.waitSignal(composer.stop_requested):
        QTest.keyClick(composer.field, Qt.Key.Key_Escape)
    with qtbot.waitSignal(composer.stop_requested):
        composer.send_button.click()


def test_escape_stops_nothing_while_nothing_runs(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(composer.stop_requested):
        QTest.keyClick(composer.field, Qt.Key.Key_Escape)


def test_requests_can_be_sent_while_one_runs(composer: Composer, qtbot: QtBot) -> None:
    composer.set_running(running=True)
    QTest.keyClicks(composer.field, "next")
    assert composer.send_button.accessibleName() == "Send"
    with qtbot.waitSignal(composer.submitted):
        composer.send_button.click()

    assert composer.send_button.accessibleName() == "Stop"


def test_it_grows_with_the_text_up_to_eight_lines(composer: Composer) -> None:
    heights = []
    for lines in (1, 3, 8, 20):
        composer.set_text("\n".join("x" for _ in range(lines)))
        heights.append(composer.height())

    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_a_paste_inserts_plain_text_only(composer: Composer) -> None:
    pasted = QMimeData()
    pasted.setHtml("<b>bold</b><img src='https://evil.example/x.png'>")
    pasted.setText("bold")
    composer.field.insertFromMimeData(pasted)

    assert composer.text == "bold"


def test_a_change_of_theme_keeps_the_text(composer: Composer) -> None:
    composer.set_text("half a thought")
    composer.set_style(ChatStyle.of(DARK, QFont()))

    assert composer.text == "half a thought"


def test_all_lines_of_a_short_text_are_in_sight(composer: Composer) -> None:
    for lines in range(1, 9):
        composer.set_text("\n".join("x" for _ in range(lines)))
        assert composer.field.verticalScrollBar().value() == 0
