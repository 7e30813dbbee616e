"""A proposal sheet: every value of a proposal, literally and whole."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from gui.chat.literal_text import LiteralText
from gui.chat.rendering import visible, visible_line
from gui.chat.style import Style

if TYPE_CHECKING:
    from tools.tool import Proposal


class ProposalSheet(QWidget):
    """Names at the left, their values at the right, and the body below."""

    def __init__(self, proposal: "Proposal[Any]", style: Style) -> None:
        super().__init__()
        px = style.length
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, px(6), 0)
        grid.setHorizontalSpacing(px(16))
        grid.setVerticalSpacing(px(8))
        grid.setColumnStretch(1, 1)
        for row, shown in enumerate(proposal.shown):
            name = visible_line(shown.label)
            values = "\n".join(visible_line(value) for value in shown.values)
            grid.addWidget(quiet(name, style), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(literal(values, name, style.font, style), row, 1)
        if proposal.body:
            text = visible(proposal.body.replace("\r\n", "\n"))
            body = literal(text, "Text", style.font, style)
            grid.addWidget(_Page(body, style), len(proposal.shown), 0, 1, 2)
        grid.setRowStretch(len(proposal.shown) + 1, 1)


def literal(text: str, name: str, font: QFont, style: Style) -> LiteralText:
    """Words to be read and copied exactly as they are; `name` is what a screen reader says."""
    made = LiteralText(text, name)
    made.set_look(font, style.tokens.text, style.tokens.selection)
    return made


def quiet(text: str, style: Style) -> QLabel:
    """Words that stand back."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(style.sized(14))
    palette = label.palette()
    palette.setColor(label.foregroundRole(), QColor(style.tokens.muted))
    label.setPalette(palette)
    return label


class _Page(QWidget):
    """The ground the body of a proposal stands on."""

    def __init__(self, body: LiteralText, style: Style) -> None:
        super().__init__()
        self._style = style
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*(style.length(edge) for edge in (16, 14, 16, 14)))
        layout.addWidget(body)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._style.tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()), self._style.length(10), self._style.length(10))
