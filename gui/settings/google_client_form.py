"""Google client form: how to create an OAuth client, and a place to enter or drop it."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QWidget

from gui.settings.form_fields import LineField
from gui.settings.form_widgets import (
    choose_file,
    horizontal_row,
    icon_text_grid,
    lay_out_column,
    link_label,
    push_button,
    text_label,
)


class FileDrop(QFrame):
    """A framed area for one file.

    Signals:
        chosen: A file was dropped or chosen; emits its path.
    """

    chosen = Signal(object)

    def __init__(self, text: str, button_text: str, filters: str) -> None:
        super().__init__()
        self.setObjectName("drop")
        self.setAcceptDrops(True)
        choose = push_button(button_text)
        title = button_text.rstrip("…")
        choose.clicked.connect(lambda: choose_file(self, title, filters, self.chosen.emit))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(text_label(text, "muted"), 1)
        row.addWidget(choose, 0, Qt.AlignmentFlag.AlignVCenter)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept one file."""
        if _dragged_file(event.mimeData()) is not None:
            event.acceptProposedAction()
            self._highlight(over=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Remove the highlight."""
        super().dragLeaveEvent(event)
        self._highlight(over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the file."""
        self._highlight(over=False)
        file = _dragged_file(event.mimeData())
        if file is not None:
            event.acceptProposedAction()
            self.chosen.emit(file)

    def _highlight(self, *, over: bool) -> None:
        self.setProperty("over", over)
        self.style().polish(self)


def _dragged_file(dragged: QMimeData) -> Path | None:
    files = [Path(url.toLocalFile()) for url in dragged.urls() if url.isLocalFile()]
    return files[0] if len(files) == 1 else None


_CONSOLE = "https://console.cloud.google.com"
_INTRODUCTION = (
    "Google wants to know which program asks, so it gives you a client of your own. This is done"
    " once and takes about five minutes; the pages open in your browser."
)
_INSTRUCTIONS: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (
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
    """Instructions for Google's console, and inputs for the client that comes of them.

    Signals:
        typed: A client was entered; emits its ID, and its secret or "".
        link_wanted: A page of the console should be opened; emits its URL.
    """

    typed = Signal(str, str)
    link_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.id = LineField("Client ID", placeholder="….apps.googleusercontent.com")
        self.secret = LineField("Client secret", "Where Google shows one.", is_password=True)
        use = push_button("Use this client")
        use.clicked.connect(self._submit)
        for field in (self.id, self.secret):
            field.line.returnPressed.connect(self._submit)
        self.file_drop = FileDrop(
            "Drop the client file here (client_secret_….json)",
            "Choose the client file…",
            "Client files (*.json);;All files (*)",
        )
        lay_out_column(
            self,
            text_label(_INTRODUCTION, "muted"),
            self._instructions(),
            self.file_drop,
            text_label("Or type what the page of the client shows:", "muted"),
            self.id,
            self.secret,
            horizontal_row(None, use),
            spacing=12,
        )

    def begin(self) -> None:
        """Ask for a client."""
        self.id.reset()
        self.secret.reset()

    def focus(self) -> None:
        """Focus the client ID."""
        self.id.line.setFocus()

    def _instructions(self) -> QGridLayout:
        grid = icon_text_grid(spacing=8)
        for number, (text, links) in enumerate(_INSTRUCTIONS):
            label = link_label(text, *links)
            label.linkActivated.connect(self.link_wanted)
            grid.addWidget(QLabel(f"{'abcde'[number]}."), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, number, 1)
        return grid

    def _submit(self) -> None:
        if not self.id.text:
            self.id.reject("Type the client ID, or choose the client file.")
            return
        self.id.show_error("")
        self.typed.emit(self.id.text, self.secret.text)
