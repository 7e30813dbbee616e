"""Typesetting: a block as a laid-out document in the fonts and colours of a style."""

from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextOption,
    QTextTable,
    QTextTableCell,
)

from gui.chat.block import Block, Kind
from gui.chat.rendering import html_of, in_order, is_number, is_plain
from gui.chat.status import mark_of
from gui.chat.style import Style
from gui.theme import Tokens

_HEADING_SIZES = (22, 19, 17, 15, 15, 15)
_AT_LEAST = QTextBlockFormat.LineHeightTypes.MinimumHeight.value


class SealedDocument(QTextDocument):
    """A document that loads nothing from anywhere, whatever its text asks for."""

    def loadResource(self, type: int, name: QUrl | str) -> Any:  # noqa: A002, ARG002 — Qt's
        """Give nothing."""
        return None


def typeset(block: Block, style: Style) -> QTextDocument:
    """Make the document of a block; it has no width yet."""
    document = SealedDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setIndentWidth(style.length(24))
    document.setDefaultFont(_font(block, style))
    _set_wrapping(document)
    if not is_plain(block.kind):
        document.setDefaultStyleSheet(_sheet(block, style))
    set_text(document, block, style)
    if block.kind is Kind.TABLE:
        for table in tables_of(document):
            _set_table(table, style)
    return document


def set_text(document: QTextDocument, block: Block, style: Style) -> None:
    """Put the text of a block into a document that was made for blocks of its kind."""
    if is_plain(block.kind):
        document.clear()
        _set_plain(document, block, style)
    else:
        document.setHtml(html_of(block))


def tables_of(document: QTextDocument) -> list[QTextTable]:
    """Give the tables that stand directly in a document."""
    frames = document.rootFrame().childFrames()
    return [frame for frame in frames if isinstance(frame, QTextTable)]


def _set_wrapping(document: QTextDocument) -> None:
    option = document.defaultTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)


def _font(block: Block, style: Style) -> QFont:
    match block.kind:
        case Kind.MESSAGE:
            return style.sized(17, QFont.Weight.DemiBold)
        case Kind.HEADING:
            return style.sized(_HEADING_SIZES[min(block.level, 6) - 1], QFont.Weight.DemiBold)
        case Kind.CODE:
            return style.fixed(13.5)
        case Kind.STATUS:
            return style.sized(13, QFont.Weight.DemiBold)
        case _:
            return style.font


def _set_plain(document: QTextDocument, block: Block, style: Style) -> None:
    cursor = QTextCursor(document)
    format = cursor.blockFormat()  # noqa: A001 — Qt's word
    format.setLineHeight(_line_height(block, style), _AT_LEAST)
    cursor.setBlockFormat(format)
    cursor.insertText(in_order(block.text), letters_of(block, style))


def letters_of(block: Block, style: Style) -> QTextCharFormat:
    """Give the look of letters that nothing in the block's Markdown changes."""
    tokens = style.tokens
    letters = QTextCharFormat()
    letters.setForeground(QColor(_text_color(block, tokens)))
    return letters


def _text_color(block: Block, tokens: Tokens) -> str:
    if block.kind is Kind.STATUS:
        return mark_of(block.marker, tokens).color
    return tokens.muted if block.kind is Kind.QUOTE else tokens.text


def _sheet(block: Block, style: Style) -> str:
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


def _line_height(block: Block, style: Style) -> int:
    tight = block.kind in {Kind.HEADING, Kind.MESSAGE}
    return round(_font(block, style).pixelSize() * (1.3 if tight else 1.5))


def _set_table(table: QTextTable, style: Style) -> None:
    shape = table.format()
    shape.setBorder(0)
    shape.setMargin(0)
    shape.setCellSpacing(0)
    shape.setCellPadding(style.length(7))
    shape.setBorderCollapse(True)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    table.setFormat(shape)
    for column in range(table.columns()):
        _set_column(table, column, style)


def _set_column(table: QTextTable, column: int, style: Style) -> None:
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


def _underline(cell: QTextTableCell, style: Style) -> None:
    format = cell.format().toTableCellFormat()  # noqa: A001 — Qt's word
    heads = cell.row() == 0
    format.setBottomBorder(style.length(1.5 if heads else 1))
    if cell.column() == 0:
        format.setLeftPadding(0)
    format.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    format.setBottomBorderBrush(QBrush(QColor(style.tokens.muted if heads else style.tokens.line)))
    cell.setFormat(format)
