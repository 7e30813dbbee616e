"""The chat pane: the conversation, the approval card when one is due, and the composer."""

import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from gui.chat.chat_style import ChatStyle
from gui.chat.composer_panel import ComposerPanel
from gui.chat.suggestions import EmptyState
from gui.chat.transcript_signals import TranscriptSignals
from gui.theme.colors import Tokens

if TYPE_CHECKING:
    from datetime import datetime

    from gui.chat.transcript.transcript_view import TranscriptView
    from gui.chat.turn_view import StepView, TurnView, WaitStatus

_LATE_MODULES = ("gui.chat.transcript.transcript_view", "tools.markdown.rendering")
_EMPTY, _BLANK = 0, 1  # pages; the transcript comes after them


class TranscriptLoader(QObject):
    """Imports the modules of the transcript in a thread, after the first frame.

    It has no parent: the thread keeps it until it is done, even if the window was closed.

    Signals:
        done: The transcript can be created without delay.
    """

    done = Signal()

    @staticmethod
    def is_done() -> bool:
        """Whether all modules are imported."""
        return all(name in sys.modules for name in _LATE_MODULES)

    def start(self) -> None:
        """Start the import; `done` follows."""
        QThreadPool.globalInstance().start(self._import)

    def _import(self) -> None:
        for name in _LATE_MODULES:
            import_module(name)
        self.done.emit()


