"""An elided label: one line, elided in the middle where space is short."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

_PADDING = 8  # pixels that are left free beside the words, so that none is cut at the edge


class ElidedLabel(QLabel):
    """A label with the whole of its words in its tooltip; the style sheet knows it by `name`."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(1)
        self._text = ""

    def show_text(self, text: str) -> None:
        """Show a text, elided to the available width."""
        from gui.widgets.visible_text import literal_tooltip  # noqa: PLC0415 — not before the first paint

        self._text = text
        self.setToolTip(literal_tooltip(text))
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Be as wide as the whole."""
        wide = self.fontMetrics().horizontalAdvance(self._text) + 2 * _PADDING
        return QSize(wide, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the words into the new width."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the words anew when the font is another."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()
            self._elide()

    def _elide(self) -> None:
        if self._text or self.text():
            middle = Qt.TextElideMode.ElideMiddle
            self.setText(self.fontMetrics().elidedText(self._text, middle, self.width() - _PADDING))
