"""The transcript is loaded after the first frame."""

import os
import subprocess
import sys

RESTORED = """
import sys, time
from PySide6.QtWidgets import QApplication
from assistant.runs.reply import Reply
from gui.chat.chat_pane import ChatPane
from gui.chat.turn_view import TurnView
from gui.theme.colors import LIGHT

app = QApplication([])
pane = ChatPane(LIGHT)
pane.show_empty(["Read my mail"])
pane.show_turns([TurnView("earlier", reply=Reply("Done.", "**all** of it"))])
late = {{"gui.chat.transcript.transcript_view", "tools.markdown.rendering"}}
assert late.isdisjoint(sys.modules), "imported before the first paint"
{then}
pane.show()
while not ("transcript" in vars(pane) and pane.transcript.isVisible()):
    app.processEvents()
    time.sleep(0.01)
print([turn.request for turn in pane.transcript.turns])
"""


def run(code: str) -> str:
    offscreen = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=offscreen,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_earlier_conversation_appears_after_the_first_frame() -> None:
    assert run(RESTORED.format(then="")) == "['earlier']"


def test_a_pending_conversation_is_replaced_by_another() -> None:
    then = "pane.show_turns([TurnView('other', reply=Reply('Done.'))])"

    assert run(RESTORED.format(then=then)) == "['other']"


def test_a_request_follows_a_pending_conversation() -> None:
    assert run(RESTORED.format(then="pane.begin_turn('now')")) == "['earlier', 'now']"
