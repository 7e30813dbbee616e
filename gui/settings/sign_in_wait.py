"""The wait for a sign-in: what to do in the browser, its link, and how long there is time."""

from time import monotonic

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.elided import ElidedLabel
from gui.settings.buttons import button, row_of
from gui.settings.sentence import sentence
from tools.accounts.google.sign_in import WAIT

_WORDS = (
    "Choose your account on the page in your browser, and allow what it asks for. If Google says"
    " that it has not verified the app: that is your own client, so choose “Continue”, or"
    " “Advanced” and then the name of your app."
)
_NOT_OPENED = (
    "No browser opened. Copy the link, and open it in a browser on this computer; then choose"
    " your account there, and allow what it asks for."
)


class SignInWait(QWidget):
    """Shown from the moment the page is asked for until somebody came back from it.

    Signals:
        open_wanted: The page should be opened once more: its address.
        stopped: The person does not want to sign in now.
    """

    open_wanted = Signal(str)
    stopped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._url, self._until = "", 0.0
        self._words = sentence(_WORDS)
        self._link = ElidedLabel("muted")
        self._link.setAccessibleName("Link")
        self._left = sentence("", "muted")
        self.again, self.copy = button("Open the page again"), button("Copy the link")
        self.stop = button("Cancel")
        self.again.clicked.connect(lambda: self.open_wanted.emit(self._url))
        self.copy.clicked.connect(self._copy)
        self.stop.clicked.connect(self.stopped)
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._words)
        column.addWidget(self._link)
        column.addWidget(self._left)
        column.addLayout(row_of(self.again, self.copy, None, self.stop))

    @property
    def url(self) -> str:
        """The page to sign in on; "" as long as nobody said."""
        return self._url

    def begin(self) -> None:
        """Wait for the page."""
        self._show_url("")
        self._words.setText("Getting the page of Google ready…")
        self._left.setText("")
        self.copy.setText("Copy the link")
        self.stop.setFocus()

    def show_page(self, url: str) -> None:
        """Wait for somebody to come back from this page."""
        self._show_url(url)
        self._words.setText(_WORDS)
        self._until = monotonic() + WAIT
        self._tell()
        self._clock.start()

    def show_not_opened(self) -> None:
        """Say that no browser opened the page."""
        self._words.setText(_NOT_OPENED)
        self.copy.setFocus()

    def end(self) -> None:
        """Wait no longer."""
        self._clock.stop()

    def _show_url(self, url: str) -> None:
        self._url = url
        self._link.show_words(url)
        self._link.setVisible(bool(url))
        self.again.setEnabled(bool(url))
        self.copy.setEnabled(bool(url))

    def _tell(self) -> None:
        self._left.setText(_in_words(self._until - monotonic()))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self.copy.setText("Copied")


def _in_words(seconds: float) -> str:
    if seconds <= 0:
        return "The time is over."
    if seconds < 60:
        return "Less than a minute is left."
    minutes = round(seconds / 60)
    return f"About {minutes} minutes are left." if minutes > 1 else "About one minute is left."
