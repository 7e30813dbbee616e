"""A file drop: where a file can be dropped, with a button that lets one choose it instead."""

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout

from gui.settings.buttons import button
from gui.settings.sentence import sentence


class FileDrop(QFrame):
    """A framed place.

    Signals:
        chosen: A file was dropped or chosen: its path.
    """

    chosen = Signal(object)

    def __init__(self, words: str, verb: str, kinds: str) -> None:
        """Make one.

        Args:
            words: what can be dropped here.
            verb: what the button says.
            kinds: which files the dialog offers, as Qt has it: "Client files (*.json)".
        """
        super().__init__()
        self.setObjectName("drop")
        self.setAcceptDrops(True)
        self._kinds, self._verb = kinds, verb
        choose = button(verb)
        choose.clicked.connect(self.choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(sentence(words, "muted"), 1)
        row.addWidget(choose, 0, Qt.AlignmentFlag.AlignVCenter)

    def choose(self) -> None:
        """Open the desktop's dialog for files."""
        dialog = QFileDialog(self, self._verb.rstrip("…"), "", self._kinds)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.chosen.emit(Path(path)))
        dialog.open()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take a file, and nothing else."""
        if _file_of(event.mimeData()) is not None:
            event.acceptProposedAction()
            self._mark(over=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Rest again."""
        super().dragLeaveEvent(event)
        self._mark(over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Give the file out."""
        self._mark(over=False)
        file = _file_of(event.mimeData())
        if file is not None:
            event.acceptProposedAction()
            self.chosen.emit(file)

    def _mark(self, *, over: bool) -> None:
        self.setProperty("over", over)
        self.style().polish(self)


def _file_of(dragged: QMimeData) -> Path | None:
    files = [Path(url.toLocalFile()) for url in dragged.urls() if url.isLocalFile()]
    return files[0] if len(files) == 1 else None
