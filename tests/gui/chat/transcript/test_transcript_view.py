"""Scrolling, following, streaming, selecting and copying in the transcript."""

from datetime import UTC, datetime
from typing import cast

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from assistant.runs.reply import Reply
from gui.chat.blocks import BlockKind
from gui.chat.chat_style import ChatStyle
from gui.chat.transcript.scrolling import SmoothScroll
from gui.chat.transcript.text_interaction import END_OF_TEXT, TextPosition, TextSelection
from gui.chat.transcript.text_row import TextRow
from gui.chat.transcript.transcript_layout import RowIndex
from gui.chat.transcript.transcript_view import TranscriptView
from gui.chat.turn_view import TurnView
from gui.theme.colors import DARK, LIGHT

NOW = datetime(2026, 11, 21, 10, 42, tzinfo=UTC)


@pytest.fixture
def transcript(qtbot: QtBot) -> TranscriptView:
    made = TranscriptView(ChatStyle.of(LIGHT, QFont()))
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    qtbot.waitExposed(made)
    return made


def turn(number: int = 0, details: str = "Some *details*.") -> TurnView:
    return TurnView(f"Request {number}", NOW, reply=Reply(f"Message {number}.", details))


def long_conversation(turns: int = 200) -> list[TurnView]:
    return [
        turn(number, f"paragraph of {number}\n\n" * (1 + number % 7)) for number in range(turns)
    ]


def top_row(transcript: TranscriptView) -> tuple[RowIndex, int]:
    seen = transcript.visible_rows[0]
    return seen.row_index, seen.top - transcript.verticalScrollBar().value()


def row_of(transcript: TranscriptView, kind: BlockKind) -> tuple[TextRow, QPoint]:
    """Return the first visible row of a kind, and its corner in the viewport."""
    value = transcript.verticalScrollBar().value()
    for _, row, top in transcript.visible_rows:
        if isinstance(row, TextRow) and row.block.kind is kind:
            return row, QPoint(transcript.column_left, top - value)
    raise AssertionError(f"no {kind} in sight")


def text_point(transcript: TranscriptView, kind: BlockKind, position: int) -> QPoint:
    """Return the point of a character of the first visible row of a kind."""
    row, corner = row_of(transcript, kind)
    assert row.is_laid_out
    cursor = QTextCursor(row.document)
    cursor.setPosition(position)
    line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
    x = cast("float | tuple[float, int]", line.cursorToX(cursor.positionInBlock()))
    inside = QPoint(int(x[0] if isinstance(x, tuple) else x) + 2, int(line.y() + line.height() / 2))
    return corner + row.text_area.topLeft() + inside


def test_a_conversation_opens_at_its_end(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation())

    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert transcript.is_following
    assert transcript.visible_rows[-1].row_index.turn == 199


def test_only_visible_rows_are_created(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation(5000))
    made = transcript.rows.created

    assert len(made) < 30
    assert sum(row.is_laid_out for rows in made.values() for row in rows.rows) < 60


