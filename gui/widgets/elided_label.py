"""An elided label: one line, elided in the middle where space is short."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

_PADDING = 8  # pixels left free, so that no letter is cut off at the edge


class ElidedLabel(QLabel):
    """A label with the full text in its tooltip; `name` selects its style."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(1)
        self.full_text = ""

    def show_text(self, text: str) -> None:
        """Show a text, elided to the available width."""
        from gui.widgets.visible_text import literal_tooltip  # noqa: PLC0415 — not before the first paint

        self.full_text = text
        self.setToolTip(literal_tooltip(text))
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Return the size of the full text."""
        wide = self.fontMetrics().horizontalAdvance(self.full_text) + 2 * _PADDING
        return QSize(wide, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the text to the new width."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Elide the text again after a change of font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()
            self._elide()

    def _elide(self) -> None:
        if self.full_text or self.text():
            middle = Qt.TextElideMode.ElideMiddle
            self.setText(
                self.fontMetrics().elidedText(self.full_text, middle, self.width() - _PADDING)
            )
