"""Text interaction: selection, copying and links of a transcript, by pointer and keyboard."""

from collections.abc import Callable, Iterator, Sequence
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
from gui.widgets.visible_text import link_tooltip, literal_tooltip


class TextPosition(NamedTuple):
    """A character of a row."""

    place: RowIndex
    position: int


END_OF_TEXT = 1 << 30  # a position behind every text


@dataclass(frozen=True)
class TextSelection:
    """Two points; the one where it was begun stays."""

    anchor: TextPosition
    cursor: TextPosition

    @property
    def ends(self) -> tuple[TextPosition, TextPosition]:
        """The two points in reading order."""
        return min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is marked."""
        return self.anchor == self.cursor

    def within(self, place: RowIndex) -> tuple[int, int] | None:
        """Give the marked characters of a row, or nothing."""
        first, last = self.ends
        if self.is_empty or not first.place <= place <= last.place:
            return None
        start = first.position if place == first.place else 0
        return start, last.position if place == last.place else END_OF_TEXT


def select_all(column: TranscriptLayout) -> TextSelection:
    """Mark the whole conversation."""
    last = max(0, len(column.turns) - 1)
    return TextSelection(
        TextPosition(RowIndex(0, 0), 0), TextPosition(RowIndex(last, END_OF_TEXT), END_OF_TEXT)
    )


def selected_text(selection: TextSelection, column: TranscriptLayout) -> str:
    """Give what is marked: whole blocks as the Markdown they came as, parts as they read."""
    first, last = selection.ends
    pieces: list[tuple[Block, str]] = []
    for turn in range(first.place.turn, min(last.place.turn + 1, len(column.turns))):
        for index, row in enumerate(column.rows_of(turn).rows):
            marked = selection.within(RowIndex(turn, index))
            text = _row_text(row, marked) if marked else ""
            if text:
                pieces.append((row.block, text))
    return _joined_blocks(pieces)


def _row_text(row: TranscriptRow, marked: tuple[int, int]) -> str:
    if not isinstance(row, TextRow):
        return ""
    if marked == (0, END_OF_TEXT):
        return row.block.source
    return row.text_between(*marked)


def _joined_blocks(pieces: list[tuple[Block, str]]) -> str:
    text = ""
    before: BlockKind | None = None
    for block, piece in pieces:
        tight = before is BlockKind.ITEM and block.kind is BlockKind.ITEM
        text += ("" if before is None else "\n" if tight else "\n\n") + piece
        before = block.kind
    return text


class _PlacedLink(NamedTuple):
    start: TextPosition
    end: TextPosition
    link: TextLink


LocateRow = Callable[[QPoint], tuple[VisibleRow, QPoint] | None]


class TextInteraction(QObject):
    """Watches the viewport of a transcript.

    Signals:
        link_activated: A link was clicked or entered: its target and the words it is shown by.
        again_requested: The request of a turn should be asked again: the number of the turn.
        edit_requested: The request of a turn should be asked again in other words.
        dragged_outside: Marking went this many pixels over the lower edge, or the upper one.
    """

    link_activated = Signal(str, str)
    dragged_outside = Signal(int)
    again_requested = Signal(int)
    edit_requested = Signal(int)

    def __init__(
        self,
        viewport: QWidget,
        column: TranscriptLayout,
        locate: LocateRow,
        visible: Callable[[], Sequence[VisibleRow]],
    ) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._column = column
        self._locate = locate
        self._visible = visible
        self._selection: TextSelection | None = None
        self._pressed_link: TextLink | None = None
        self._entered_link: TextLink | None = None
        self._marking = False
        viewport.installEventFilter(self)

    @property
    def selected_text(self) -> str:
        """What is marked, as copying gives it."""
        return selected_text(self._selection, self._column) if self._selection else ""

    def marked_in(self, place: RowIndex) -> tuple[int, int] | None:
        """Give the marked characters of a row."""
        return self._selection.within(place) if self._selection else None

    def forget(self) -> None:
        """Mark nothing."""
        self._mark(None)

    def forget_turn(self, turn: int) -> None:
        """Mark nothing in a turn whose rows become others."""
        if self._selection is not None and self._selection.ends[1].place.turn >= turn:
            self._mark(None)

    def take_key(self, event: QKeyEvent) -> bool:
        """Copy or mark everything, if that is what the keys mean."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._mark(select_all(self._column))
        elif self._entered_link and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._follow(self._entered_link)
        else:
            return False
        return True

    def step_link(self, step: int) -> bool:
        """Mark the next link that can be seen, or the one before; Enter follows it.

        Returns:
            Whether there was one.
        """
        links = list(_visible_links(self._visible()))
        here = self._selection.ends[0] if self._selection else None
        ahead = [
            link
            for link in links[::step]
            if here is None or (link.start > here if step > 0 else link.start < here)
        ]
        if not ahead:
            self.forget()
            return False
        self._mark(TextSelection(ahead[0].start, ahead[0].end))
        self._entered_link = ahead[0].link
        return True

    def copy(self) -> None:
        """Copy what is marked."""
        if self.selected_text:
            _copy_text(self.selected_text)

    def copy_reply(self, turn: int) -> None:
        """Copy the whole reply of a turn as Markdown."""
        reply = self._column.turns[turn].reply
        if reply is not None:
            _copy_text("\n\n".join(part for part in (reply.message, reply.details) if part))

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take what the pointer does on the viewport."""
        match event.type():
            case QEvent.Type.MouseButtonPress:
                return self._press(cast("QMouseEvent", event))
            case QEvent.Type.MouseMove:
                self._move(cast("QMouseEvent", event))
            case QEvent.Type.MouseButtonRelease:
                self._release(cast("QMouseEvent", event))
            case QEvent.Type.MouseButtonDblClick:
                self._mark_word(cast("QMouseEvent", event).position().toPoint())
            case QEvent.Type.ToolTip:
                self._explain(cast("QHelpEvent", event))
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
        point = self._point_at(at)
        extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if point is not None:
            begun = self._selection.anchor if extends and self._selection else point
            self._mark(TextSelection(begun, point))
            self._marking = True
        return True

    def _move(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if self._marking and self._selection is not None:
            outside = at.y() - max(0, min(at.y(), self._viewport.height()))
            if outside:
                self.dragged_outside.emit(outside)
            point = self._point_at(at)
            if point is not None:
                self._mark(TextSelection(self._selection.anchor, point))
            return
        self._viewport.setCursor(self._cursor_at(at))

    def _release(self, event: QMouseEvent) -> None:
        self._marking = False
        link = self._link_at(event.position().toPoint())
        unmarked = self._selection is None or self._selection.is_empty
        if link and link == self._pressed_link and unmarked:
            self._follow(link)
        self._pressed_link = None

    def _mark_word(self, at: QPoint) -> None:
        found = self._text_at(at)
        if found is not None:
            place, row, inside = found
            start, end = row.word_at(row.position_at(inside))
            self._mark(TextSelection(TextPosition(place, start), TextPosition(place, end)))

    def _explain(self, event: QHelpEvent) -> None:
        link = self._link_at(event.pos())
        words = link_tooltip(link.target) if link else self._time_at(event.pos())
        QToolTip.showText(event.globalPos(), literal_tooltip(words), self._viewport)

    def _time_at(self, at: QPoint) -> str:
        found = self._text_at(at)
        if found is None or found[1].block.kind is not BlockKind.REQUEST:
            return ""
        asked_at = self._column.turns[found[0].turn].asked_at
        return f"{asked_at.astimezone():%A %d %B %Y, %H:%M %Z}" if asked_at else ""

    def _open_menu(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self._viewport)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        link = self._link_at(event.pos())
        if self.selected_text:
            menu.addAction("Copy", self.copy)
        found = self._locate(event.pos())
        if found is not None:
            self._offer(menu, found[0].place.turn)
        if link:
            menu.addAction("Copy link", lambda: _copy_text(link.target))
        menu.popup(event.globalPos())

    def _offer(self, menu: QMenu, turn: int) -> None:
        if self._column.turns[turn].reply is not None:
            menu.addAction("Copy reply as Markdown", lambda: self.copy_reply(turn))
            menu.addAction("Ask again", lambda: self.again_requested.emit(turn))
        menu.addAction("Edit request", lambda: self.edit_requested.emit(turn))

    def _mark(self, selection: TextSelection | None) -> None:
        self._selection = selection
        self._entered_link = None
        self._viewport.update()

    def _text_at(self, at: QPoint) -> tuple[RowIndex, TextRow, QPoint] | None:
        found = self._locate(at)
        if found is None or not isinstance(found[0].row, TextRow):
            return None
        return found[0].place, found[0].row, found[1]

    def _point_at(self, at: QPoint) -> TextPosition | None:
        found = self._locate(at)
        if found is None:
            return None
        seen, inside = found
        if not isinstance(seen.row, TextRow):
            return TextPosition(seen.place, END_OF_TEXT)
        return TextPosition(seen.place, seen.row.position_at(inside))

    def _follow(self, link: TextLink) -> None:
        self.link_activated.emit(link.target, link.words)

    def _link_at(self, at: QPoint) -> TextLink | None:
        found = self._text_at(at)
        return found[1].link_at(found[2]) if found else None

    def _cursor_at(self, at: QPoint) -> Qt.CursorShape:
        if self._link_at(at):
            return Qt.CursorShape.PointingHandCursor
        found = self._text_at(at)
        over_text = found is not None and found[1].has_text_at(found[2])
        return Qt.CursorShape.IBeamCursor if over_text else Qt.CursorShape.ArrowCursor


def _visible_links(visible: Sequence[VisibleRow]) -> Iterator[_PlacedLink]:
    for place, row, _ in visible:
        for link in row.links() if isinstance(row, TextRow) else ():
            yield _PlacedLink(TextPosition(place, link.start), TextPosition(place, link.end), link)


def _copy_text(text: str) -> None:
    carried = QMimeData()
    carried.setText(text)
    carried.setData("text/markdown", text.encode())
    QGuiApplication.clipboard().setMimeData(carried)