class ChatPane(QWidget):
    """Shows one conversation and accepts requests for it.

    A turn is open from `begin_turn` to `finish_turn`; meanwhile the send button stops the run.
    Further requests are emitted all the same; their receiver queues them and shows the queue by
    `set_waiting`.

    Attributes:
        panel: The composer, which emits requests, above it the queue and the approval card.
        empty_state: The page without turns, which emits suggested requests.
        signals: The user's actions in the transcript.
    """

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = ChatStyle.of(tokens, self.font())
        self._open = False
        self.empty_state = EmptyState(self._style, self)
        self._pending: tuple[TurnView, ...] | None = None
        self._loader = TranscriptLoader()
        self._was_painted = False
        self.panel = ComposerPanel(self._style, self)
        self.signals = TranscriptSignals(self)
        self._lay_out()
        self._loader.done.connect(self._show_pending)
        self.signals.again_requested.connect(self._ask_again)
        self.signals.edit_requested.connect(self._edit)
        self.setFocusProxy(self.panel)

    def _lay_out(self) -> None:
        pages = QWidget(self)
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self._scrolling_empty_state())
        self._pages.addWidget(QWidget())  # blank, until the content is known
        self._pages.setCurrentIndex(_BLANK)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(pages, 1)
        layout.addWidget(self.panel)

    def _scrolling_empty_state(self) -> QScrollArea:
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.empty_state)
        return area

    @cached_property
    def transcript(self) -> "TranscriptView":
        """The transcript, created with the first turn."""
        from gui.chat.transcript.transcript_view import TranscriptView  # noqa: PLC0415 — first paint

        view = TranscriptView(self._style, self, self.signals)
        self._pages.addWidget(view)
        return view

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours, and the current font."""
        self._style = style = ChatStyle.of(tokens, self.font())
        self.empty_state.set_style(style)
        if "transcript" in vars(self):
            self.transcript.set_style(style)
        self.panel.set_style(style)
        self.update()

    def show_empty(self, suggestions: Sequence[str]) -> None:
        """Show the greeting with suggested requests while there is no turn."""
        self.empty_state.show_requests(suggestions)
        if self._pending is None:
            self._show_page()

    def offer_connecting(self, *, offered: bool) -> None:
        """Show or hide the button that connects the user's own mail, on the empty page."""
        self.empty_state.offer_connecting(offered=offered)

    def show_turns(self, turns: "Sequence[TurnView]") -> None:
        """Show another conversation, oldest turn first."""
        self.panel.hide_approval()
        self._remember(turns[-1] if turns else None)
        self._set_open(open_turn=bool(turns) and turns[-1].reply is None)
        self._pending = tuple(turns)
        if TranscriptLoader.is_done() or not turns:
            self._show_pending()
        else:
            self._pages.setCurrentIndex(_BLANK)
            self._load_once_painted()

    def begin_turn(self, request: str, asked_at: "datetime | None" = None) -> None:
        """Open a turn: append the request and wait for its reply."""
        from gui.chat.turn_view import TurnView  # noqa: PLC0415 — not before the first paint

        self._current.add_turn(TurnView(request, asked_at))
        self.panel.remember(request)
        self._set_open(open_turn=True)
        self._show_page()

    def set_steps(self, steps: "Sequence[StepView]") -> None:
        """Show the plan of the open turn."""
        if self._open:
            self._current.update_steps(self._current.turns[-1].with_steps(steps))

    def set_wait(self, wait: "WaitStatus | None") -> None:
        """Show the wait status of the open turn; None ends the wait."""
        if self._open:
            self._current.update_steps(self._current.turns[-1].with_wait(wait))

    def append_text(self, markdown: str) -> None:
        """Append streamed text to the reply of the open turn."""
        if self._open:
            self._current.stream(markdown)

    def finish_turn(self, done: "TurnView") -> None:
        """Close the open turn; replace the streamed text by its final state."""
        from gui.chat.turn_view import reply_announcement  # noqa: PLC0415 — first paint

        if not self._open or done.reply is None:
            return
        self.panel.hide_approval()
        self._set_open(open_turn=False)
        self._current.replace_last(done)
        self._remember(done)
        self._current.announce(reply_announcement(done.reply))

    def remove_last(self) -> None:
        """Remove the last turn, before another one replaces it."""
        self._current.remove_last()

    def set_waiting(self, requests: Sequence[str]) -> None:
        """Show the requests that are queued behind the open turn."""
        self.panel.queue.show_requests(requests)

    def put_request(self, text: str) -> None:
        """Put a request into the composer, to be edited or sent."""
        self.panel.put(text)

    def focus_composer(self) -> None:
        """Focus the composer."""
        self.panel.composer.setFocus()

    def clear(self) -> None:
        """Remove all turns and queued requests."""
        self.show_turns(())
        self.set_waiting(())

    def changeEvent(self, event: QEvent) -> None:
        """Lay everything out again after a change of font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.set_tokens(self._style.tokens)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height of the approval card."""
        super().resizeEvent(event)
        self.panel.limit_card_height()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background."""
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._style.tokens.page))
        painter.drawRect(event.rect())
        if not self._was_painted:
            self._was_painted = True
            self._load_once_painted()

    @property
    def _current(self) -> "TranscriptView":
        """The transcript, with any pending conversation in it."""
        self._show_pending()
        return self.transcript

    def _load_once_painted(self) -> None:
        if self._pending and self._was_painted:
            QTimer.singleShot(0, self._loader.start)

    def _show_pending(self) -> None:
        """Show the conversation that waited for the transcript's modules."""
        pending, self._pending = self._pending, None
        if pending or (pending is not None and "transcript" in vars(self)):
            self.transcript.show_turns(pending)
        self._show_page()

    def _show_page(self) -> None:
        if "transcript" in vars(self) and self.transcript.turns:
            self._pages.setCurrentWidget(self.transcript)
        else:
            self._pages.setCurrentIndex(_EMPTY)

    def _set_open(self, *, open_turn: bool) -> None:
        self._open = open_turn
        self.panel.composer.set_running(running=open_turn)

    def _remember(self, turn: "TurnView | None") -> None:
        self.panel.remember(turn.request if turn else "", acted=bool(turn and turn.acted))

    def _is_last(self, turn: int) -> bool:
        """Whether a turn is the last one and has its reply."""
        return not self._open and turn == len(self._current.turns) - 1

    def _ask_again(self, turn: int) -> None:
        composer = self.panel.composer
        signal = composer.resubmitted if self._is_last(turn) else composer.submitted
        signal.emit(self._current.turns[turn].request)

    def _edit(self, turn: int) -> None:
        if self._is_last(turn):
            self.panel.edit_last()
        else:
            self.panel.put(self._current.turns[turn].request)
