"""Chips: the things a reply made or points to, each to be opened with a click."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.chat.artifact import Artifact, describe
from gui.chat.buttons import ChatButton
from gui.chat.motion import duration
from gui.chat.rendering import literal_tip
from gui.chat.style import Style
from gui.icons import paint

_LIFT = 2
_WIDEST = 300


class Chip(ChatButton):
    """One artifact, which lifts while the pointer is over it."""

    def __init__(self, artifact: Artifact, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, parent)
        self.artifact = artifact
        self.setAccessibleName(f"Open {artifact.name}")
        self.setAccessibleDescription(artifact.note)
        self.setToolTip(literal_tip(artifact.reference))
        self._lift = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._lift.valueChanged.connect(self.update)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Lift."""
        super().enterEvent(event)
        self._move(QVariantAnimation.Direction.Forward)

    def leaveEvent(self, event: QEvent) -> None:
        """Come down again."""
        super().leaveEvent(event)
        self._move(QVariantAnimation.Direction.Backward)

    def _move(self, direction: QVariantAnimation.Direction) -> None:
        self._lift.setDuration(duration(self, 120))
        self._lift.setDirection(direction)
        self._lift.start()

    def sizeHint(self) -> QSize:
        """Be as wide as the name needs, up to a bound."""
        px = self._style.length
        letters = max(
            QFontMetrics(self._name_font()).horizontalAdvance(self.artifact.name),
            QFontMetrics(self._style.sized(12.5)).horizontalAdvance(self.artifact.note),
        )
        return QSize(min(letters + px(68), px(_WIDEST)), px(58) + _LIFT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon, the name and the line under it."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        lift = float(self._lift.currentValue() or 0.0)
        painter.translate(0, _LIFT * (1 - lift))
        box = QRect(0, 0, self.width(), self.height() - _LIFT)
        self.paint_box(
            painter, QRectF(box), tokens.accent_soft if lift > 0 else tokens.surface, px(10)
        )
        mark = QRectF(px(16), (box.height() - px(22)) / 2, px(22), px(22))
        paint(painter, self.artifact.icon, mark, QColor(tokens.accent))
        words = box.adjusted(px(50), px(10), -px(14), -px(10))
        self._write(painter, words, self.artifact.name, self._name_font(), tokens.text)
        lower = words.adjusted(0, words.height() // 2, 0, 0)
        self._write(painter, lower, self.artifact.note, self._style.sized(12.5), tokens.muted)

    def _write(self, painter: QPainter, at: QRect, text: str, font: QFont, color: str) -> None:
        painter.setFont(font)
        painter.setPen(QColor(color))
        half = QRect(at.left(), at.top(), at.width(), QFontMetrics(font).height())
        fitting = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideMiddle, at.width())
        painter.drawText(half, Qt.AlignmentFlag.AlignVCenter, fitting)

    def _name_font(self) -> QFont:
        return self._style.sized(14, QFont.Weight.Medium)


class Chips(QWidget):
    """The artifacts of one reply, in as many lines as they need.

    Signals:
        activated: A chip was clicked: its reference.
    """

    activated = Signal(str)

    def __init__(
        self, references: Sequence[str], style: Style, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._gap = style.length(8)
        self._chips = [Chip(describe(reference), style, self) for reference in references]
        for chip in self._chips:
            chip.clicked.connect(lambda _=False, chip=chip: self._activate(chip))

    def _activate(self, chip: Chip) -> None:
        self.activated.emit(chip.artifact.reference)

    def heightForWidth(self, width: int) -> int:
        """Put the chips into lines of this width, and give their height."""
        x = y = lowest = 0
        for chip in self._chips:
            size = chip.sizeHint().boundedTo(QSize(width, 10_000))
            if x and x + size.width() > width:
                x, y = 0, lowest + self._gap
            chip.setGeometry(QRect(x, y, size.width(), size.height()))
            x, lowest = x + size.width() + self._gap, y + size.height()
        return lowest
