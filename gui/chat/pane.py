"""The chat pane: the conversation, the approval card when one is due, and the composer."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from gui.chat.composer import Composer
from gui.chat.empty import EmptyState
from gui.chat.preparation import Preparation
from gui.chat.style import COLUMN, Style
from gui.chat.waiting_line import WaitingLine
from gui.theme import Tokens

if TYPE_CHECKING:
    from datetime import datetime

    from assistant.reply import Reply
    from gui.chat.approval_card import ApprovalCard
    from gui.chat.transcript import Transcript
    from gui.chat.turn import RemedyView, StepState, StepView, TurnView
    from tools.tool import Proposal


_EMPTY, _BLANK = 0, 1  # pages; the transcript comes after them


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
        link_activated: A link was clicked, `mail:` and `event:` too: its target and the words it
            is shown by. Nothing was opened.
        artifact_activated: A chip under a reply was clicked: path, URL or reference.
        remedy_requested: The button under a reply was pressed: the name of the remedy.
    """

    submitted = Signal(str)
    stop_requested = Signal()
    approved = Signal()
    declined = Signal()
    link_activated = Signal(str, str)
    artifact_activated = Signal(str)
    remedy_requested = Signal(str)

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self._proposal: Proposal[Any] | None = None
        self._card: ApprovalCard | None = None
        self._open = False
        self._empty = EmptyState(tokens, self)
        self._held: tuple[TurnView, ...] | None = None
        self._preparation = Preparation()
        self._was_painted = False
        self._waiting = WaitingLine(self._style, self)
        self._composer = Composer(tokens, self)
        self._lay_out()
        self._connect()
        self.setFocusProxy(self._composer)

    def _lay_out(self) -> None:
        pages = QWidget(self)
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self._scrolling_empty())
        self._pages.addWidget(QWidget())  # blank, until it is known what to show
        self._pages.setCurrentIndex(_BLANK)
        self._foot = QVBoxLayout()
        self._foot.addWidget(self._waiting)
        self._foot.addWidget(self._composer)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(pages, 1)
        layout.addLayout(self._foot)
        self._set_margins()

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
        self._composer.submitted.connect(self.submitted)
        self._composer.stop_requested.connect(self.stop_requested)
        self._preparation.done.connect(self._show_held)

    @cached_property
    def _transcript(self) -> "Transcript":
        """The transcript, made when there is something to show in it."""
        from gui.chat.transcript import Transcript  # noqa: PLC0415 — not before the first paint

        made = Transcript(self._tokens, self)
        made.request_suggested.connect(self.submitted)
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
        self._composer.set_tokens(tokens)
        self._waiting.set_style(self._style)
        if self._proposal is not None:
            self.show_approval(self._proposal)
        self.update()

    def show_empty(self, suggestions: Sequence[str]) -> None:
        """Greet, and offer requests that run at a click; shown while there is no turn."""
        self._empty.show_requests(suggestions)
        if self._held is None:
            self._show_page()

    def show_turns(self, turns: "Sequence[TurnView]") -> None:
        """Show a whole conversation, oldest first, in place of what was shown."""
        self.hide_approval()
        self._composer.remember(turns[-1].request if turns else "")
        self._set_open(open_turn=bool(turns) and turns[-1].reply is None)
        self._held = tuple(turns)
        if Preparation.is_done() or not turns:
            self._show_held()
        else:
            self._pages.setCurrentIndex(_BLANK)
            self._prepare_once_painted()

    def begin_turn(self, request: str, asked_at: "datetime | None" = None) -> None:
        """Open a turn: the request at the end of the conversation, and the wait for its reply."""
        from gui.chat.turn import TurnView  # noqa: PLC0415 — not before the first paint

        self._current.add_turn(TurnView(request, asked_at))
        self._composer.remember(request)
        self._set_open(open_turn=True)
        self._show_page()

    def set_steps(self, steps: "Sequence[StepView]") -> None:
        """Show the plan of the open turn."""
        if self._open:
            turn = replace(self._current.turns[-1], steps=tuple(steps))
            self._current.update_steps(turn)

    def set_step(self, id: int, state: "StepState", note: str = "") -> None:
        """Tick one step of the open turn."""
        from gui.chat.turn import ticked  # noqa: PLC0415 — not before the first paint

        if self._open:
            self.set_steps(ticked(self._current.turns[-1].steps, id, state, note))

    def append_text(self, markdown: str) -> None:
        """Add to the reply of the open turn as it streams in."""
        if self._open:
            self._current.stream(markdown)

    def finish_turn(
        self,
        reply: "Reply",
        remedy: "RemedyView | None" = None,
        suggestions: Sequence[str] = (),
    ) -> None:
        """Close the open turn with its reply, in place of what streamed."""
        from gui.chat.status import spoken  # noqa: PLC0415 — not before the first paint

        if not self._open:
            return
        self.hide_approval()
        self._set_open(open_turn=False)
        turn = self._current.turns[-1]
        done = replace(turn, reply=reply, remedy=remedy, suggestions=tuple(suggestions))
        self._current.replace_last(done)
        self._current.announce(spoken(reply))

    def set_waiting(self, requests: Sequence[str]) -> None:
        """Say which requests wait for the open turn to end."""
        self._waiting.show_requests(requests)

    def show_approval(self, proposal: "Proposal[Any]") -> None:
        """Ask for an answer to this proposal: `approved` or `declined` follows."""
        from gui.chat.approval_card import ApprovalCard  # noqa: PLC0415 — first paint

        self.hide_approval()
        self._proposal = proposal
        self._card = card = ApprovalCard(proposal, self._style, self)
        card.approved.connect(self._approve)
        card.declined.connect(self._decline)
        self._foot.insertWidget(0, card)
        card.show()
        self._bound_card()
        focused = QApplication.focusWidget()
        if not self._composer.text and (focused is None or self.isAncestorOf(focused)):
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def hide_approval(self) -> None:
        """Take the card away without an answer."""
        card, self._card, self._proposal = self._card, None, None
        if card is not None:
            had_focus = card.isAncestorOf(self.focusWidget() or self)
            self._foot.removeWidget(card)
            card.hide()
            card.deleteLater()
            if had_focus:
                self.focus_composer()

    def focus_composer(self) -> None:
        """Put the cursor where a request is typed."""
        self._composer.setFocus()

    def clear(self) -> None:
        """Forget the conversation shown."""
        self.show_turns(())
        self.set_waiting(())

    def changeEvent(self, event: QEvent) -> None:
        """Fit the margins to another font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._set_margins()
            self._waiting.set_style(self._style)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the composer as wide as the text above it."""
        super().resizeEvent(event)
        self._set_margins()
        self._bound_card()

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
    def _style(self) -> Style:
        return Style.of(self._tokens, self.font())

    @property
    def _current(self) -> "Transcript":
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
        if open_turn:
            self._composer.show_running()
        else:
            self._composer.show_idle()

    def _set_margins(self) -> None:
        px = self._style.length
        side = max(px(16), (self.width() - px(COLUMN)) // 2 - px(20))
        self._foot.setContentsMargins(side, px(4), side, px(18))
        self._foot.setSpacing(px(6))

    def _bound_card(self) -> None:
        if self._card is not None:
            self._card.setMaximumHeight(self.height() * 2 // 3)

    def _edit(self, request: str) -> None:
        self._composer.set_text(request)
        self.focus_composer()

    def _approve(self) -> None:
        self.hide_approval()
        self.approved.emit()

    def _decline(self) -> None:
        self.hide_approval()
        self.declined.emit()
