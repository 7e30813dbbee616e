"""Literal text: read-only words shown whole and exactly as they are, to be marked and copied."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QPalette, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from gui.chat.style import line_height


class LiteralText(QPlainTextEdit):
    """Plain text as tall as it needs to be; nothing in it is ever read as markup or elided."""

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

    def set_look(self, font: QFont, color: str, selection: str) -> None:
        """Take a font and colours; the ground is whatever lies behind."""
        self.setFont(font)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(0, 0, 0, 0))
        palette.setColor(QPalette.ColorRole.Text, QColor(color))
        palette.setColor(QPalette.ColorRole.Highlight, QColor(selection))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor(color))
        self.setPalette(palette)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Become taller when lines break."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """Take any width."""
        return QSize(100, self.height())

    def minimumSizeHint(self) -> QSize:
        """Never force the card wider."""
        return QSize(40, 0)

    def _fit(self) -> None:
        lines = max(1, int(self.document().size().height()))
        self.setFixedHeight(lines * line_height(self.font()) + 4)
