"""The approval card."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from gui.chat.approval_card import ApprovalCard, ApprovalRequest
from gui.chat.chat_pane import ChatPane
from gui.chat.proposal_details import LiteralText
from gui.theme.colors import DARK
from gui.widgets.choice_buttons import ThemedRadioButton
from tools.proposal import Choice, Proposal, ProposalField, Sink


async def perform() -> None:
    """Do nothing; nothing here is ever performed."""


def proposal(body: str = "Hello", subject: str = "Budget") -> Proposal[Any]:
    shown = (
        ProposalField("From", ("ada@example.org",)),
        ProposalField("To", ("john@example.com", "eve@example.com"), Sink.RECIPIENT),
        ProposalField("Subject", (subject,)),
    )
    return Proposal("Send this email", "Send", shown, body, perform)


@pytest.fixture
def asking(pane: ChatPane) -> ChatPane:
    pane.begin_turn("email John")
    pane.panel.show_approval(ApprovalRequest(proposal()))
    QApplication.processEvents()
    return pane


def request_of(pane: ChatPane) -> ApprovalRequest:
    assert pane.panel.approval is not None
    return pane.panel.approval


def card_of(pane: ChatPane) -> ApprovalCard:
    found = pane.findChild(ApprovalCard)
    assert found is not None
    return found


def texts_of(pane: ChatPane) -> dict[str, str]:
    return {
        text.accessibleName(): text.toPlainText()
        for text in card_of(pane).findChildren(LiteralText)
    }


def test_every_value_is_shown_in_full(asking: ChatPane) -> None:
    assert texts_of(asking) == {
        "Title": "Send this email",
        "From": "ada@example.org",
        "To": "john@example.com\neve@example.com",
        "Subject": "Budget",
        "Text": "Hello",
    }


def test_values_are_never_markup(pane: ChatPane) -> None:
    pane.begin_turn("x")
    pane.panel.show_approval(ApprovalRequest(proposal(body="<b>bold</b>", subject="<img src=x>")))

    assert texts_of(pane)["Text"] == "<b>bold</b>"
    assert texts_of(pane)["Subject"] == "<img src=x>"
    labels = card_of(pane).findChildren(QLabel)
    assert all(label.textFormat() is not Qt.TextFormat.RichText for label in labels)


def test_hidden_characters_are_shown(pane: ChatPane) -> None:
    pane.begin_turn("x")
    pane.panel.show_approval(
        ApprovalRequest(proposal(subject="a\u202efdp.exe\nBcc: eve@example.com"))
    )

    assert texts_of(pane)["Subject"] == "a[U+202E]fdp.exe[U+000A]Bcc: eve@example.com"


def test_a_long_value_breaks_instead_of_being_cut(pane: ChatPane) -> None:
    pane.begin_turn("x")
    pane.panel.show_approval(ApprovalRequest(proposal(subject="x" * 600)))
    QApplication.processEvents()
    [subject] = [
        text
        for text in card_of(pane).findChildren(LiteralText)
        if text.accessibleName() == "Subject"
    ]

    assert subject.toPlainText() == "x" * 600
    assert subject.height() >= subject.document().size().height() * subject.fontMetrics().height()


def test_a_long_body_scrolls_and_the_answers_stay_in_sight(pane: ChatPane) -> None:
    pane.begin_turn("x")
    pane.panel.show_approval(ApprovalRequest(proposal(body="line\n" * 400)))
    QApplication.processEvents()
    card = card_of(pane)
    sheet = card.findChild(QScrollArea)

    assert sheet is not None
    assert sheet.verticalScrollBar().maximum() > 0
    QTest.keyClick(card.cancel, Qt.Key.Key_PageDown)
    QTest.keyClick(card.cancel, Qt.Key.Key_Down)
    assert sheet.verticalScrollBar().value() > sheet.verticalScrollBar().pageStep()
    assert pane.focusWidget() is card.cancel
    assert card.rect().contains(card.confirm.geometry())
    assert pane.rect().contains(card.geometry())


def test_cancel_has_the_focus_and_a_stray_enter_declines(asking: ChatPane, qtbot: QtBot) -> None:
    assert asking.focusWidget() is card_of(asking).cancel
    with qtbot.waitSignal(request_of(asking).closed) as closed:
        QTest.keyClick(asking.focusWidget(), Qt.Key.Key_Return)
    assert closed.args == [None]


def test_escape_declines(asking: ChatPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(request_of(asking).closed) as closed:
        QTest.keyClick(card_of(asking).confirm, Qt.Key.Key_Escape)
    assert closed.args == [None]


def test_the_other_button_is_reached_by_tab_and_approves(asking: ChatPane, qtbot: QtBot) -> None:
    QTest.keyClick(asking.focusWidget(), Qt.Key.Key_Tab)
    assert asking.focusWidget() is card_of(asking).confirm
    request = request_of(asking)
    with qtbot.waitSignal(request.closed) as closed:
        QTest.keyClick(asking.focusWidget(), Qt.Key.Key_Return)
    assert closed.args == [request.question]


def test_a_double_click_answers_once(asking: ChatPane, qtbot: QtBot) -> None:
    card = card_of(asking)
    answers: list[object] = []
    request = request_of(asking)
    request.closed.connect(answers.append)
    card.confirm.click()
    card.confirm.click()
    card.cancel.click()
    QApplication.processEvents()

    assert answers == [request.question]
    assert asking.findChild(ApprovalCard) is None or not card.isVisible()
    qtbot.wait(1)


def test_a_half_typed_request_keeps_the_focus_and_its_enter_answers_nothing(
    pane: ChatPane, qtbot: QtBot
) -> None:
    pane.begin_turn("x")
    pane.focus_composer()
    QTest.keyClicks(pane.panel.composer.field, "and then")
    pane.panel.show_approval(ApprovalRequest(proposal()))
    with qtbot.assertNotEmitted(request_of(pane).closed):
        QTest.keyClick(pane.focusWidget(), Qt.Key.Key_Return)

    assert card_of(pane).isVisible()


def test_the_card_survives_a_change_of_theme(asking: ChatPane) -> None:
    asking.set_tokens(DARK)
    QApplication.processEvents()

    cards = [card for card in asking.findChildren(ApprovalCard) if card.isVisible()]
    assert len(cards) == 1


def test_the_end_of_the_turn_removes_the_card(asking: ChatPane, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(request_of(asking).closed):
        asking.panel.hide_approval()

    assert not any(card.isVisible() for card in asking.findChildren(ApprovalCard))


def choice() -> Choice[Any]:
    work = proposal(body="From work", subject="Budget")
    home = replace(proposal(body="From home", subject="Budget"), verb="Send from home")
    return Choice("From which account?", (("Work <b>& more</b>", work), ("Home", home)))


@pytest.fixture
def choosing(pane: ChatPane) -> ChatPane:
    pane.begin_turn("email John")
    pane.panel.show_approval(ApprovalRequest(choice()))
    QApplication.processEvents()
    return pane


def options_of(pane: ChatPane) -> list[ThemedRadioButton]:
    return [one for one in card_of(pane).findChildren(ThemedRadioButton) if one.isVisible()]


def test_nothing_of_a_choice_is_picked_for_the_person(choosing: ChatPane, qtbot: QtBot) -> None:
    card = card_of(choosing)
    assert [one.text() for one in options_of(choosing)] == ["Work <b>& more</b>", "Home"]
    assert not any(one.isChecked() for one in options_of(choosing))
    assert texts_of(choosing) == {"Title": "From which account?"}
    assert not card.confirm.isEnabled()
    assert choosing.focusWidget() is options_of(choosing)[0]
    with qtbot.assertNotEmitted(request_of(choosing).closed):
        QTest.keyClick(choosing.focusWidget(), Qt.Key.Key_Return)


def test_the_picked_proposal_is_shown_in_full_and_approved(
    choosing: ChatPane, qtbot: QtBot
) -> None:
    work, home = options_of(choosing)
    QTest.keyClick(work, Qt.Key.Key_Space)
    assert texts_of(choosing)["Text"] == "From work"
    QTest.keyClick(work, Qt.Key.Key_Down)
    QApplication.processEvents()
    assert home.isChecked()
    assert [
        one.toPlainText()
        for one in card_of(choosing).findChildren(LiteralText)
        if one.isVisible() and one.accessibleName() == "Text"
    ] == ["From home"]
    card = card_of(choosing)
    assert card.confirm.text() == "Send from home"
    QTest.keyClick(choosing.focusWidget(), Qt.Key.Key_Tab)
    assert choosing.focusWidget() is card.cancel
    QTest.keyClick(choosing.focusWidget(), Qt.Key.Key_Tab)
    with qtbot.waitSignal(request_of(choosing).closed) as closed:
        QTest.keyClick(choosing.focusWidget(), Qt.Key.Key_Return)
    (proposal,) = closed.args
    assert (proposal.verb, proposal.body) == ("Send from home", "From home")


def test_a_pick_survives_a_change_of_theme(choosing: ChatPane) -> None:
    options_of(choosing)[1].click()
    choosing.set_tokens(DARK)
    QApplication.processEvents()

    (card,) = [one for one in choosing.findChildren(ApprovalCard) if one.isVisible()]
    assert card.picked is not None
    assert card.picked.body == "From home"
    assert card.confirm.isEnabled()


def test_escape_declines_a_choice(choosing: ChatPane, qtbot: QtBot) -> None:
    options_of(choosing)[0].click()
    with qtbot.waitSignal(request_of(choosing).closed) as closed:
        QTest.keyClick(options_of(choosing)[0], Qt.Key.Key_Escape)
    assert closed.args == [None]
