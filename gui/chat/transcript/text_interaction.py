"""Text interaction: selection, copying and links of a transcript, by pointer and keyboard."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from gui.chat.blocks import Block, BlockKind
from gui.chat.transcript.text_row import TextLink, TextRow
from gui.chat.transcript.transcript_layout import RowIndex, TranscriptLayout, VisibleRow
from gui.chat.transcript.turn_rows import TranscriptRow
from gui.chat.transcript.visible_rows import VisibleRows
from gui.chat.transcript_signals import TranscriptSignals
from gui.widgets.visible_text import link_tooltip, literal_tooltip


class TextPosition(NamedTuple):
    """A character of a row."""

    row_index: RowIndex
    position: int


END_OF_TEXT = 1 << 30  # a position behind every text


@dataclass(frozen=True)
class TextSelection:
    """The text between two positions, in either order; `anchor` is where the selection began."""

    anchor: TextPosition
    cursor: TextPosition

    @property
    def ends(self) -> tuple[TextPosition, TextPosition]:
        """The two positions in reading order."""
        return min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    @property
    def is_empty(self) -> bool:
        """Whether no character is selected."""
        return self.anchor == self.cursor

    def within(self, index: RowIndex) -> tuple[int, int] | None:
        """Return the selected range of a row; None if there is none."""
        first, last = self.ends
        if self.is_empty or not first.row_index <= index <= last.row_index:
            return None
        start = first.position if index == first.row_index else 0
        return start, last.position if index == last.row_index else END_OF_TEXT


class _PlacedLink(NamedTuple):
    start: TextPosition
    end: TextPosition
    link: TextLink


class TextInteraction(QObject):
    """Handles pointer and keys on the viewport of a transcript; emits to its signals.

    Signals:
        dragged_outside: A selection was dragged this many pixels below the viewport, or above.
    """

    dragged_outside = Signal(int)

    def __init__(
        self,
        viewport: QWidget,
        layout: TranscriptLayout,
        visible: VisibleRows,
        signals: TranscriptSignals,
    ) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._layout = layout
        self._visible = visible
        self._signals = signals
        self._selection: TextSelection | None = None
        self._pressed_link: TextLink | None = None
        self._focused_link: TextLink | None = None
        self._dragging = False
        viewport.installEventFilter(self)

    @property
    def selected_text(self) -> str:
        """The selected text as it is copied: whole blocks as Markdown, parts as plain text."""
        return _selected_text(self._selection, self._layout) if self._selection else ""

    def selected_range(self, index: RowIndex) -> tuple[int, int] | None:
        """Return the selected characters of a row."""
        return self._selection.within(index) if self._selection else None

    def select(self, selection: TextSelection | None) -> None:
        """Select this text in place of any other."""
        self._selection = selection
        self._focused_link = None
        self._viewport.update()

    def clear_selection(self) -> None:
        """Select nothing."""
        self.select(None)

    def forget_turn(self, turn: int) -> None:
        """Clear a selection that reaches into a turn whose rows will be replaced."""
        if self._selection is not None and self._selection.ends[1].row_index.turn >= turn:
            self.clear_selection()

    def take_key(self, event: QKeyEvent) -> bool:
        """Copy, select all, or follow the focused link; return whether the key did so."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select(_select_all(self._layout))
        elif self._focused_link and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._follow(self._focused_link)
        else:
            return False
        return True

    def select_link(self, step: int) -> bool:
        """Select the next visible link, or the previous one; Enter follows it.

        Returns:
            Whether there was one.
        """
        links = list(_visible_links(self._visible.rows))
        here = self._selection.ends[0] if self._selection else None
        ahead = [
            link
            for link in links[::step]
            if here is None or (link.start > here if step > 0 else link.start < here)
        ]
        if not ahead:
            self.clear_selection()
            return False
        self.select(TextSelection(ahead[0].start, ahead[0].end))
        self._focused_link = ahead[0].link
        return True

    def copy(self) -> None:
        """Copy the selected text."""
        if self.selected_text:
            _copy_text(self.selected_text)

    def copy_reply(self, turn: int) -> None:
        """Copy the whole reply of a turn as Markdown."""
        reply = self._layout.turns[turn].reply
        if reply is not None:
            _copy_text("\n\n".join(part for part in (reply.message, reply.details) if part))

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Handle pointer events of the viewport."""
        match event.type():
            case QEvent.Type.MouseButtonPress:
                return self._press(cast("QMouseEvent", event))
            case QEvent.Type.MouseMove:
                self._move(cast("QMouseEvent", event))
            case QEvent.Type.MouseButtonRelease:
                self._release(cast("QMouseEvent", event))
            case QEvent.Type.MouseButtonDblClick:
                self._select_word(cast("QMouseEvent", event).position().toPoint())
            case QEvent.Type.ToolTip:
                self._show_tooltip(cast("QHelpEvent", event))
            case QEvent.Type.ContextMenu:
                self._open_menu(cast("QContextMenuEvent", event))
            case _:
                return False
        return True

    def _press(self, event: QMouseEvent) -> bool:
        if event.button() is not Qt.MouseButton.LeftButton:
            return False
        at = event.position().toPoint()
        self._pressed_link = self._link_at(at)
        position = self._position_at(at)
        extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if position is not None:
            anchor = self._selection.anchor if extends and self._selection else position
            self.select(TextSelection(anchor, position))
            self._dragging = True
        return True

    def _move(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if self._dragging and self._selection is not None:
            outside = at.y() - max(0, min(at.y(), self._viewport.height()))
            if outside:
                self.dragged_outside.emit(outside)
            position = self._position_at(at)
            if position is not None:
                self.select(TextSelection(self._selection.anchor, position))
            return
        self._viewport.setCursor(self._cursor_at(at))

    def _release(self, event: QMouseEvent) -> None:
        self._dragging = False
        link = self._link_at(event.position().toPoint())
        unselected = self._selection is None or self._selection.is_empty
        if link and link == self._pressed_link and unselected:
            self._follow(link)
        self._pressed_link = None

    def _select_word(self, at: QPoint) -> None:
        found = self._text_at(at)
        if found is not None:
            index, row, inside = found
            start, end = row.word_at(row.position_at(inside))
            self.select(TextSelection(TextPosition(index, start), TextPosition(index, end)))

    def _show_tooltip(self, event: QHelpEvent) -> None:
        link = self._link_at(event.pos())
        text = link_tooltip(link.target) if link else self._request_time_at(event.pos())
        QToolTip.showText(event.globalPos(), literal_tooltip(text), self._viewport)

    def _request_time_at(self, at: QPoint) -> str:
        found = self._text_at(at)
        if found is None or found[1].block.kind is not BlockKind.REQUEST:
            return ""
        asked_at = self._layout.turns[found[0].turn].asked_at
        return f"{asked_at.astimezone():%A %d %B %Y, %H:%M %Z}" if asked_at else ""

    def _open_menu(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self._viewport)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        link = self._link_at(event.pos())
        if self.selected_text:
            menu.addAction("Copy", self.copy)
        found = self._visible.at(event.pos())
        if found is not None:
            self.add_turn_actions(menu, found[0].row_index.turn)
        if link:
            menu.addAction("Copy link", lambda: _copy_text(link.target))
        menu.popup(event.globalPos())

    def add_turn_actions(self, menu: QMenu, turn: int) -> None:
        """Add the actions for a turn to a context menu."""
        if self._layout.turns[turn].reply is not None:
            menu.addAction("Copy reply as Markdown", lambda: self.copy_reply(turn))
            menu.addAction("Ask again", lambda: self._signals.again_requested.emit(turn))
        menu.addAction("Edit request", lambda: self._signals.edit_requested.emit(turn))

    def _text_at(self, at: QPoint) -> tuple[RowIndex, TextRow, QPoint] | None:
        found = self._visible.at(at)
        if found is None or not isinstance(found[0].row, TextRow):
            return None
        return found[0].row_index, found[0].row, found[1]

    def _position_at(self, at: QPoint) -> TextPosition | None:
        found = self._visible.at(at)
        if found is None:
            return None
        visible, inside = found
        if not isinstance(visible.row, TextRow):
            return TextPosition(visible.row_index, END_OF_TEXT)
        return TextPosition(visible.row_index, visible.row.position_at(inside))

    def _follow(self, link: TextLink) -> None:
        self._signals.link_activated.emit(link.target, link.text)

    def _link_at(self, at: QPoint) -> TextLink | None:
        found = self._text_at(at)
        return found[1].link_at(found[2]) if found else None

    def _cursor_at(self, at: QPoint) -> Qt.CursorShape:
        if self._link_at(at):
            return Qt.CursorShape.PointingHandCursor
        found = self._text_at(at)
        over_text = found is not None and found[1].has_text_at(found[2])
        return Qt.CursorShape.IBeamCursor if over_text else Qt.CursorShape.ArrowCursor


def _select_all(layout: TranscriptLayout) -> TextSelection:
    last = max(0, len(layout.turns) - 1)
    return TextSelection(
        TextPosition(RowIndex(0, 0), 0), TextPosition(RowIndex(last, END_OF_TEXT), END_OF_TEXT)
    )


def _selected_text(selection: TextSelection, layout: TranscriptLayout) -> str:
    first, last = selection.ends
    pieces: list[tuple[Block, str]] = []
    for turn in range(first.row_index.turn, min(last.row_index.turn + 1, len(layout.turns))):
        for number, row in enumerate(layout.rows_of(turn).rows):
            selected = selection.within(RowIndex(turn, number))
            text = _row_text(row, selected) if selected else ""
            if text:
                pieces.append((row.block, text))
    return _joined_blocks(pieces)


def _row_text(row: TranscriptRow, selected: tuple[int, int]) -> str:
    if not isinstance(row, TextRow):
        return ""
    return row.block.source if selected == (0, END_OF_TEXT) else row.text_between(*selected)


def _joined_blocks(pieces: list[tuple[Block, str]]) -> str:
    text = ""
    before: BlockKind | None = None
    for block, piece in pieces:
        tight = before is BlockKind.ITEM and block.kind is BlockKind.ITEM
        text += ("" if before is None else "\n" if tight else "\n\n") + piece
        before = block.kind
    return text


def _visible_links(visible: Sequence[VisibleRow]) -> Iterator[_PlacedLink]:
    for index, row, _ in visible:
        for link in row.links() if isinstance(row, TextRow) else ():
            start, end = TextPosition(index, link.start), TextPosition(index, link.end)
            yield _PlacedLink(start, end, link)


def _copy_text(text: str) -> None:
    copied = QMimeData()
    copied.setText(text)
    copied.setData("text/markdown", text.encode())
    QGuiApplication.clipboard().setMimeData(copied)
