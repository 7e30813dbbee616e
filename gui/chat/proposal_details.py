"""Proposal details: every value of a proposal as literal, selectable text."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from gui.chat.chat_style import ChatStyle, fill_rounded, line_height, set_text_colors
from gui.theme.colors import Tokens
from gui.widgets.visible_text import show_invisible, show_invisible_line

if TYPE_CHECKING:
    from tools.proposal import Proposal


class LiteralText(QPlainTextEdit):
    """Read-only plain text at its full height; never parsed as markup or elided."""

    def __init__(self, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setPlainText(text)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)

    def set_style(self, font: QFont, tokens: Tokens) -> None:
        """Apply a font and colours, with a transparent background."""
        self.setFont(font)
        set_text_colors(self, tokens, "#00000000")
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to the wrapped lines."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """Return the current height, at any width."""
        return QSize(100, self.height())

    def minimumSizeHint(self) -> QSize:
        """Allow a small width, so that the card stays narrow."""
        return QSize(40, 0)

    def _fit(self) -> None:
        lines = max(1, int(self.document().size().height()))
        self.setFixedHeight(lines * line_height(self.font()) + 4)


class ProposalDetails(QWidget):
    """Labels at the left, their values at the right, and the body below."""

    def __init__(self, proposal: "Proposal[Any]", style: ChatStyle) -> None:
        super().__init__()
        px = style.length
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, px(6), 0)
        grid.setHorizontalSpacing(px(16))
        grid.setVerticalSpacing(px(8))
        grid.setColumnStretch(1, 1)
        for row, shown in enumerate(proposal.fields):
            name = show_invisible_line(shown.label)
            values = "\n".join(show_invisible_line(value) for value in shown.values)
            grid.addWidget(muted_label(name, style), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(literal_text(values, name, style.font, style), row, 1)
        if proposal.body:
            text = show_invisible(proposal.body.replace("\r\n", "\n"))
            body = literal_text(text, "Text", style.font, style)
            grid.addWidget(_BodyFrame(body, style), len(proposal.fields), 0, 1, 2)
        grid.setRowStretch(len(proposal.fields) + 1, 1)


def literal_text(text: str, name: str, font: QFont, style: ChatStyle) -> LiteralText:
    """Create a literal text; `name` is its accessible name."""
    widget = LiteralText(text, name)
    widget.set_style(font, style.tokens)
    return widget


def muted_label(text: str, style: ChatStyle, size: float = 14) -> QLabel:
    """Create a label in the muted colour."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(style.sized(size))
    palette = label.palette()
    palette.setColor(label.foregroundRole(), QColor(style.tokens.muted))
    label.setPalette(palette)
    return label


class _BodyFrame(QWidget):
    """A rounded background behind the body of a proposal."""

    def __init__(self, body: LiteralText, style: ChatStyle) -> None:
        super().__init__()
        self._style = style
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*(style.length(edge) for edge in (16, 14, 16, 14)))
        layout.addWidget(body)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_rounded(painter, self.rect(), self._style.tokens.surface, self._style.length(10))
