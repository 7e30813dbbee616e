"""Google client form: how to create an OAuth client, and a place to enter or drop it."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from gui.settings.form_widgets import FormField, horizontal_row, link_label, push_button, text_label

if TYPE_CHECKING:
    from collections.abc import Sequence


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
        choose = push_button(verb)
        choose.clicked.connect(self.choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(text_label(words, "muted"), 1)
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


_CONSOLE = "https://console.cloud.google.com"
_INTRODUCTION = (
    "Google wants to know which program asks, so it gives you a client of your own. This is done"
    " once and takes about five minutes; the pages open in your browser."
)
_INSTRUCTIONS: "Sequence[tuple[str, Sequence[tuple[str, str]]]]" = (
    (
        "Create a project; its name does not matter.",
        [("Create a project", f"{_CONSOLE}/projectcreate")],
    ),
    (
        "Enable the Gmail API and the Calendar API for it.",
        [
            ("Gmail API", f"{_CONSOLE}/apis/library/gmail.googleapis.com"),
            ("Calendar API", f"{_CONSOLE}/apis/library/calendar-json.googleapis.com"),
        ],
    ),
    (
        "Set up the consent screen: give the app a name, and choose “External”.",
        [("consent screen", f"{_CONSOLE}/auth/overview")],
    ),
    (
        "Under Audience add your own address to the test users. While the app is in testing,"
        " Google ends the sign-in after seven days; “Publish app” on the same page prevents that.",
        [("Audience", f"{_CONSOLE}/auth/audience")],
    ),
    (
        "Create a client of the type “Desktop app”, and download its JSON file.",
        [("Create a client", f"{_CONSOLE}/auth/clients")],
    ),
)


class GoogleClientForm(QWidget):
    """Says what to do in Google's console, and takes what comes out of it.

    Signals:
        file_chosen: The client is in this file: its path.
        typed: The client is this: its ID, and its secret or "".
        link_wanted: A page of the console should be opened: its address.
    """

    file_chosen = Signal(object)
    typed = Signal(str, str)
    link_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._id, self._secret = QLineEdit(), QLineEdit()
        self._id.setPlaceholderText("….apps.googleusercontent.com")
        self._secret.setEchoMode(QLineEdit.EchoMode.Password)
        self.id = FormField("Client ID", self._id)
        self.secret = FormField("Client secret", self._secret, "Where Google shows one.")
        self._use = push_button("Use this client")
        self._use.clicked.connect(self._finish)
        for line in (self._id, self._secret):
            line.returnPressed.connect(self._finish)
        drop = FileDrop(
            "Drop the client file here (client_secret_….json)",
            "Choose the client file…",
            "Client files (*.json);;All files (*)",
        )
        drop.chosen.connect(self.file_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(text_label(_INTRODUCTION, "muted"))
        column.addLayout(self._to_do())
        column.addWidget(drop)
        column.addWidget(text_label("Or type what the page of the client shows:", "muted"))
        column.addWidget(self.id)
        column.addWidget(self.secret)
        column.addLayout(horizontal_row(None, self._use))

    def begin(self) -> None:
        """Ask for a client."""
        self._id.clear()
        self._secret.clear()
        self.id.show_error("")

    def focus(self) -> None:
        """Go to where a client is typed."""
        self._id.setFocus()

    def _to_do(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for number, (words, links) in enumerate(_INSTRUCTIONS):
            told = link_label(words, *links)
            told.linkActivated.connect(self.link_wanted)
            grid.addWidget(QLabel(f"{'abcde'[number]}."), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(told, number, 1)
        return grid

    def _finish(self) -> None:
        id_ = self._id.text().strip()
        if not id_:
            self.id.show_error("Type the client ID, or choose the client file.")
            self._id.setFocus()
            return
        self.id.show_error("")
        self.typed.emit(id_, self._secret.text().strip())
