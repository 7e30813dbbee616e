"""Accounts page: connected accounts, forms to connect more, and the secret store."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from gui.settings.account_row import AccountRow
from gui.settings.form_widgets import TextIcon, horizontal_row, push_button, text_label
from gui.settings.google_form import GoogleForm
from gui.settings.secret_store_view import SecretStoreView
from gui.settings.settings_page import SettingsPage
from gui.settings.smtp_form import SmtpForm
from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.accounts.connections import AccountStatus
    from assistant.settings.account_settings import Account

_INTRODUCTION = (
    "Deskhand reads the mail and the calendars that you connect here. It shows you everything it"
    " would send or change, and waits for your answer."
)


class AskAgainBar(QFrame):
    """Offers to repeat a request that failed before.

    Signals:
        wanted: The request should be repeated; emits its text.
    """

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self._request = ""
        self._text = ElidedLabel("normal")
        ask = push_button("Ask again", "primary")
        ask.clicked.connect(self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 12, 10)
        row.setSpacing(8)
        row.addWidget(TextIcon("check", "success"))
        row.addWidget(self._text, 1)
        row.addWidget(ask)

    def offer(self, request: str) -> None:
        """Show the bar for a request."""
        self._request = request
        self._text.show_text(f"That is fixed. “{' '.join(request.split())}”")
        self.show()

    def _ask(self) -> None:
        self.hide()
        self.wanted.emit(self._request)


class AccountsPage(SettingsPage):
    """All settings about accounts; controllers carry them out."""

    def __init__(self) -> None:
        self.google, self.smtp = GoogleForm(), SmtpForm()
        super().__init__(self.google, self.smtp)
        self.rows: dict[str, AccountRow] = {}
        self._shown: tuple[tuple[AccountStatus, ...], bool] = ((), False)
        self.secret_store, self.ask_again = SecretStoreView(), AskAgainBar()
        self.connect_google = push_button("Connect Google…")
        self.connect_mail = push_button("Mail on this computer…")
        smtp = push_button("Send by SMTP…")
        self.ask_again.hide()
        self._lay_out(
            "Accounts",
            _INTRODUCTION,
            self.ask_again,
            self._list,
            self.note,
            4,
            horizontal_row(self.connect_google, self.connect_mail, smtp, None),
            self.google,
            self.smtp,
            18,
            text_label("Where sign-ins are kept", "heading"),
            self.secret_store,
        )
        smtp.clicked.connect(self.begin_smtp)
        self.google.step_changed.connect(lambda step: self._scroll_to(step, self.google))
        self.secret_store.passphrase_asked.connect(
            lambda: self._scroll_to(self.secret_store, self.secret_store)
        )

    def show_accounts(self, accounts: "Sequence[AccountStatus]", *, is_sample: bool) -> None:
        """List the accounts where one changed; shown test results stay."""
        if (tuple(accounts), is_sample) == self._shown:
            return
        self._shown = (tuple(accounts), is_sample)
        before = self.rows
        results = {name: row.results for name, row in before.items()}
        self.rows = {
            each.name: AccountRow(each, results.get(each.name), is_sample=is_sample)
            for each in accounts
        }
        self._replace_rows(before.values(), self.rows.values())

    def open_google(self) -> None:
        """Show the Google form, which the caller starts."""
        self._open(self.google)

    def begin_smtp(self) -> None:
        """Show the form for a new SMTP account."""
        self._open(self.smtp)
        self.smtp.begin()

    def change_smtp(self, account: "Account") -> None:
        """Show the form for the password of an SMTP account."""
        self._open(self.smtp)
        self.smtp.begin(account)

    def show_secret_store(self) -> None:
        """Scroll to the secret store, and focus its remedy."""
        self.secret_store.focus()
        self._scroll_to(self.secret_store, self.secret_store)

    def focus_connect(self) -> None:
        """Focus the first button that connects an account."""
        self.connect_google.setFocus()

    def show_account(self, name: str) -> None:
        """Scroll to an account, and focus its remedy."""
        if name in self.rows:
            self.rows[name].focus()
            self._scroll_to(self.rows[name], self.rows[name])
