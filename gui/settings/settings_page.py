"""Settings page: a scrolled page with a list of rows, and forms that add to it."""

from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QVBoxLayout, QWidget

from gui.settings.form_fields import FormBox
from gui.settings.form_widgets import lay_out_column, text_label

_LAYOUT_DELAY = 30  # milliseconds until a shown widget has its position
_SCROLL_MARGIN = 12  # pixels around a part that is scrolled to
_SIDE_WIDTH = 220  # pixels beside the page, for the list of pages and the window frame


class SettingsPage(QScrollArea):
    """A page whose forms are shown one at a time.

    Signals:
        row_added: A row was added; emits its widget, to be connected.
    """

    row_added = Signal(object)

    def __init__(self, *forms: FormBox) -> None:
        super().__init__()
        self._forms = forms
        self._sheet = QWidget()
        self._sheet.setObjectName("settingsPage")
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self.note = text_label()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll_target = (self._sheet, self._sheet)
        self._scroll_timer = QTimer(self)
        self._scroll_timer.setSingleShot(True)
        self._scroll_timer.setInterval(_LAYOUT_DELAY)
        self._scroll_timer.timeout.connect(self._scroll)
        for form in forms:
            form.cancelled.connect(self.close_forms)
        self.show_note("")
        self.close_forms()

    def showEvent(self, event: QShowEvent) -> None:
        """Set a minimum width that cuts nothing off, now that the fonts are known."""
        super().showEvent(event)
        bar = self.verticalScrollBar().sizeHint().width()
        available = self.screen().availableSize().width() - _SIDE_WIDTH
        self.setMinimumWidth(min(self._sheet.minimumSizeHint().width() + bar, available))

    def show_note(self, text: str) -> None:
        """Show a message under the list, until the next form is opened; "" hides it."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def close_forms(self) -> None:
        """Hide all forms."""
        for form in self._forms:
            form.hide()

    def _lay_out(self, title: str, introduction: str, *parts: QWidget | QLayout | int) -> None:
        column = lay_out_column(
            self._sheet,
            text_label(title, "page"),
            text_label(introduction, "muted"),
            4,
            *parts,
            spacing=10,
            margins=(28, 22, 28, 28),
        )
        column.addStretch(1)
        self.setWidget(self._sheet)

    def _replace_rows(self, old: Iterable[QWidget], new: Iterable[QWidget]) -> None:
        for row in old:
            row.hide()
            row.deleteLater()
        for row in new:
            self._list.addWidget(row)
            self.row_added.emit(row)

    def _open(self, form: FormBox) -> None:
        """Show one form; another one that is open is cancelled."""
        for each in self._forms:
            if not each.isHidden():
                each.cancelled.emit()
        self.show_note("")
        form.show()
        self._scroll_to(form, form)

    def _scroll_to(self, first: QWidget, last: QWidget) -> None:
        """Scroll from the top of one widget to the bottom of another, once they are laid out."""
        self._scroll_target = (first, last)
        self._scroll_timer.start()

    def _scroll(self) -> None:
        """Scroll no further than needed, and never past the top of the first widget."""
        first, last = self._scroll_target
        top = first.mapTo(self._sheet, QPoint(0, 0)).y() - _SCROLL_MARGIN
        bottom = last.mapTo(self._sheet, QPoint(0, last.height())).y() + _SCROLL_MARGIN
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setValue(min(top, max(bar.value(), bottom - height)))
