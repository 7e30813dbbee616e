"""The approval card: everything an effect will do, literally, and the question whether it may."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractSlider,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.chat.buttons import AccentButton, WordButton
from gui.chat.literal_text import LiteralText
from gui.chat.rendering import visible, visible_line
from gui.chat.style import Style
from gui.icons import pixmap

if TYPE_CHECKING:
    from tools.tool import Proposal

_SHADOW = 16
_SCROLLING = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
}
_DROP = 5  # how far the shadow falls


class _Sheet(QScrollArea):
    """What the card says, scrolling when there is more of it than room."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What will be done")
        for see_through in (self.viewport(), content):
            see_through.setAutoFillBackground(False)
        content.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """Ask for room for everything."""
        return self._content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask again when lines broke otherwise."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class ApprovalCard(QWidget):
    """Shows one proposal, every value of it whole, and takes one answer.

    Cancel is what Esc and a stray Enter mean; the other button has to be gone to.

    Signals:
        approved: The proposal may be performed.
        declined: It may not.
    """

    approved = Signal()
    declined = Signal()

    def __init__(
        self, proposal: "Proposal[Any]", style: Style, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._style = style
        self._answered = False
        self.setAccessibleName(visible_line(proposal.title))
        self.cancel = WordButton(style, "Cancel", self)
        self.confirm = AccentButton(style, visible_line(proposal.verb), self)
        self.cancel.clicked.connect(self._decline)
        self.confirm.clicked.connect(self._approve)
        px = style.length
        layout = QVBoxLayout(self)
        edge = _SHADOW + px(20)
        layout.setContentsMargins(edge, _SHADOW + px(16), edge, _SHADOW + px(16))
        layout.setSpacing(px(14))
        layout.addLayout(self._make_head(proposal))
        self._sheet = _Sheet(self._make_content(proposal))
        layout.addWidget(self._sheet, 1)
        layout.addLayout(self._make_answers())
        QWidget.setTabOrder(self.cancel, self.confirm)
        self.setFocusProxy(self.cancel)

    def _make_head(self, proposal: "Proposal[Any]") -> QHBoxLayout:
        tokens, px = self._style.tokens, self._style.length
        mark = QLabel()
        mark.setPixmap(pixmap("shield", tokens.accent, px(22), self.devicePixelRatioF()))
        font = self._style.sized(17, QFont.Weight.DemiBold)
        head = QHBoxLayout()
        head.setSpacing(px(10))
        head.addWidget(mark)
        head.addWidget(self._literal(visible_line(proposal.title), "Title", font), 1)
        return head

    def _make_content(self, proposal: "Proposal[Any]") -> QWidget:
        content = QWidget()
        px = self._style.length
        grid = QGridLayout(content)
        grid.setContentsMargins(0, 0, px(6), 0)
        grid.setHorizontalSpacing(px(16))
        grid.setVerticalSpacing(px(8))
        grid.setColumnStretch(1, 1)
        for row, shown in enumerate(proposal.shown):
            label = visible_line(shown.label)
            values = "\n".join(visible_line(value) for value in shown.values)
            grid.addWidget(self._label(label), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._literal(values, label, self._style.font), row, 1)
        if proposal.body:
            body = self._literal(
                visible(proposal.body.replace("\r\n", "\n")), "Text", self._style.font
            )
            grid.addWidget(_Page(body, self._style), len(proposal.shown), 0, 1, 2)
        grid.setRowStretch(len(proposal.shown) + 1, 1)
        return content

    def _make_answers(self) -> QHBoxLayout:
        answers = QHBoxLayout()
        answers.setSpacing(self._style.length(10))
        note = self._label("Nothing happens until you answer.")
        answers.addWidget(note, 1)
        answers.addWidget(self.cancel)
        answers.addWidget(self.confirm)
        return answers

    def _label(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(self._style.sized(14))
        palette = label.palette()
        palette.setColor(label.foregroundRole(), QColor(self._style.tokens.muted))
        label.setPalette(palette)
        return label

    def _literal(self, text: str, name: str, font: QFont) -> LiteralText:
        literal = LiteralText(text, name)
        literal.set_look(font, self._style.tokens.text, self._style.tokens.selection)
        return literal

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc decline and the arrows scroll, wherever in the card the focus is."""
        if event.key() == Qt.Key.Key_Escape:
            self._decline()
        elif event.key() in _SCROLLING:
            self._sheet.verticalScrollBar().triggerAction(_SCROLLING[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the raised sheet, its edge and its shadow."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, px = self._style.tokens, self._style.length
        sheet = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW - _DROP, -_SHADOW, -_SHADOW - _DROP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 4))
        for spread in range(_SHADOW - 1, 0, -2):
            edge = sheet.adjusted(-spread, _DROP - spread, spread, _DROP + spread)
            painter.drawRoundedRect(edge, px(14) + spread, px(14) + spread)
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.setBrush(QColor(tokens.raised))
        painter.drawRoundedRect(sheet, px(14), px(14))

    def _approve(self) -> None:
        if not self._answered:
            self._answered = True
            self.approved.emit()

    def _decline(self) -> None:
        if not self._answered:
            self._answered = True
            self.declined.emit()


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
