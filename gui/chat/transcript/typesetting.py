"""Typesetting: a block's laid-out text document and the painting around its text."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QPainter,
    QPen,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextOption,
    QTextTable,
    QTextTableCell,
)

from gui.chat.blocks import Block, BlockKind, block_html, is_number, is_plain_text
from gui.chat.chat_style import ChatStyle, draw_text, fill_rounded
from gui.chat.turn_view import status_icon
from gui.theme.colors import Tokens
from gui.theme.icons import paint
from gui.widgets.visible_text import show_bidi_controls

LIST_INDENT = 26  # of each list level, in pixels at the base size
_QUOTE_INDENT = 18  # from the bar of a quote to its text


@dataclass(frozen=True)
class BlockSpacing:
    """Margins of a block in pixels at the base size: above it, and inside its edges."""

    above: int
    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0


_SPACINGS: Mapping[BlockKind, BlockSpacing] = {
    BlockKind.REQUEST: BlockSpacing(36, 16, 10, 16, 10),
    BlockKind.STATUS: BlockSpacing(24, 26),
    BlockKind.MESSAGE: BlockSpacing(6),
    BlockKind.PROSE: BlockSpacing(12),
    BlockKind.HEADING: BlockSpacing(24),
    BlockKind.ITEM: BlockSpacing(6),
    BlockKind.QUOTE: BlockSpacing(14, _QUOTE_INDENT),
    BlockKind.CODE: BlockSpacing(14, 16, 38, 16, 14),
    BlockKind.TABLE: BlockSpacing(12),
    BlockKind.RULE: BlockSpacing(24, 0, 0, 0, 1),
}


def spacing_of(kind: BlockKind, after: BlockKind | None) -> BlockSpacing:
    """Return the margins of a block, which depend on the kind of the block before it."""
    spacing = _SPACINGS[kind]
    if after is BlockKind.HEADING and kind in {BlockKind.PROSE, BlockKind.ITEM}:
        return replace(spacing, above=8)
    if kind is BlockKind.ITEM and after is not BlockKind.ITEM:
        return replace(spacing, above=12)
    return spacing


@dataclass(frozen=True, slots=True)
class BlockGeometry:
    """Rectangles of a block in its row: the whole, its text, and the first line of text."""

    whole: QRect
    text: QRect
    first_line: QRectF
    is_right_to_left: bool


def paint_background(
    painter: QPainter, block: Block, geometry: BlockGeometry, style: ChatStyle
) -> None:
    """Paint all of a block except its text: its box, marker, quote bar or status icon."""
    tokens = style.tokens
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    match block.kind:
        case BlockKind.REQUEST:
            fill_rounded(painter, geometry.whole, tokens.accent_soft, style.length(14))
        case BlockKind.CODE:
            fill_rounded(painter, geometry.whole, tokens.surface, style.length(10))
            _paint_language(painter, block, geometry, style)
        case BlockKind.QUOTE:
            _paint_bar(painter, geometry, style)
        case BlockKind.RULE:
            line = geometry.text
            painter.fillRect(line.left(), line.top(), line.width(), 1, QColor(tokens.line))
        case BlockKind.ITEM:
            _paint_marker(painter, block, geometry, style)
        case BlockKind.STATUS:
            _paint_status(painter, block, geometry, style)
        case _:
            pass


def _paint_language(
    painter: QPainter, block: Block, geometry: BlockGeometry, style: ChatStyle
) -> None:
    label = QRect(
        geometry.text.left(), geometry.whole.top(), geometry.text.width() // 2, style.length(36)
    )
    draw_text(painter, label, block.marker or "text", style.sized(12), style.tokens.muted)


def _paint_bar(painter: QPainter, geometry: BlockGeometry, style: ChatStyle) -> None:
    text, away = geometry.text, style.length(_QUOTE_INDENT)
    bar = QRect(text.left() - away, text.top(), style.length(3), text.height())
    if geometry.is_right_to_left:
        bar.moveRight(text.right() + away)
    fill_rounded(painter, bar, style.tokens.line, style.length(1.5))


def _paint_marker(
    painter: QPainter, block: Block, geometry: BlockGeometry, style: ChatStyle
) -> None:
    gap, width = style.length(8), style.length(2 * LIST_INDENT)
    at = QRectF(geometry.first_line)
    at.setWidth(width)
    side = Qt.AlignmentFlag.AlignLeft if geometry.is_right_to_left else Qt.AlignmentFlag.AlignRight
    at.moveLeft(
        geometry.text.right() + gap
        if geometry.is_right_to_left
        else geometry.text.left() - gap - width
    )
    painter.setFont(style.font)
    painter.setPen(QPen(QColor(style.tokens.muted)))
    painter.drawText(at, side | Qt.AlignmentFlag.AlignVCenter, block.marker)


def _paint_status(
    painter: QPainter, block: Block, geometry: BlockGeometry, style: ChatStyle
) -> None:
    mark = status_icon(block.marker, style.tokens)
    side = style.length(18)
    top = geometry.text.center().y() - side / 2 + style.length(1.5)
    paint(painter, mark.icon, QRectF(0, top, side, side), QColor(mark.color))


_HEADING_SIZES = (22, 19, 17, 15, 15, 15)
_MINIMUM_HEIGHT = QTextBlockFormat.LineHeightTypes.MinimumHeight.value


class OfflineDocument(QTextDocument):
    """A text document that loads no resources, such as images or style sheets."""

    def loadResource(self, type: int, name: QUrl | str) -> Any:  # noqa: A002, ARG002 — Qt's
        """Return no resource."""
        return None


def typeset(block: Block, style: ChatStyle) -> QTextDocument:
    """Create the document of a block, still without a text width."""
    document = OfflineDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setIndentWidth(style.length(24))
    document.setDefaultFont(_font(block, style))
    option = document.defaultTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    if not is_plain_text(block.kind):
        document.setDefaultStyleSheet(_stylesheet(block, style))
    set_text(document, block, style)
    if block.kind is BlockKind.TABLE:
        for table in top_level_tables(document):
            _format_table(table, style)
    return document


def set_text(document: QTextDocument, block: Block, style: ChatStyle) -> None:
    """Replace the text of a document that was created for a block of the same kind."""
    if not is_plain_text(block.kind):
        document.setHtml(block_html(block))
        return
    document.clear()
    cursor = QTextCursor(document)
    format = cursor.blockFormat()  # noqa: A001 — Qt's word
    format.setLineHeight(_line_height(block, style), _MINIMUM_HEIGHT)
    cursor.setBlockFormat(format)
    cursor.insertText(show_bidi_controls(block.text), plain_char_format(block, style))


def top_level_tables(document: QTextDocument) -> list[QTextTable]:
    """Return the tables of a document that are not nested in others."""
    frames = document.rootFrame().childFrames()
    return [frame for frame in frames if isinstance(frame, QTextTable)]


def _font(block: Block, style: ChatStyle) -> QFont:
    match block.kind:
        case BlockKind.MESSAGE:
            return style.sized(17, QFont.Weight.DemiBold)
        case BlockKind.HEADING:
            return style.sized(_HEADING_SIZES[min(block.level, 6) - 1], QFont.Weight.DemiBold)
        case BlockKind.CODE:
            return style.fixed(13.5)
        case BlockKind.STATUS:
            return style.sized(13, QFont.Weight.DemiBold)
        case _:
            return style.font


def plain_char_format(block: Block, style: ChatStyle) -> QTextCharFormat:
    """Return the format of letters without any Markdown."""
    plain = QTextCharFormat()
    plain.setForeground(QColor(_text_color(block, style.tokens)))
    return plain


def _text_color(block: Block, tokens: Tokens) -> str:
    if block.kind is BlockKind.STATUS:
        return status_icon(block.marker, tokens).color
    return tokens.muted if block.kind is BlockKind.QUOTE else tokens.text


def _stylesheet(block: Block, style: ChatStyle) -> str:
    tokens = style.tokens
    text = _text_color(block, tokens)
    code = style.fixed(13.5)
    gap, line = style.length(10), _line_height(block, style)
    return f"""
        p, li, td, th, pre {{ line-height: {line}px; color: {text}; margin: 0; }}
        p {{ margin-bottom: {gap}px; }}
        li p, ul, ol {{ margin: 0; }}
        a {{ color: {tokens.accent}; text-decoration: underline; }}
        code, pre {{ font-family: "{code.family()}"; font-size: {code.pixelSize()}px;
            background-color: {tokens.surface}; }}
    """


def _line_height(block: Block, style: ChatStyle) -> int:
    tight = block.kind in {BlockKind.HEADING, BlockKind.MESSAGE}
    return round(_font(block, style).pixelSize() * (1.3 if tight else 1.5))


def _format_table(table: QTextTable, style: ChatStyle) -> None:
    shape = table.format()
    shape.setBorder(0)
    shape.setMargin(0)
    shape.setCellSpacing(0)
    shape.setCellPadding(style.length(7))
    shape.setBorderCollapse(True)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    table.setFormat(shape)
    for column in range(table.columns()):
        _format_column(table, column, style)


def _format_column(table: QTextTable, column: int, style: ChatStyle) -> None:
    cells = [table.cellAt(row, column) for row in range(table.rows())]
    texts = [cell.firstCursorPosition().block().text() for cell in cells[1:]]
    numeric = bool(texts) and all(is_number(text) for text in texts if text) and any(texts)
    for cell in cells:
        _align(cell, numeric=numeric)
        _underline(cell, style)


def _align(cell: QTextTableCell, *, numeric: bool) -> None:
    cursor = cell.firstCursorPosition()
    format = cursor.blockFormat()  # noqa: A001 — Qt's word
    written = format.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask
    assumed = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
    if numeric:
        format.setAlignment(Qt.AlignmentFlag.AlignRight)
    elif format.alignment() == assumed or not written:
        format.setAlignment(Qt.AlignmentFlag.AlignLeading)
    cursor.setBlockFormat(format)


def _underline(cell: QTextTableCell, style: ChatStyle) -> None:
    format = cell.format().toTableCellFormat()  # noqa: A001 — Qt's word
    is_header = cell.row() == 0
    format.setBottomBorder(style.length(1.5 if is_header else 1))
    if cell.column() == 0:
        format.setLeftPadding(0)
    format.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    format.setBottomBorderBrush(
        QBrush(QColor(style.tokens.muted if is_header else style.tokens.line))
    )
    cell.setFormat(format)
