"""Model file form: a GGUF file on this computer, and the memory that it needs."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QLabel, QLineEdit, QVBoxLayout

from assistant.model_client.local.model_file import free_memory
from assistant.settings.model_settings import ConfiguredModel
from gui.settings.form_widgets import FormField, horizontal_row, push_button

if TYPE_CHECKING:
    from assistant.model_client.local.model_file import ModelFile

_HINT = "Weights in the GGUF format. They are loaded when the model is first asked."


class ModelFileForm(QFrame):
    """Asks for a GGUF file, or for another one.

    Signals:
        described: A file was named: its path. `show_file` or `show_error` answers.
        filled: The file should be used: ConfiguredModel.
        left: It should be closed without a change.
    """

    described = Signal(object)
    filled = Signal(object)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self.changed: ConfiguredModel | None = None
        self._file: ModelFile | None = None
        self._named = ""  # the file that was looked at last
        self._title = QLabel()
        self._title.setObjectName("heading")
        self._path = QLineEdit()
        self._choose, self._go = push_button("Choose…"), push_button("Use this file", "primary")
        leave = push_button("Cancel")
        self.path = FormField("File", self._path, _HINT, beside=self._choose)
        self._need = QLabel()
        self._need.setTextFormat(Qt.TextFormat.PlainText)
        self._need.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(14)
        for part in (self._title, self.path, self._need):
            column.addWidget(part)
        column.addLayout(horizontal_row(None, leave, self._go))
        self._choose.clicked.connect(self.choose)
        self._path.editingFinished.connect(self._describe)
        self._go.clicked.connect(self._finish)
        leave.clicked.connect(self.left)

    def begin(self, changed: ConfiguredModel | None = None) -> None:
        """Ask for a file, or for another one of a model."""
        self.changed = changed
        self._title.setText(
            f"Change {changed.name}" if changed else "A model file on this computer"
        )
        self._path.setText(str(changed.file) if changed and changed.file else "")
        self._forget()
        self._path.setFocus()

    def choose(self) -> None:
        """Open the desktop's dialog for files."""
        dialog = QFileDialog(self, "Choose a model file", "", "Model files (*.gguf)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._take)
        dialog.open()

    def show_file(self, file: "ModelFile") -> None:
        """Say what a file is and what it needs."""
        free = free_memory()
        context = file.context(None, free)
        need = file.memory(context, free)
        kind = f" ({file.quantization})" if file.quantization else ""
        words = f"{file.name}{kind} {need.words}. It reads and writes {context:,} tokens at once."
        tight = " Close other programs before you use it, or choose a smaller file."
        self._file = file
        self._need.setObjectName("told" if need.fits else "warns")
        self._need.setText(words if need.fits else words + tight)
        self._need.style().polish(self._need)
        self._need.show()
        self._go.setEnabled(True)
        self._go.setFocus()

    def show_error(self, words: str) -> None:
        """Say why a file cannot be used."""
        self._file = None
        self._go.setEnabled(False)
        self.path.show_error(words)

    def _forget(self) -> None:
        self._file, self._named = None, ""
        self._need.hide()
        self._go.setEnabled(False)
        self.path.show_error("")

    def _take(self, path: str) -> None:
        self._path.setText(path)
        self._describe()

    def _describe(self) -> None:
        typed = self._path.text().strip()
        if self.isVisible() and typed and typed != self._named:
            self._forget()
            self._named = typed
            self.described.emit(Path(typed).expanduser())

    def _finish(self) -> None:
        if self._file is not None:
            base = self.changed or ConfiguredModel(self._file.name)
            self.filled.emit(replace(base, file=self._file.path))
