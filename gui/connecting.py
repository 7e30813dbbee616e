"""Connecting a mail folder: asks for a Maildir or an mbox file."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from assistant.settings import FileKind

WORDS = (
    "Connect a mail folder",
    "Deskhand only reads it; nothing in it is changed and nothing leaves this computer.\n\n"
    "A Maildir is a folder with “cur” and “new” in it, as many mail programs for Linux keep it."
    " An mbox is one file, as Thunderbird keeps it and Google Takeout exports it.",
)


def ask_for_mail(parent: QWidget, chosen: Callable[[FileKind, Path], None]) -> None:
    """Ask which kind and where; `chosen` is called once with both, or not at all."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(WORDS[0])
    box.setText(WORDS[0])
    box.setInformativeText(WORDS[1])
    folder = box.addButton("Choose a Maildir…", QMessageBox.ButtonRole.AcceptRole)
    file = box.addButton("Choose an mbox file…", QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    directory, any_file = QFileDialog.FileMode.Directory, QFileDialog.FileMode.ExistingFile
    folder.clicked.connect(lambda: _choose(parent, directory, lambda path: chosen("maildir", path)))
    file.clicked.connect(lambda: _choose(parent, any_file, lambda path: chosen("mbox", path)))
    box.open()


def _choose(parent: QWidget, mode: QFileDialog.FileMode, then: Callable[[Path], None]) -> None:
    dialog = QFileDialog(parent, "Choose your mail")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(mode)
    dialog.fileSelected.connect(lambda path: then(Path(path)))
    dialog.open()
