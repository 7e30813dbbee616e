"""A chat pane in a window, as the chat's tests use it."""

import pytest
from pytestqt.qtbot import QtBot

from gui.chat.chat_pane import ChatPane
from gui.theme.colors import LIGHT


@pytest.fixture
def pane(qtbot: QtBot) -> ChatPane:
    """A shown pane, as large as in a usual window."""
    made = ChatPane(LIGHT)
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    return made