def test_scrolling_through_everything_releases_distant_rows(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation(1000))
    bar = transcript.verticalScrollBar()
    for step in range(100):
        bar.setValue(bar.maximum() * step // 100)

    made = transcript.rows.created
    assert len(made) < 80
    assert sum(row.is_laid_out for rows in made.values() for row in rows.rows) <= 150


def test_scrolling_up_over_unmeasured_rows_moves_exactly_as_far(
    transcript: TranscriptView,
) -> None:
    transcript.show_turns(long_conversation())
    bar = transcript.verticalScrollBar()
    for _ in range(60):
        place, before = top_row(transcript)
        bar.setValue(bar.value() - 90)
        after = {seen.row_index: seen.top - bar.value() for seen in transcript.visible_rows}
        assert after[place] == before + 90


@pytest.mark.parametrize("key", [Qt.Key.Key_Home, Qt.Key.Key_End])
def test_home_and_end_reach_the_ends(transcript: TranscriptView, key: Qt.Key) -> None:
    transcript.show_turns(long_conversation())
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    QTest.keyClick(transcript, key)

    at_end = key is Qt.Key.Key_End
    assert transcript.visible_rows[-1 if at_end else 0].row_index.turn == (199 if at_end else 0)
    assert transcript.is_following is at_end


def test_page_up_stops_following_and_page_down_takes_it_up(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation())
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    assert not transcript.is_following
    assert transcript.latest_button.isVisible()
    QTest.keyClick(transcript, Qt.Key.Key_PageDown)
    QTest.keyClick(transcript, Qt.Key.Key_PageDown)
    assert transcript.is_following
    assert not transcript.latest_button.isVisible()


def test_new_text_does_not_move_the_row_being_read(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation(40))
    transcript.add_turn(TurnView("Write", NOW))
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    before = top_row(transcript)
    for _ in range(30):
        transcript.stream("A paragraph that streams in.\n\n")
        transcript.flush()

    assert top_row(transcript) == before
    assert transcript.latest_button.text() == "New"


def test_new_leads_back_to_the_end(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation(40))
    QTest.keyClick(transcript, Qt.Key.Key_Home)
    QTest.mouseClick(transcript.latest_button, Qt.MouseButton.LeftButton)

    assert transcript.is_following
    assert transcript.visible_rows[-1].row_index.turn == 39


def test_streamed_text_is_followed(transcript: TranscriptView) -> None:
    transcript.add_turn(TurnView("Write", NOW))
    for number in range(100):
        transcript.stream(f"Paragraph {number}.\n\n")
        transcript.flush()

    last = transcript.visible_rows[-1].row
    assert last.block.text == "Paragraph 99."


def test_text_waits_for_the_next_frame(transcript: TranscriptView, qtbot: QtBot) -> None:
    transcript.add_turn(TurnView("Write", NOW))
    for _ in range(50):
        transcript.stream("word ")
    assert transcript.visible_rows[-1].row.block.text == ""
    qtbot.waitUntil(lambda: transcript.visible_rows[-1].row.block.text.count("word") == 50)


def test_only_the_open_tail_changes(transcript: TranscriptView) -> None:
    transcript.add_turn(TurnView("Write", NOW))
    transcript.stream("First.\n\nSecond")
    transcript.flush()
    rows = transcript.rows.rows_of(0).rows
    first, second = rows[-2:]
    transcript.stream(" **grows**.")
    transcript.flush()

    assert rows[-2:] == [first, second]
    assert rows[-1].block.text == "Second **grows**."


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        ("Plain words", " and more, isn't it?"),
        ("- an item", " that grows "),
        ("A **bold** word", " grows"),
        ("Ends in **bold**", " grows"),
        ("_one_", "two"),
        ("See https://example.org/pa", "th and more"),
        ("An open [link", " text](mail:1)"),
        ("```\nx = *1*", "\ny = <b>"),
        ("> quoted", " words"),
        ("# Head", "ing"),
    ],
)
def test_a_growing_tail_equals_one_that_came_at_once(
    transcript: TranscriptView, begun: str, more: str
) -> None:
    transcript.add_turn(TurnView("Write", NOW))
    for piece in (begun, more):
        transcript.stream(piece)
        transcript.flush()
    grown = transcript.visible_rows[-1].row
    transcript.add_turn(TurnView("Write", NOW))
    transcript.stream(begun + more)
    transcript.flush()
    whole = transcript.visible_rows[-1].row

    assert isinstance(grown, TextRow)
    assert isinstance(whole, TextRow)
    assert grown.block == whole.block
    assert grown.is_laid_out
    assert whole.is_laid_out
    assert grown.document.toHtml() == whole.document.toHtml()


def test_a_row_being_read_stays_where_it_is_when_the_reply_is_done(
    transcript: TranscriptView,
) -> None:
    transcript.add_turn(TurnView("Write", NOW))
    details = "".join(f"Paragraph {number}.\n\n" for number in range(100))
    transcript.stream(details)
    transcript.flush()
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    bar = transcript.verticalScrollBar()
    read, top = transcript.visible_rows[0].row.block, transcript.visible_rows[0].top - bar.value()
    transcript.replace_last(TurnView("Write", NOW, reply=Reply("Written.", details)))

    assert [
        seen.top - bar.value() for seen in transcript.visible_rows if seen.row.block == read
    ] == [top]


