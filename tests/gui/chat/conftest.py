"""A chat pane in a window, for the tests of the chat."""

import pytest
from pytestqt.qtbot import QtBot

from gui.chat.chat_pane import ChatPane
from gui.theme.colors import LIGHT


@pytest.fixture
def pane(qtbot: QtBot) -> ChatPane:
    """A visible chat pane of the usual size."""
    made = ChatPane(LIGHT)
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    return made
