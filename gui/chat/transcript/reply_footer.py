"""The footer of a reply: artifact chips, actions on the last reply, and model usage."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.chat.artifact_description import ArtifactDescription, describe_artifact
from gui.chat.chat_buttons import ChatButton, IconButton
from gui.chat.chat_style import ChatStyle, animation_duration, draw_text
from gui.chat.proposal_details import muted_label
from gui.theme.icons import paint
from gui.widgets.visible_text import literal_tooltip

_HOVER_LIFT = 2
_MAX_WIDTH = 300


class ArtifactChip(ChatButton):
    """A button for one artifact, which rises while the pointer is over it."""

    def __init__(
        self, artifact: ArtifactDescription, style: ChatStyle, parent: QWidget | None = None
    ) -> None:
        super().__init__(style, parent)
        self.artifact = artifact
        self.setAccessibleName(f"Open {artifact.name}")
        self.setAccessibleDescription(artifact.note)
        self.setToolTip(literal_tooltip(artifact.reference))
        self._lift = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._lift.valueChanged.connect(self.update)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Raise the chip."""
        super().enterEvent(event)
        self._animate(QVariantAnimation.Direction.Forward)

    def leaveEvent(self, event: QEvent) -> None:
        """Lower the chip."""
        super().leaveEvent(event)
        self._animate(QVariantAnimation.Direction.Backward)

    def _animate(self, direction: QVariantAnimation.Direction) -> None:
        self._lift.setDuration(animation_duration(self, 120))
        self._lift.setDirection(direction)
        self._lift.start()

    def sizeHint(self) -> QSize:
        """Return the size of the name and note, up to a maximum width."""
        px = self._style.length
        letters = max(
            QFontMetrics(self._name_font()).horizontalAdvance(self.artifact.name),
            QFontMetrics(self._style.sized(12.5)).horizontalAdvance(self.artifact.note),
        )
        return QSize(min(letters + px(68), px(_MAX_WIDTH)), px(58) + _HOVER_LIFT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon, the name and the note below it."""
        painter = QPainter(self)
        tokens, px = self._style.tokens, self._style.length
        lift = float(self._lift.currentValue() or 0.0)
        painter.translate(0, _HOVER_LIFT * (1 - lift))
        box = QRect(0, 0, self.width(), self.height() - _HOVER_LIFT)
        color = tokens.accent_soft if lift > 0 else tokens.surface
        self.paint_background(painter, color, px(10), QRectF(box))
        mark = QRectF(px(16), (box.height() - px(22)) / 2, px(22), px(22))
        paint(painter, self.artifact.icon, mark, QColor(tokens.accent))
        text_area = box.adjusted(px(50), px(10), -px(14), -px(10))
        self._write(painter, text_area, self.artifact.name, self._name_font(), tokens.text)
        lower = text_area.adjusted(0, text_area.height() // 2, 0, 0)
        self._write(painter, lower, self.artifact.note, self._style.sized(12.5), tokens.muted)

    def _write(self, painter: QPainter, at: QRect, text: str, font: QFont, color: str) -> None:
        half = QRect(at.left(), at.top(), at.width(), QFontMetrics(font).height())
        fitting = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideMiddle, at.width())
        draw_text(painter, half, fitting, font, color)

    def _name_font(self) -> QFont:
        return self._style.sized(14, QFont.Weight.Medium)


class ArtifactChips(QWidget):
    """The artifacts of one reply, wrapped to several lines.

    Signals:
        activated: A chip was clicked: the reference of its artifact.
    """

    activated = Signal(str)

    def __init__(
        self, references: Sequence[str], style: ChatStyle, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._gap = style.length(8)
        self._chips = [
            ArtifactChip(describe_artifact(reference), style, self) for reference in references
        ]
        for chip in self._chips:
            reference = chip.artifact.reference
            chip.clicked.connect(
                lambda _=False, reference=reference: self.activated.emit(reference)
            )

    def heightForWidth(self, width: int) -> int:
        """Arrange the chips in lines of this width; return their height."""
        x = y = lowest = 0
        for chip in self._chips:
            size = chip.sizeHint().boundedTo(QSize(width, 10_000))
            if x and x + size.width() > width:
                x, y = 0, lowest + self._gap
            chip.setGeometry(QRect(x, y, size.width(), size.height()))
            x, lowest = x + size.width() + self._gap, y + size.height()
        return lowest


_ACTIONS = (
    ("retry", "Ask again"),
    ("edit", "Edit the request"),
    ("copy", "Copy the reply"),
)


class ReplyFooter(QWidget):
    """A line below a reply: actions on the last reply, and the usage of models.

    Signals:
        action_chosen: A button was pressed: "retry", "edit" or "copy".
    """

    action_chosen = Signal(str)

    def __init__(
        self, spent: str, style: ChatStyle, parent: QWidget | None = None, *, has_actions: bool
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(spent)
        self.setFixedHeight(style.length(30 if has_actions else 20))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        for icon, label in _ACTIONS if has_actions else ():
            button = IconButton(style, icon, label, self)
            button.clicked.connect(lambda _=False, icon=icon: self.action_chosen.emit(icon))
            line.addWidget(button)
        line.addSpacing(style.length(10) if has_actions else 0)
        line.addWidget(muted_label(spent, style, 13), 1)

    def heightForWidth(self, width: int) -> int:  # noqa: ARG002 — Qt's form
        """Return the height of one line."""
        return self.height()
