"""The chat pane: the conversation, the approval card when one is due, and the composer."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from gui.chat.composer_panel import ComposerPanel
from gui.chat.suggestions import EmptyState
from gui.theme.colors import Tokens

if TYPE_CHECKING:
    from datetime import datetime

    from gui.chat.transcript.transcript_view import TranscriptView
    from gui.chat.turn_view import StepState, StepView, TurnView, WaitStatus
    from tools.proposal import Choice, Proposal

_LATE_MODULES = ("gui.chat.transcript.transcript_view", "tools.markdown.rendering")


class TranscriptLoader(QObject):
    """Imports in a thread what costs too much before the first frame.

    It has no parent: the thread keeps it until it is done, whatever became of the window.

    Signals:
        done: A transcript can be made and fills itself without waiting.
    """

    done = Signal()

    @staticmethod
    def is_done() -> bool:
        """Whether there is nothing to import."""
        return all(name in sys.modules for name in _LATE_MODULES)

    def start(self) -> None:
        """Begin; `done` follows."""
        QThreadPool.globalInstance().start(self._prepare)

    def _prepare(self) -> None:
        for name in _LATE_MODULES:
            import_module(name)
        self.done.emit()


_EMPTY, _BLANK = 0, 1  # pages; the transcript comes after them


class ChatPane(QWidget):
    """Shows one conversation and takes requests for it.

    A turn is open from `begin_turn` to `finish_turn`; while it is, the send button stops the run.
    Requests can be sent meanwhile: they are emitted all the same, and whoever queues them says
    what waits with `set_waiting`.

    Signals:
        submitted: A request was sent, or a suggested one clicked.
        resubmitted: The last request was sent again, as it was or in other words.
        taken_back: A request that waits should not be asked: its number among those that wait.
        stop_requested: The open turn should stop (Esc or the stop button).
        approved: This proposal, which was shown whole, may be performed.
        declined: Nothing that was shown may be performed.
        connecting_requested: Own mail should be connected.
        link_activated: A link was clicked, `mail:` and `event:` too: its target and the words it
            is shown by. Nothing was opened.
        artifact_activated: A chip under a reply was clicked: path, URL or reference.
        remedy_requested: The button under a reply was pressed: the name of the remedy, and the
            request that was replied to.
    """

    submitted = Signal(str)
    resubmitted = Signal(str)
    taken_back = Signal(int)
    stop_requested = Signal()
    approved = Signal(object)
    declined = Signal()
    connecting_requested = Signal()
    link_activated = Signal(str, str)
    artifact_activated = Signal(str)
    remedy_requested = Signal(str, str)

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self._open = False
        self._empty = EmptyState(tokens, self)
        self._held: tuple[TurnView, ...] | None = None
        self._preparation = TranscriptLoader()
        self._was_painted = False
        self._entry = ComposerPanel(tokens, self)
        self._lay_out()
        self._connect()
        self.setFocusProxy(self._entry)

    def _lay_out(self) -> None:
        pages = QWidget(self)
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self._scrolling_empty())
        self._pages.addWidget(QWidget())  # blank, until it is known what to show
        self._pages.setCurrentIndex(_BLANK)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(pages, 1)
        layout.addWidget(self._entry)

    def _scrolling_empty(self) -> QScrollArea:
        """Let the greeting scroll in a window that is too small for it."""
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._empty)
        return area

    def _connect(self) -> None:
        self._empty.requested.connect(self.submitted)
        self._empty.connecting_requested.connect(self.connecting_requested)
        self._entry.submitted.connect(self.submitted)
        self._entry.resubmitted.connect(self.resubmitted)
        self._entry.taken_back.connect(self.taken_back)
        self._entry.stop_requested.connect(self.stop_requested)
        self._entry.approved.connect(self.approved)
        self._entry.declined.connect(self.declined)
        self._preparation.done.connect(self._show_held)

    @cached_property
    def _transcript(self) -> "TranscriptView":
        """The transcript, made when there is something to show in it."""
        from gui.chat.transcript.transcript_view import TranscriptView  # noqa: PLC0415 — not before the first paint

        made = TranscriptView(self._tokens, self)
        made.request_suggested.connect(self.submitted)
        made.again_requested.connect(self._ask_again)
        made.edit_requested.connect(self._edit)
        made.link_activated.connect(self.link_activated)
        made.artifact_activated.connect(self.artifact_activated)
        made.remedy_requested.connect(self.remedy_requested)
        self._pages.addWidget(made)
        return made

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._tokens = tokens
        self._empty.set_tokens(tokens)
        if "_transcript" in vars(self):
            self._transcript.set_tokens(tokens)
        self._entry.set_tokens(tokens)
        self.update()

    def show_empty(self, suggestions: Sequence[str]) -> None:
        """Greet, and offer requests that run at a click; shown while there is no turn."""
        self._empty.show_requests(suggestions)
        if self._held is None:
            self._show_page()

    def offer_connecting(self, *, offered: bool) -> None:
        """Offer to connect own mail where there is no conversation yet, or no longer."""
        self._empty.offer_connecting(offered=offered)

    def show_turns(self, turns: "Sequence[TurnView]") -> None:
        """Show a whole conversation, oldest first, in place of what was shown."""
        self.hide_approval()
        self._remember(turns[-1] if turns else None)
        self._set_open(open_turn=bool(turns) and turns[-1].reply is None)
        self._held = tuple(turns)
        if TranscriptLoader.is_done() or not turns:
            self._show_held()
        else:
            self._pages.setCurrentIndex(_BLANK)
            self._prepare_once_painted()

    def begin_turn(self, request: str, asked_at: "datetime | None" = None) -> None:
        """Open a turn: the request at the end of the conversation, and the wait for its reply."""
        from gui.chat.turn_view import TurnView  # noqa: PLC0415 — not before the first paint

        self._current.add_turn(TurnView(request, asked_at))
        self._entry.remember(request)
        self._set_open(open_turn=True)
        self._show_page()

    def set_steps(self, steps: "Sequence[StepView]") -> None:
        """Show the plan of the open turn."""
        if self._open:
            turn = replace(self._current.turns[-1], steps=tuple(steps))
            self._current.update_steps(turn)

    def set_step(self, id: int, state: "StepState", note: str = "") -> None:
        """Tick one step of the open turn."""
        from gui.chat.turn_view import with_step_state  # noqa: PLC0415 — not before the first paint

        if self._open:
            self.set_steps(with_step_state(self._current.turns[-1].steps, id, state, note))

    def set_wait(self, wait: "WaitStatus | None") -> None:
        """Say what the open turn waits for; nothing when that is over."""
        if self._open:
            self._current.update_steps(replace(self._current.turns[-1], wait=wait))

    def append_text(self, markdown: str) -> None:
        """Add to the reply of the open turn as it streams in."""
        if self._open:
            self._current.stream(markdown)

    def finish_turn(self, done: "TurnView") -> None:
        """Close the open turn: show it as it came to its end, in place of what streamed."""
        from gui.chat.turn_view import reply_announcement  # noqa: PLC0415 — not before the first paint

        if not self._open or done.reply is None:
            return
        self.hide_approval()
        self._set_open(open_turn=False)
        self._current.replace_last(done)
        self._remember(done)
        self._current.announce(reply_announcement(done.reply))

    def remove_last(self) -> None:
        """Take the last turn away, for another one that comes in its place."""
        self._current.remove_last()

    def set_waiting(self, requests: Sequence[str]) -> None:
        """Say which requests wait for the open turn to end."""
        self._entry.set_waiting(requests)

    def show_approval(self, asked: "Proposal[Any] | Choice[Any]") -> None:
        """Ask for an answer to this: `approved` or `declined` follows."""
        self._entry.show_approval(asked)

    def hide_approval(self) -> None:
        """Take the card away without an answer."""
        self._entry.hide_approval()

    def put_request(self, text: str) -> None:
        """Put a request where it is typed, to be sent or changed."""
        self._entry.put(text)

    def focus_composer(self) -> None:
        """Put the cursor where a request is typed."""
        self._entry.composer.setFocus()

    def clear(self) -> None:
        """Forget the conversation shown."""
        self.show_turns(())
        self.set_waiting(())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the conversation some of the room."""
        super().resizeEvent(event)
        self._entry.bound_card()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page."""
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._tokens.page))
        painter.drawRect(event.rect())
        if not self._was_painted:
            self._was_painted = True
            self._prepare_once_painted()

    @property
    def _current(self) -> "TranscriptView":
        """The transcript with everything in it that was held back."""
        self._show_held()
        return self._transcript

    def _prepare_once_painted(self) -> None:
        if self._held and self._was_painted:
            QTimer.singleShot(0, self._preparation.start)

    def _show_held(self) -> None:
        """Show the conversation that was held back until the window was there."""
        held, self._held = self._held, None
        if held or (held is not None and "_transcript" in vars(self)):
            self._transcript.show_turns(held)
        self._show_page()

    def _show_page(self) -> None:
        if "_transcript" in vars(self) and self._transcript.turns:
            self._pages.setCurrentWidget(self._transcript)
        else:
            self._pages.setCurrentIndex(_EMPTY)

    def _set_open(self, *, open_turn: bool) -> None:
        self._open = open_turn
        self._entry.set_open(open_turn=open_turn)

    def _remember(self, turn: "TurnView | None") -> None:
        self._entry.remember(turn.request if turn else "", acted=bool(turn and turn.acted))

    def _is_last(self, turn: int) -> bool:
        """Whether a turn is the last one and has its reply."""
        return not self._open and turn == len(self._current.turns) - 1

    def _ask_again(self, turn: int) -> None:
        asked = self.resubmitted if self._is_last(turn) else self.submitted
        asked.emit(self._current.turns[turn].request)

    def _edit(self, turn: int) -> None:
        if self._is_last(turn):
            self._entry.edit_last()
        else:
            self._entry.put(self._current.turns[turn].request)
