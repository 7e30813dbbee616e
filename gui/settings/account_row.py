"""Account row: one connected account with its status, permissions and actions."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QMenu, QToolButton, QVBoxLayout

from gui.settings.check_results import CheckResults
from gui.settings.form_widgets import TextIcon, push_button, text_label
from gui.widgets.elided_label import ElidedLabel
from tools.accounts.google.permissions import Permission

if TYPE_CHECKING:
    from assistant.accounts.connections import AccountStatus

_KINDS = {
    "google": "Google",
    "smtp": "Sending by SMTP",
    "maildir": "Mail on this computer (Maildir)",
    "mbox": "Mail on this computer (mbox)",
}
_SAMPLE = (
    "Invented mail and events, to try things out: nothing of it is real, and what you send stays"
    " here. It goes away once you connect mail of your own."
)


class AccountRow(QFrame):
    """A box with the name of an account.

    Signals:
        test_wanted: It should be tried whether it works.
        sign_in_wanted: Its person wants to sign in again.
        permission_wanted: It should be allowed to do this too: a Permission.
        unlock_wanted: What keeps its sign-in should be opened.
        removal_wanted: It should be disconnected.
    """

    test_wanted = Signal()
    sign_in_wanted = Signal()
    permission_wanted = Signal(object)
    unlock_wanted = Signal()
    removal_wanted = Signal()

    def __init__(
        self, account: "AccountStatus", test: CheckResults | None = None, *, is_sample: bool = False
    ) -> None:
        super().__init__()
        self.setObjectName("box")
        self.account = account
        self._is_sample = is_sample
        self.test = test or CheckResults()
        self._mend = push_button("", "primary")
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 12, 12)
        column.setSpacing(6)
        column.addLayout(self._head())
        column.addLayout(self._standing())
        if account.kind == "google" and account.state == "ready":
            column.addLayout(self._missing())
        column.addWidget(self.test)

    def focus(self) -> None:
        """Go to what mends it, or to its first button."""
        target = self._mend if not self._mend.isHidden() else self._test
        target.setFocus()

    def _head(self) -> QHBoxLayout:
        account = self.account
        name, where = ElidedLabel("strong"), ElidedLabel("muted")
        name.show_text(account.name)
        kind = "Sample" if self._is_sample else _KINDS[account.kind]
        told = dict.fromkeys((kind, account.address, "" if self._is_sample else account.place))
        where.show_text("  ·  ".join(each for each in told if each not in {"", account.name}))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(name)
        words.addWidget(where)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addLayout(words, 1)
        self._test = push_button("Test")
        self._test.setAccessibleName(f"Test {account.name}")
        self._test.clicked.connect(self.test_wanted)
        self._test.setDisabled(self.test.is_trying)
        self.test.trying.connect(self._test.setDisabled)
        self._set_up_mending()
        head.addWidget(self._mend)
        head.addWidget(self._test)
        if not self._is_sample and not account.of_environment:
            head.addWidget(self._more())
        return head

    def _set_up_mending(self) -> None:
        """The one button that goes on where something is wrong."""
        account = self.account
        is_locked = account.state == "locked"
        self._mend.setText("Unlock…" if is_locked else "Reconnect…")
        self._mend.setAccessibleName(f"{self._mend.text()} {account.name}")
        self._mend.clicked.connect(self.unlock_wanted if is_locked else self.sign_in_wanted)
        self._mend.setVisible(account.state != "ready")
        self._test.setVisible(account.state == "ready" and not self._is_sample)

    def _more(self) -> QToolButton:
        more = QToolButton()
        more.setObjectName("more")
        more.setText("•••")
        more.setAccessibleName(f"More about {self.account.name}")
        more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(more)
        if self.account.kind == "google":
            menu.addAction("Sign in again…", self.sign_in_wanted.emit)
        elif self.account.kind == "smtp":
            menu.addAction("Change the password…", self.sign_in_wanted.emit)
        menu.addAction("Disconnect…", self.removal_wanted.emit)
        more.setMenu(menu)
        return more

    def _standing(self) -> QGridLayout:
        is_ready = self.account.state == "ready"
        words = _SAMPLE if self._is_sample else self.account.words
        grid = _lines()
        if words:
            drawing = "info" if self._is_sample else "check" if is_ready else "alert"
            name = "muted" if self._is_sample else "works" if is_ready else "warns"
            grid.addWidget(TextIcon(drawing, name), 0, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text_label(words), 0, 1)
        return grid

    def _missing(self) -> QGridLayout:
        """What it may not do yet; what it may is said by how it stands."""
        grid = _lines()
        for row, each in enumerate(each for each in Permission if each not in self.account.granted):
            allow = push_button("Allow…", "small")
            allow.setAccessibleName(f"Allow {self.account.name} to {each.words}")
            allow.clicked.connect(lambda _=False, each=each: self.permission_wanted.emit(each))
            grid.addWidget(TextIcon("skip", "muted"), row, 0)
            grid.addWidget(text_label(f"May not {each.words}.", "muted"), row, 1)
            grid.addWidget(allow, row, 2)
        return grid


def _lines() -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(1, 1)
    return grid