def test_a_long_reply_that_comes_at_once_is_shown_from_its_beginning(
    transcript: TranscriptView,
) -> None:
    transcript.show_turns(long_conversation(40))
    transcript.add_turn(TurnView("Write", NOW))
    details = "".join(f"Paragraph {number}.\n\n" for number in range(100))
    transcript.replace_last(TurnView("Write", NOW, reply=Reply("Written.", details)))

    assert top_row(transcript) == (RowIndex(40, 0), 0)
    assert not transcript.is_following


def test_a_short_reply_that_comes_at_once_is_followed(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation(40))
    transcript.add_turn(TurnView("Write", NOW))
    transcript.replace_last(TurnView("Write", NOW, reply=Reply("Written.")))

    assert transcript.is_following


def test_a_click_on_a_link_says_where_it_leads(transcript: TranscriptView, qtbot: QtBot) -> None:
    transcript.show_turns([turn(details="[Budget](mail:a1) and more")])
    at = text_point(transcript, BlockKind.PROSE, 2)
    with qtbot.waitSignal(transcript.signals.link_activated) as clicked:
        QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=at)

    assert clicked.args == ["mail:a1", "Budget"]


def test_links_are_reached_by_tab_and_followed_by_enter(transcript: TranscriptView) -> None:
    transcript.show_turns([turn(details="[one](mail:1) [two](mail:2)\n\n- [three](mail:3)")])
    transcript.setFocus()
    followed: list[str] = []
    transcript.signals.link_activated.connect(lambda target, _words: followed.append(target))
    for _ in range(3):
        assert transcript.focusNextPrevChild(True)  # noqa: FBT003 — Qt's form
        QTest.keyClick(transcript, Qt.Key.Key_Return)
    transcript.focusNextPrevChild(False)  # noqa: FBT003 — Qt's form
    QTest.keyClick(transcript, Qt.Key.Key_Return)

    assert followed == ["mail:1", "mail:2", "mail:3", "mail:2"]


def test_a_drag_selects_text_and_opens_no_link(transcript: TranscriptView, qtbot: QtBot) -> None:
    transcript.show_turns([turn(details="[Budget](mail:a1) and more")])
    viewport = transcript.viewport()
    with qtbot.assertNotEmitted(transcript.signals.link_activated):
        QTest.mousePress(
            viewport, Qt.MouseButton.LeftButton, pos=text_point(transcript, BlockKind.PROSE, 0)
        )
        QTest.mouseMove(viewport, text_point(transcript, BlockKind.PROSE, 10))
        QTest.mouseRelease(
            viewport, Qt.MouseButton.LeftButton, pos=text_point(transcript, BlockKind.PROSE, 10)
        )

    assert transcript.interaction.selected_text == "Budget and"


def test_a_double_click_selects_a_word(transcript: TranscriptView) -> None:
    transcript.show_turns([turn(details="alpha beta gamma")])
    at = text_point(transcript, BlockKind.PROSE, 7)
    QTest.mouseDClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=at)

    assert transcript.interaction.selected_text == "beta"


