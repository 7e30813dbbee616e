"""Text rows: a block with its laid-out document; code has a copy button."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QGuiApplication,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QWidget

from gui.chat.blocks import Block, BlockKind, appended_text
from gui.chat.chat_buttons import IconButton
from gui.chat.chat_style import ChatStyle
from gui.chat.transcript.typesetting import (
    LIST_INDENT,
    BlockGeometry,
    paint_background,
    plain_char_format,
    set_text,
    spacing_of,
    top_level_tables,
    typeset,
)

_MAX_REQUEST_WIDTH = 0.82  # of the column, at most


class TextLink(NamedTuple):
    """The range of a link in a text, its target and its displayed text."""

    start: int
    end: int
    target: str
    text: str


class TextRow:
    """A block and its laid-out document, which is created on demand and can be released."""

    def __init__(self, block: Block, style: ChatStyle, after: BlockKind | None = None) -> None:
        self.block = block
        self._style = style
        self._spacing = spacing_of(block.kind, after)
        self._document: QTextDocument | None = None
        self.text_area = QRect()  # in the row
        self.height = 0  # when last measured

    @property
    def is_laid_out(self) -> bool:
        """Whether the document exists."""
        return self._document is not None

    @property
    def document(self) -> QTextDocument:
        """The laid-out document, created on first use."""
        if self._document is None:
            self._document = typeset(self.block, self._style)
        return self._document

    def estimate(self, width: int) -> int:
        """Estimate the height in this width from the length of the text."""
        body = self._style.font.pixelSize()
        letters = max(1.0, (width - self._left() - self._px(self._spacing.right)) / (body * 0.5))
        lines = self.block.text.count("\n") + 1 if self.block.kind is BlockKind.CODE else 1
        lines = max(lines, ceil(len(self.block.text) / letters))
        inside = self._spacing.above + self._spacing.top + self._spacing.bottom
        return self._px(inside) + ceil(lines * body * 1.5)

    def measure(self, width: int) -> int:
        """Lay out the block in this width; return its height in pixels."""
        document = self.document
        left, right = self._margins(document)
        top = self._px(self._spacing.above + self._spacing.top)
        inside = max(1, width - left - right)
        if self.block.kind is BlockKind.REQUEST:
            document.setTextWidth(int(width * _MAX_REQUEST_WIDTH) - left - right)
            inside = min(ceil(document.idealWidth()) + 1, int(document.textWidth()))
            left = width - right - inside
        document.setTextWidth(inside)
        height = self._text_height(document)
        self.text_area = QRect(left, top, inside, height)
        self.height = top + height + self._px(self._spacing.bottom)
        return self.height

    def become(self, block: Block) -> bool:
        """Show a later state of a streamed block; return False if it needs another row."""
        document, shown = self._document, self.block
        if (block.kind, block.level, block.marker) != (shown.kind, shown.level, shown.marker):
            return False
        if document is not None and block.kind is not BlockKind.TABLE:
            self._update_document(document, block)
        else:
            self._document = None
        self.block = block
        return True

    def _update_document(self, document: QTextDocument, block: Block) -> None:
        """Append plain letters to the document; parse the whole block again for any others."""
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        added = appended_text(self.block, block)
        if added is None or cursor.charFormat().isAnchor():
            set_text(document, block, self._style)
        else:
            cursor.insertText(added, plain_char_format(block, self._style))

    def place(self, left: int, top: int, width: int) -> None:
        """Place the widgets of the row; plain text has none."""

    def hide(self) -> None:
        """Hide the widgets of the row; plain text has none."""

    def release(self) -> None:
        """Release the document; it is created again on demand."""
        self._document = None

    def paint(self, painter: QPainter, top: int, selected: tuple[int, int] | None) -> None:
        """Paint the row at this height, with the selected characters highlighted."""
        document = self._document
        if document is None:
            return
        painter.save()
        painter.translate(0, top)
        paint_background(painter, self.block, self._geometry(document), self._style)
        painter.translate(self.text_area.topLeft())
        document.documentLayout().draw(painter, self._paint_context(document, selected))
        painter.restore()

    def position_at(self, point: QPoint) -> int:
        """Return the text position nearest to a point of the row."""
        if self._document is None:
            return 0
        inside = QPointF(point - self.text_area.topLeft())
        found = self._document.documentLayout().hitTest(inside, Qt.HitTestAccuracy.FuzzyHit)
        return max(0, found)

    def link_at(self, point: QPoint) -> TextLink | None:
        """Return the link under a point of the row."""
        if self._document is None:
            return None
        inside = QPointF(point - self.text_area.topLeft())
        if not self._document.documentLayout().anchorAt(inside):
            return None
        at = self.position_at(point)
        return next((link for link in self.links() if link.start <= at <= link.end), None)

    def has_text_at(self, point: QPoint) -> bool:
        """Whether a point of the row is over its text."""
        return self.text_area.contains(point)

    @property
    def length(self) -> int:
        """The number of text positions."""
        return self.document.characterCount() - 1

    def word_at(self, position: int) -> tuple[int, int]:
        """Return the start and end of the word around a position."""
        cursor = QTextCursor(self.document)
        cursor.setPosition(min(position, self.length))
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart(), cursor.selectionEnd()

    def text_between(self, start: int, end: int) -> str:
        """Return the plain text between two positions; the Markdown if that is the whole block."""
        if start <= 0 and end >= self.length:
            return self.block.source
        return _cursor_over(self.document, start, end).selection().toPlainText()

    def links(self) -> list[TextLink]:
        """Return all links in reading order."""
        found: list[TextLink] = []
        for piece in _fragments(self.document):
            if found and (found[-1].end, found[-1].target) == (piece.start, piece.target):
                found[-1] = TextLink(
                    found[-1].start, piece.end, piece.target, found[-1].text + piece.text
                )
            elif piece.target:
                found.append(piece)
        return found

    def _paint_context(
        self, document: QTextDocument, selected: tuple[int, int] | None
    ) -> QAbstractTextDocumentLayout.PaintContext:
        context = QAbstractTextDocumentLayout.PaintContext()
        if selected is not None and selected[0] < selected[1]:
            highlight = QAbstractTextDocumentLayout.Selection()
            highlight.cursor = _cursor_over(document, *selected)
            highlight.format = QTextCharFormat()
            highlight.format.setBackground(QColor(self._style.tokens.selection))
            context.selections = [highlight]
        return context

    @property
    def box(self) -> QRect:
        """The rectangle of the block, including its inner margins."""
        spacing = self._spacing
        edges = (-spacing.left, -spacing.top, spacing.right, spacing.bottom)
        return self.text_area.adjusted(*(self._px(edge) for edge in edges))

    def _geometry(self, document: QTextDocument) -> BlockGeometry:
        first = document.firstBlock().layout()
        line = first.lineAt(0).rect() if first.lineCount() else QRectF()
        line.translate(self.text_area.topLeft())
        return BlockGeometry(self.box, self.text_area, line, _is_right_to_left(document))

    def _margins(self, document: QTextDocument) -> tuple[int, int]:
        left, right = self._left(), self._px(self._spacing.right)
        indented = self.block.kind in {BlockKind.ITEM, BlockKind.QUOTE}
        return (right, left) if indented and _is_right_to_left(document) else (left, right)

    def _left(self) -> int:
        block = self.block
        depth = block.level if block.kind is not BlockKind.HEADING else 0
        if block.kind is BlockKind.ITEM:
            depth += 1
        return self._px(self._spacing.left + depth * LIST_INDENT)

    def _px(self, pixels: float) -> int:
        return self._style.length(pixels)

    def _text_height(self, document: QTextDocument) -> int:
        if self.block.kind is BlockKind.RULE:
            return 0
        layout = document.documentLayout()
        bottoms = [layout.frameBoundingRect(table).bottom() for table in top_level_tables(document)]
        if self.block.kind is not BlockKind.TABLE or not bottoms:
            bottoms.append(document.size().height())  # a table alone has an empty line after it
        return ceil(max(bottoms))


def _is_right_to_left(document: QTextDocument) -> bool:
    return document.firstBlock().textDirection() is Qt.LayoutDirection.RightToLeft


def _fragments(document: QTextDocument) -> Iterator[TextLink]:
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            start, target = piece.position(), piece.charFormat().anchorHref()
            yield TextLink(start, start + piece.length(), target, piece.text())
            pieces += 1
        block = block.next()


def _cursor_over(document: QTextDocument, start: int, end: int) -> QTextCursor:
    cursor = QTextCursor(document)
    last = document.characterCount() - 1
    cursor.setPosition(min(start, last))
    cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor


_CONFIRMATION_TIME = 1500  # milliseconds


class CodeRow(TextRow):
    """A block of code with a copy button, which exists only while it is visible."""

    def __init__(self, block: Block, style: ChatStyle, viewport: QWidget) -> None:
        super().__init__(block, style)
        self._viewport = viewport
        self._button: IconButton | None = None

    def place(self, left: int, top: int, width: int) -> None:
        """Place the button in the corner of the code."""
        super().place(left, top, width)
        if self._button is None:
            self._button = IconButton(self._style, "copy", "Copy code", self._viewport)
            self._button.clicked.connect(self._copy)
        button, inset = self._button, self._style.length(4)
        button.resize(button.sizeHint())
        button.move(left + width - button.width() - inset, top + self.box.top() + inset)
        button.show()

    def hide(self) -> None:
        """Hide the button."""
        if self._button is not None:
            self._button.hide()

    def release(self) -> None:
        """Release the document and the button."""
        super().release()
        if self._button is not None:
            self._button.hide()
            self._button.deleteLater()
        self._button = None

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.block.text)
        button = self._button
        if button is not None:
            button.set_icon("check", "Copied")
            QTimer.singleShot(
                _CONFIRMATION_TIME, button, lambda: button.set_icon("copy", "Copy code")
            )
