"""Form fields: labelled inputs with errors, and the frame of a form."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QLineEdit, QPushButton, QWidget

from gui.settings.form_widgets import horizontal_row, lay_out_column, push_button, text_label


class FormField(QWidget):
    """An input with a label, a muted hint, and an error message.

    It takes the available width, or `width` pixels. `button` is beside the input.
    """

    def __init__(
        self,
        label: str,
        entry: QWidget,
        hint: str = "",
        button: QPushButton | None = None,
        width: int | None = None,
    ) -> None:
        super().__init__()
        self.entry = entry
        self._hint = text_label(hint, "muted")
        self._error = text_label("", "error")
        name = QLabel(label)
        name.setBuddy(entry)
        entry.setAccessibleName(label)
        entry.setAccessibleDescription(hint)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(entry, 1)
        if button is not None:
            line.addWidget(button)
        if width is not None:
            entry.setMaximumWidth(width)
            line.addStretch(1)
        lay_out_column(self, name, line, self._error, self._hint, spacing=4)
        self._hint.setVisible(bool(hint))
        self._error.hide()

    @property
    def error(self) -> str:
        """The error message, "" for none."""
        return self._error.text()

    def show_error(self, text: str) -> None:
        """Show an error message; "" removes it."""
        self._error.setText(text)
        self._error.setVisible(bool(text))
        self.entry.setAccessibleDescription(text or self._hint.text())
        self.entry.setProperty("wrong", bool(text))
        self.entry.style().polish(self.entry)

    def show_hint(self, text: str) -> None:
        """Change the hint."""
        self._hint.setText(text)
        self._hint.setVisible(bool(text))
        self.entry.setAccessibleDescription(text)


class LineField(FormField):
    """A `FormField` for one line of text."""

    def __init__(
        self,
        label: str,
        hint: str = "",
        *,
        placeholder: str = "",
        is_password: bool = False,
        button: QPushButton | None = None,
        width: int | None = None,
    ) -> None:
        line = QLineEdit()
        super().__init__(label, line, hint, button, width)
        self.line = line
        line.setPlaceholderText(placeholder)
        if is_password:
            line.setEchoMode(QLineEdit.EchoMode.Password)

    @property
    def text(self) -> str:
        """The text without surrounding spaces."""
        return self.line.text().strip()

    def reset(self, text: str = "") -> None:
        """Set the text and remove the error."""
        self.line.setText(text)
        self.show_error("")

    def reject(self, error: str) -> None:
        """Show an error, and select the text to be corrected."""
        self.show_error(error)
        self.line.selectAll()
        self.line.setFocus()


class FormBox(QFrame):
    """A framed form with a heading, a line for progress, and buttons to cancel and to submit.

    Signals:
        cancelled: The user closed the form without a change.
    """

    cancelled = Signal()

    def __init__(self, title: str = "", submit: str = "") -> None:
        super().__init__()
        self.setObjectName("box")
        self._title = QLabel(title)
        self._title.setObjectName("heading")
        self._progress = text_label("", "muted")
        self._cancel, self.submit = push_button("Cancel"), push_button(submit, "primary")
        self._cancel.clicked.connect(self.cancelled)

    def show_progress(self, text: str) -> None:
        """Show the action in progress, during which the form cannot be submitted; "" ends it."""
        self._progress.setText(text)
        self._progress.setVisible(bool(text))
        self.submit.setDisabled(bool(text))

    def _lay_out(self, *parts: QWidget | QLayout, buttons: Sequence[QPushButton] = ()) -> None:
        row = horizontal_row(None, self._cancel, *buttons, self.submit)
        parts = (self._title, *parts, self._progress, row)
        lay_out_column(self, *parts, spacing=14, margins=(16, 14, 16, 14))
        self._progress.hide()

    def _submit_on_enter(self) -> None:
        for line in self.findChildren(QLineEdit):
            line.returnPressed.connect(self.submit.click)