def test_copying_everything_gives_markdown(transcript: TranscriptView) -> None:
    details = "## Head\n\n- one **bold**\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    transcript.show_turns([turn(details=details)])
    QTest.keyClick(transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert QGuiApplication.clipboard().text() == f"Request 0\n\nMessage 0.\n\n{details}"


def test_a_selection_across_blocks_takes_parts_as_they_read(transcript: TranscriptView) -> None:
    transcript.show_turns([turn(details="first **bold** end\n\nmiddle *one*\n\nlast words")])
    first, last = RowIndex(0, 3), RowIndex(0, 5)
    transcript.interaction.select(TextSelection(TextPosition(first, 6), TextPosition(last, 4)))

    assert transcript.interaction.selected_text == "bold end\n\nmiddle *one*\n\nlast"


def test_a_selection_over_turns_without_rows_is_complete(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation(300))
    transcript.interaction.select(
        TextSelection(TextPosition(RowIndex(0, 0), 0), TextPosition(RowIndex(299, 99), END_OF_TEXT))
    )

    assert all(
        f"Message {number}." in transcript.interaction.selected_text for number in range(300)
    )


def test_code_has_its_own_copy_button(transcript: TranscriptView) -> None:
    transcript.show_turns([turn(details="```py\nx = 1\n\ny = 2\n```")])
    [button] = [
        child
        for child in transcript.viewport().findChildren(QWidget)
        if child.accessibleName() == "Copy code"
    ]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    assert QGuiApplication.clipboard().text() == "x = 1\n\ny = 2"
    assert button.accessibleName() == "Copied"


def turn_wheel(transcript: TranscriptView, notches: int) -> None:
    middle = QPointF(transcript.viewport().rect().center())
    QApplication.sendEvent(
        transcript.viewport(),
        QWheelEvent(
            middle,
            transcript.viewport().mapToGlobal(middle),
            QPoint(0, 0),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,  # noqa: FBT003 — Qt's form
        ),
    )


def test_the_wheel_scrolls_smoothly_and_stops_following(
    transcript: TranscriptView, qtbot: QtBot
) -> None:
    transcript.show_turns(long_conversation())
    bar = transcript.verticalScrollBar()
    end = bar.value()
    turn_wheel(transcript, 1)

    qtbot.waitUntil(lambda: bar.value() <= end - 50)
    assert not transcript.is_following


def test_smooth_scrolling_over_unmeasured_rows_moves_exactly_as_far(
    transcript: TranscriptView, qtbot: QtBot
) -> None:
    transcript.show_turns(long_conversation())
    bar = transcript.verticalScrollBar()
    for _ in range(12):
        place, before = top_row(transcript)
        turn_wheel(transcript, 1)
        qtbot.waitUntil(lambda: transcript.smooth_scroll.state() is SmoothScroll.State.Stopped)
        after = {seen.row_index: seen.top - bar.value() for seen in transcript.visible_rows}
        assert after[place] == before + 4 * bar.singleStep()


def test_another_width_keeps_the_end_visible(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation())
    transcript.resize(420, 500)
    QApplication.processEvents()

    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum()
    assert transcript.visible_rows[-1].row_index.turn == 199


def test_another_width_keeps_the_row_being_read_visible(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation())
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 3)
    for width in (700, 430, 900):
        read = transcript.visible_rows[0].row_index
        transcript.resize(width, 600)
        QApplication.processEvents()
        assert transcript.visible_rows[0].row_index == read


def test_no_text_is_wider_than_the_column(transcript: TranscriptView) -> None:
    transcript.show_turns([turn(details=f"{'x' * 900}\n\n| a |\n|---|\n| {'y' * 900} |")])
    transcript.resize(400, 600)
    QApplication.processEvents()

    for _, row, _ in transcript.visible_rows:
        if isinstance(row, TextRow) and row.is_laid_out:
            assert row.document.idealWidth() <= transcript.column_width


def test_text_that_runs_to_the_left_begins_at_the_right(transcript: TranscriptView) -> None:
    transcript.show_turns([turn(details="- פריט ראשון")])
    row, _ = row_of(transcript, BlockKind.ITEM)

    assert row.text_area.left() == 0
    assert row.text_area.right() < transcript.column_width - 10


def test_a_change_of_theme_keeps_the_position(transcript: TranscriptView) -> None:
    transcript.show_turns(long_conversation())
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    place, _ = top_row(transcript)
    transcript.set_style(ChatStyle.of(DARK, QFont()))

    assert top_row(transcript)[0] == place
    assert transcript.grab().toImage().pixelColor(3, 3).name() == DARK.page


def test_a_font_of_twice_the_size_makes_a_column_twice_as_wide(qtbot: QtBot) -> None:
    font = QFont()
    font.setPixelSize(28)
    made = TranscriptView(ChatStyle.of(LIGHT, font))
    qtbot.addWidget(made)
    made.resize(1900, 800)
    made.show()
    made.show_turns([turn()])

    assert made.column_width == 1520


def test_a_link_never_loads_anything(transcript: TranscriptView, qtbot: QtBot) -> None:
    hostile = "![x](https://evil.example/p.png) <img src='file:///etc/passwd'> [x](javascript:1)"
    transcript.show_turns([turn(details=hostile)])
    row, _ = row_of(transcript, BlockKind.PROSE)
    with qtbot.assertNotEmitted(transcript.signals.link_activated):
        for position in range(row.length):
            at = text_point(transcript, BlockKind.PROSE, position)
            QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=at)

    assert [link for link in row.links() if not link.target.startswith("https:")] == []
