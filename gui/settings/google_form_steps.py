"""Contents of the Google form's steps: permissions, waiting for the browser, and checks."""

from collections.abc import Collection
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gui.settings.form_widgets import TextIcon, horizontal_row, link_label, push_button, text_label
from gui.widgets.choice_buttons import ThemedCheckBox
from gui.widgets.elided_label import ElidedLabel
from tools.accounts.google.authorization_flow import SIGN_IN_TIMEOUT
from tools.accounts.google.permissions import Permission

if TYPE_CHECKING:
    from assistant.accounts.google_setup_checks import SetupCheck

_PERMISSION_HINT = (
    "What you leave out can be allowed at any time, also when something first needs it. Deskhand"
    " asks before it sends or changes anything, whatever is ticked here."
)


class PermissionChoice(QWidget):
    """A box for each permission; what cannot be left out, or is there already, stays ticked."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks = {each: ThemedCheckBox(_capital(each.words)) for each in Permission}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for tick in self._ticks.values():
            column.addWidget(tick)
        column.addSpacing(6)
        column.addWidget(text_label(_PERMISSION_HINT, "muted"))
        self.show_granted(())

    @property
    def chosen(self) -> frozenset[Permission]:
        """What is ticked."""
        return frozenset(each for each, tick in self._ticks.items() if tick.isChecked())

    def show_granted(
        self, granted: Collection[Permission], wanted: Collection[Permission] = ()
    ) -> None:
        """Show what is allowed already, with what is wanted ticked; reading always is."""
        fixed = {Permission.READ_MAIL, *granted}
        for each, tick in self._ticks.items():
            tick.setChecked(each in fixed or each in wanted)
            tick.setEnabled(each not in fixed)

    def focus(self) -> None:
        """Go to the first that can be ticked."""
        next((one for one in self._ticks.values() if one.isEnabled()), self).setFocus()


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


_BROWSER_HINT = (
    "Choose your account on the page in your browser, and allow what it asks for. If Google says"
    " that it has not verified the app: that is your own client, so choose “Continue”, or"
    " “Advanced” and then the name of your app."
)
_NO_BROWSER_HINT = (
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
        self._words = text_label(_BROWSER_HINT)
        self._link = ElidedLabel("muted")
        self._link.setAccessibleName("Link")
        self._left = text_label("", "muted")
        self.again, self.copy = push_button("Open the page again"), push_button("Copy the link")
        self.stop = push_button("Cancel")
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
        column.addLayout(horizontal_row(self.again, self.copy, None, self.stop))

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
        self._words.setText(_BROWSER_HINT)
        self._until = monotonic() + SIGN_IN_TIMEOUT
        self._tell()
        self._clock.start()

    def show_not_opened(self) -> None:
        """Say that no browser opened the page."""
        self._words.setText(_NO_BROWSER_HINT)
        self.copy.setFocus()

    def end(self) -> None:
        """Wait no longer."""
        self._clock.stop()

    def _show_url(self, url: str) -> None:
        self._url = url
        self._link.show_text(url)
        self._link.setVisible(bool(url))
        self.again.setEnabled(bool(url))
        self.copy.setEnabled(bool(url))

    def _tell(self) -> None:
        self._left.setText(_time_left_text(self._until - monotonic()))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self.copy.setText("Copied")


def _time_left_text(seconds: float) -> str:
    if seconds <= 0:
        return "The time is over."
    if seconds < 60:
        return "Less than a minute is left."
    minutes = round(seconds / 60)
    return f"About {minutes} minutes are left." if minutes > 1 else "About one minute is left."


_CHECK_ICONS = {
    "open": ("skip", "muted"),
    "doing": ("wait", "muted"),
    "done": ("check", "works"),
    "failed": ("cross-circle", "fails"),
}
_CHECK_STATES = {
    "open": "not yet",
    "doing": "under way",
    "done": "in order",
    "failed": "not in order",
}


class SetupChecks(QWidget):
    """A line for each check that was told, in the order they came.

    Signals:
        link_wanted: A page that helps should be opened: its address.
    """

    link_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.checks: dict[str, SetupCheck] = {}
        self._shown: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def begin(self) -> None:
        """Show nothing."""
        self.checks = {}
        self._show()

    def show_check(self, check: "SetupCheck") -> None:
        """Show where a check stands."""
        self.checks[check.key] = check
        self._show()

    def _show(self) -> None:
        if self._shown is not None:
            self._column.removeWidget(self._shown)
            self._shown.hide()
            self._shown.deleteLater()
        self._shown = QWidget()
        grid = QGridLayout(self._shown)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for row, check in enumerate(self.checks.values()):
            mark = TextIcon(*_CHECK_ICONS[check.state])
            mark.setAccessibleName(_CHECK_STATES[check.state])
            grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._told(check), row, 1)
        self._column.addWidget(self._shown)
        self._shown.show()

    def _told(self, check: "SetupCheck") -> QWidget:
        made = QWidget()
        made.setAccessibleName(f"{check.title}: {_CHECK_STATES[check.state]}. {check.words}")
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(text_label(check.title, "strong"))
        if check.words:
            column.addWidget(
                text_label(check.words, "fails" if check.state == "failed" else "muted")
            )
        for link in check.links:
            told = link_label(link.words, (link.words, link.url))
            told.linkActivated.connect(self.link_wanted)
            column.addWidget(told)
        return made
