"""Account row: one connected account with its status, permissions and actions."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton

from gui.settings.check_results import CheckResults
from gui.settings.form_widgets import (
    TextIcon,
    icon_text_grid,
    lay_out_column,
    menu_button,
    push_button,
    text_label,
    title_row,
)
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
    "Invented mail and events, to try things out: nothing of it is real, and mail that you send"
    " stays here. It goes away once you connect mail of your own."
)


class AccountRow(QFrame):
    """A framed row for an account.

    Signals:
        sign_in_wanted: The user wants to sign in again.
        permission_wanted: The user wants to allow more; emits a Permission.
        unlock_wanted: The secret store should be unlocked.
        removal_wanted: The account should be disconnected.
    """

    sign_in_wanted = Signal()
    permission_wanted = Signal(object)
    unlock_wanted = Signal()
    removal_wanted = Signal()

    def __init__(
        self,
        account: "AccountStatus",
        results: CheckResults | None = None,
        *,
        is_sample: bool = False,
    ) -> None:
        super().__init__()
        self.setObjectName("box")
        self.account = account
        self._is_sample = is_sample
        self.results = results or CheckResults()
        self._fix, self.test_button = self._fix_button(), self._create_test_button()
        column = lay_out_column(
            self, self._head(), self._status(), spacing=6, margins=(14, 12, 12, 12)
        )
        if account.kind == "google" and account.state == "ready":
            column.addLayout(self._missing_permissions())
        column.addWidget(self.results)

    def focus(self) -> None:
        """Focus the button that fixes a problem, or else the first one."""
        (self.test_button if self._fix.isHidden() else self._fix).setFocus()

    def _head(self) -> QHBoxLayout:
        account = self.account
        kind = "Sample" if self._is_sample else _KINDS[account.kind]
        details = dict.fromkeys((kind, account.address, "" if self._is_sample else account.place))
        subtitle = "  ·  ".join(each for each in details if each not in {"", account.name})
        head = title_row(account.name, subtitle)
        head.addWidget(self._fix)
        head.addWidget(self.test_button)
        if not self._is_sample and not account.of_environment:
            more = menu_button("•••", "more", f"More about {account.name}")
            if account.kind == "google":
                more.menu().addAction("Sign in again…", self.sign_in_wanted.emit)
            elif account.kind == "smtp":
                more.menu().addAction("Change the password…", self.sign_in_wanted.emit)
            more.menu().addAction("Disconnect…", self.removal_wanted.emit)
            head.addWidget(more)
        return head

    def _create_test_button(self) -> QPushButton:
        test = self.results.test_button(self.account.name)
        if self.account.state != "ready" or self._is_sample:
            test.hide()
        return test

    def _fix_button(self) -> QPushButton:
        """Return the button that fixes a problem, hidden where there is none."""
        is_locked = self.account.state == "locked"
        fix = push_button("Unlock…" if is_locked else "Reconnect…", "primary")
        fix.setAccessibleName(f"{fix.text()} {self.account.name}")
        fix.clicked.connect(self.unlock_wanted if is_locked else self.sign_in_wanted)
        if self.account.state == "ready":
            fix.hide()
        return fix

    def _status(self) -> QGridLayout:
        if self._is_sample:
            icon, text = TextIcon("info", "muted"), _SAMPLE
        elif self.account.state == "ready":
            icon, text = TextIcon("check", "success"), self.account.words
        else:
            icon, text = TextIcon("alert", "warning"), self.account.words
        grid = icon_text_grid()
        if text:
            grid.addWidget(icon, 0, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text_label(text), 0, 1)
        return grid

    def _missing_permissions(self) -> QGridLayout:
        """List the permissions that are not granted; the status names those that are."""
        grid = icon_text_grid()
        missing = [each for each in Permission if each not in self.account.granted]
        for row, permission in enumerate(missing):
            allow = push_button("Allow…", "small")
            allow.setAccessibleName(f"Allow {self.account.name} to {permission.words}")
            allow.clicked.connect(
                lambda _=False, permission=permission: self.permission_wanted.emit(permission)
            )
            grid.addWidget(TextIcon("skip", "muted"), row, 0)
            grid.addWidget(text_label(f"Not allowed yet: {permission.words}.", "muted"), row, 1)
            grid.addWidget(allow, row, 2)
        return grid
