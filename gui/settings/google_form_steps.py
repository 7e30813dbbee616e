"""Contents of the Google form's steps: permissions, waiting for the browser, and checks."""

from collections.abc import Collection
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gui.settings.form_widgets import (
    LineList,
    TextIcon,
    horizontal_row,
    lay_out_column,
    link_label,
    push_button,
    text_label,
)
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
    """A check box for each permission; required and granted ones stay ticked."""

    def __init__(self) -> None:
        super().__init__()
        self._boxes = {
            each: ThemedCheckBox(f"{each.words[:1].upper()}{each.words[1:]}") for each in Permission
        }
        lay_out_column(self, *self._boxes.values(), 6, text_label(_PERMISSION_HINT, "muted"))
        self.show_granted(())

    @property
    def chosen(self) -> frozenset[Permission]:
        """The ticked permissions."""
        return frozenset(each for each, box in self._boxes.items() if box.isChecked())

    def show_granted(
        self, granted: Collection[Permission], wanted: Collection[Permission] = ()
    ) -> None:
        """Tick the granted and wanted permissions; reading mail is always required."""
        fixed = {Permission.READ_MAIL, *granted}
        for each, box in self._boxes.items():
            box.setChecked(each in fixed or each in wanted)
            box.setEnabled(each not in fixed)

    def focus(self) -> None:
        """Focus the first box that can be ticked."""
        next((box for box in self._boxes.values() if box.isEnabled()), self).setFocus()


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
    """Instructions and the remaining time while the user signs in in the browser.

    Signals:
        open_wanted: The page should be opened again; emits its URL.
    """

    open_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._url, self._deadline = "", 0.0
        self._hint = text_label(_BROWSER_HINT)
        self._link = ElidedLabel("muted")
        self._link.setAccessibleName("Link")
        self._time_left = text_label("", "muted")
        self.again, self.copy = push_button("Open the page again"), push_button("Copy the link")
        self.stop = push_button("Cancel")
        self.again.clicked.connect(lambda: self.open_wanted.emit(self._url))
        self.copy.clicked.connect(self._copy)
        self._timer = QTimer(self)
        self._timer.setInterval(1000)
        self._timer.timeout.connect(self._show_time_left)
        buttons = horizontal_row(self.again, self.copy, None, self.stop)
        lay_out_column(self, self._hint, self._link, self._time_left, buttons, spacing=8)

    @property
    def url(self) -> str:
        """The URL of Google's page, "" until it is known."""
        return self._url

    def begin(self) -> None:
        """Wait for the URL of the page."""
        self._show_url("")
        self._hint.setText("Getting the page of Google ready…")
        self._time_left.setText("")
        self.copy.setText("Copy the link")
        self.stop.setFocus()

    def show_page(self, url: str) -> None:
        """Wait for the user to sign in on this page."""
        self._show_url(url)
        self._hint.setText(_BROWSER_HINT)
        self._deadline = monotonic() + SIGN_IN_TIMEOUT
        self._show_time_left()
        self._timer.start()

    def show_not_opened(self) -> None:
        """Show that no browser opened the page."""
        self._hint.setText(_NO_BROWSER_HINT)
        self.copy.setFocus()

    def end(self) -> None:
        """Stop the countdown."""
        self._timer.stop()

    def _show_url(self, url: str) -> None:
        self._url = url
        self._link.show_text(url)
        self._link.setVisible(bool(url))
        self.again.setEnabled(bool(url))
        self.copy.setEnabled(bool(url))

    def _show_time_left(self) -> None:
        self._time_left.setText(_time_left_text(self._deadline - monotonic()))

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
    "done": ("check", "success"),
    "failed": ("cross-circle", "error"),
}
_CHECK_STATES = {
    "open": "not yet",
    "doing": "under way",
    "done": "in order",
    "failed": "not in order",
}


class SetupChecks(LineList):
    """A line for each check, in the order in which they came.

    Signals:
        link_wanted: A help page should be opened; emits its URL.
    """

    link_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__(spacing=8)
        self.checks: dict[str, SetupCheck] = {}

    def begin(self) -> None:
        """Remove all checks."""
        self.checks = {}
        self.replace(())

    def show_check(self, check: "SetupCheck") -> None:
        """Add or update a check."""
        self.checks[check.key] = check
        self.replace((_check_icon(each), self._details(each)) for each in self.checks.values())

    def _details(self, check: "SetupCheck") -> QWidget:
        parts: list[QWidget] = [text_label(check.title, "strong")]
        if check.words:
            parts.append(text_label(check.words, "error" if check.state == "failed" else "muted"))
        for link in check.links:
            label = link_label(link.words, (link.words, link.url))
            label.linkActivated.connect(self.link_wanted)
            parts.append(label)
        widget = QWidget()
        widget.setAccessibleName(f"{check.title}: {_CHECK_STATES[check.state]}. {check.words}")
        lay_out_column(widget, *parts, spacing=2)
        return widget


def _check_icon(check: "SetupCheck") -> TextIcon:
    icon = TextIcon(*_CHECK_ICONS[check.state])
    icon.setAccessibleName(_CHECK_STATES[check.state])
    return icon
