"""Message boxes: a message or a question, shown without blocking."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget


def show_message(parent: QWidget, title: str, text: str) -> QMessageBox:
    """Show a message with a close button."""
    box = _create_box(parent, title, text)
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    box.open()
    return box


def confirm(
    parent: QWidget, title: str, text: str, verb: str, then: Callable[[], object]
) -> QMessageBox:
    """Ask for confirmation by a button with the text `verb`, then call `then`."""
    box = _create_box(parent, title, text)
    agree = box.addButton(verb, QMessageBox.ButtonRole.AcceptRole)
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    agree.clicked.connect(lambda: then())  # noqa: PLW0108 — `clicked` gives a bool
    box.open()
    return box


def _create_box(parent: QWidget, title: str, text: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(title)
    box.setText(title)
    box.setInformativeText(text)
    box.setAccessibleName(title)
    return box
