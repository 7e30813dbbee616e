"""The form for the Google client: how to make one, and where to give it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.settings.buttons import button, row_of
from gui.settings.field import Field
from gui.settings.file_drop import FileDrop
from gui.settings.sentence import linked_sentence, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

_CONSOLE = "https://console.cloud.google.com"
_WHY = (
    "Google wants to know which program asks, so it gives you a client of your own. This is done"
    " once and takes about five minutes; the pages open in your browser."
)
_TO_DO: "Sequence[tuple[str, Sequence[tuple[str, str]]]]" = (
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
        self.id = Field("Client ID", self._id)
        self.secret = Field("Client secret", self._secret, "Where Google shows one.")
        self._use = button("Use this client")
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
        column.addWidget(sentence(_WHY, "muted"))
        column.addLayout(self._to_do())
        column.addWidget(drop)
        column.addWidget(sentence("Or type what the page of the client shows:", "muted"))
        column.addWidget(self.id)
        column.addWidget(self.secret)
        column.addLayout(row_of(None, self._use))

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
        for number, (words, links) in enumerate(_TO_DO):
            told = linked_sentence(words, *links)
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
