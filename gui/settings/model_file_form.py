"""Model file form: a GGUF file on this computer, and the memory that it needs."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from assistant.model_client.local.model_file import free_memory
from assistant.settings.model_settings import ConfiguredModel
from gui.settings.form_fields import FormBox, LineField
from gui.settings.form_widgets import choose_file, push_button, set_style_name, text_label

if TYPE_CHECKING:
    from assistant.model_client.local.model_file import ModelFile

_HINT = "Weights in the GGUF format. They are loaded when the model is first asked."


class ModelFileForm(FormBox):
    """Asks for a GGUF file, for a new model or another file of one.

    Signals:
        file_named: A file was entered; emits its path. `show_file` or `show_error` answers.
        submitted: The file should be used; emits a ConfiguredModel.
    """

    file_named = Signal(object)
    submitted = Signal(object)

    def __init__(self) -> None:
        super().__init__(submit="Use this file")
        self.changed: ConfiguredModel | None = None
        self._file: ModelFile | None = None
        self._described = ""  # the path that was looked at last
        choose = push_button("Choose…")
        self.path = LineField("File", _HINT, button=choose)
        self.memory = text_label()
        self._lay_out(self.path, self.memory)
        choose.clicked.connect(
            lambda: choose_file(self, "Choose a model file", "Model files (*.gguf)", self.take)
        )
        self.path.line.editingFinished.connect(self._describe)
        self.submit.clicked.connect(self._submit)

    def begin(self, changed: ConfiguredModel | None = None) -> None:
        """Ask for a file, or for another file of a model."""
        self.changed = changed
        self._title.setText(
            f"Change {changed.name}" if changed else "A model file on this computer"
        )
        self.path.line.setText(str(changed.file) if changed and changed.file else "")
        self._reset()
        self.path.line.setFocus()

    def take(self, path: Path) -> None:
        """Enter a file that was chosen."""
        self.path.line.setText(str(path))
        self._describe()

    def show_file(self, file: "ModelFile") -> None:
        """Show the description of a file and the memory that it needs."""
        free = free_memory()
        context = file.context(None, free)
        need = file.memory(context, free)
        kind = f" ({file.quantization})" if file.quantization else ""
        text = f"{file.name}{kind} {need.words}. It reads and writes {context:,} tokens at once."
        if not need.fits:
            text += " Close other programs before you use it, or choose a smaller file."
        self._file = file
        self.memory.setText(text)
        set_style_name(self.memory, "normal" if need.fits else "warning")
        self.memory.show()
        self.submit.setEnabled(True)
        self.submit.setFocus()

    def show_error(self, text: str) -> None:
        """Show the reason why a file cannot be used."""
        self._file = None
        self.submit.setEnabled(False)
        self.path.show_error(text)

    def _reset(self) -> None:
        self._file, self._described = None, ""
        self.memory.hide()
        self.submit.setEnabled(False)
        self.path.show_error("")

    def _describe(self) -> None:
        path = self.path.text
        if self.isVisible() and path and path != self._described:
            self._reset()
            self._described = path
            self.file_named.emit(Path(path).expanduser())

    def _submit(self) -> None:
        if self._file is not None:
            base = self.changed or ConfiguredModel(self._file.name)
            self.submitted.emit(replace(base, file=self._file.path))
