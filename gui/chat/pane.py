"""The chat pane: the conversation, the approval card when one is due, and the composer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from assistant.reply import Reply
from gui.chat.turn import RemedyView, StepState, StepView, TurnView

if TYPE_CHECKING:
    from datetime import datetime

    from gui.theme import Tokens
    from tools.tool import Proposal


class ChatPane(QWidget):
    """Shows one conversation and takes requests for it.

    A turn is open from `begin_turn` to `finish_turn`; while it is, the send button stops the run.
    Requests can be sent meanwhile: they are emitted all the same, and whoever queues them says
    what waits with `set_waiting`.

    Signals:
        submitted: A request was sent, or a suggested one clicked.
        stop_requested: The open turn should stop (Esc or the stop button).
        approved: The shown proposal may be performed.
        declined: The shown proposal may not be performed.
        link_activated: A link was clicked, `mail:` and `event:` too; nothing was opened.
        artifact_activated: A chip under a reply was clicked: path, URL or reference.
        remedy_requested: The button under a reply was pressed: the name of the remedy.
    """

    submitted = Signal(str)
    stop_requested = Signal()
    approved = Signal()
    declined = Signal()
    link_activated = Signal(str)
    artifact_activated = Signal(str)
    remedy_requested = Signal(str)

    def __init__(self, tokens: "Tokens", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = tokens

    def set_tokens(self, tokens: "Tokens") -> None:
        """Take other colours."""

    def show_empty(self, suggestions: Sequence[str]) -> None:
        """Greet, and offer requests that run at a click; shown while there is no turn."""

    def show_turns(self, turns: Sequence[TurnView]) -> None:
        """Show a whole conversation, oldest first, in place of what was shown."""

    def begin_turn(self, request: str, asked_at: "datetime | None" = None) -> None:
        """Open a turn: the request at the end of the conversation, and the wait for its reply."""

    def set_steps(self, steps: Sequence[StepView]) -> None:
        """Show the plan of the open turn."""

    def set_step(self, id: int, state: StepState, note: str = "") -> None:
        """Tick one step of the open turn."""

    def append_text(self, markdown: str) -> None:
        """Add to the reply of the open turn as it streams in."""

    def finish_turn(
        self,
        reply: Reply,
        remedy: RemedyView | None = None,
        suggestions: Sequence[str] = (),
    ) -> None:
        """Close the open turn with its reply, in place of what streamed."""

    def set_waiting(self, requests: Sequence[str]) -> None:
        """Say which requests wait for the open turn to end."""

    def show_approval(self, proposal: "Proposal[Any]") -> None:
        """Ask for an answer to this proposal: `approved` or `declined` follows."""

    def hide_approval(self) -> None:
        """Take the card away without an answer."""

    def focus_composer(self) -> None:
        """Put the cursor where a request is typed."""

    def clear(self) -> None:
        """Forget the conversation shown."""
