"""Accounts page: connected accounts, forms to connect more, and the secret store."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gui.settings.account_row import AccountRow
from gui.settings.form_widgets import TextIcon, horizontal_row, push_button, text_label
from gui.settings.google_form import GoogleForm
from gui.settings.secret_store_view import SecretStoreView
from gui.settings.smtp_form import SmtpForm
from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.accounts.connections import AccountStatus
    from assistant.settings.account_settings import Account


class AskAgainBar(QFrame):
    """A request and a button.

    Signals:
        wanted: It should be asked once more: its words.
    """

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self._request = ""
        self._words = ElidedLabel("told")
        ask = push_button("Ask again", "primary")
        ask.clicked.connect(self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 12, 10)
        row.setSpacing(8)
        row.addWidget(TextIcon("check", "works"))
        row.addWidget(self._words, 1)
        row.addWidget(ask)

    def offer(self, request: str) -> None:
        """Offer to ask this once more."""
        self._request = request
        self._words.show_text(f"That is mended. “{' '.join(request.split())}”")
        self.show()

    def _ask(self) -> None:
        self.hide()
        self.wanted.emit(self._request)


_INTRODUCTION = (
    "Deskhand reads the mail and the calendars that you connect here. It shows you everything it"
    " would send or change, and waits for your answer."
)
_LAYOUT_DELAY = 30  # milliseconds after which what was shown has its place
_SCROLL_MARGIN = 12  # pixels that are seen around a part
_SIDE_WIDTH = 220  # pixels beside the page, for the list of pages and the edges of the window


class AccountsPage(QScrollArea):
    """Everything about accounts on one page; what is asked for is done elsewhere.

    Signals:
        row_added: A row for an account was made: its AccountRow, to be connected.
        google_wanted: A Google account should be connected.
        mail_wanted: Mail on this computer should be connected.
    """

    row_added = Signal(object)
    google_wanted = Signal()
    mail_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, AccountRow] = {}
        self._listing: tuple[tuple[AccountStatus, ...], bool] = ((), False)
        self.google, self.smtp = GoogleForm(), SmtpForm()
        self.keeping, self.again = SecretStoreView(), AskAgainBar()
        self._ways = (self.google, self.smtp)
        self._sheet = QWidget()
        self._listed = QVBoxLayout()
        self._listed.setSpacing(8)
        self._note = text_label()
        self._connect_google = push_button("Connect Google…")
        self._connect_mail = push_button("Mail on this computer…")
        self._connect_smtp = push_button("Send by SMTP…")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bringing = QTimer(self)
        self._bringing.setSingleShot(True)
        self._bringing.setInterval(_LAYOUT_DELAY)
        self._brought = (self._sheet, self._sheet)
        self._lay_out()
        self._connect()
        self.show_note("")
        self.again.hide()
        self.close_ways()

    def _lay_out(self) -> None:
        self._sheet.setObjectName("settingsPage")
        column = QVBoxLayout(self._sheet)
        column.setContentsMargins(28, 22, 28, 28)
        column.setSpacing(10)
        column.addWidget(text_label("Accounts", "page"))
        column.addWidget(text_label(_INTRODUCTION, "muted"))
        column.addSpacing(4)
        column.addWidget(self.again)
        column.addLayout(self._listed)
        column.addWidget(self._note)
        column.addSpacing(4)
        column.addLayout(
            horizontal_row(self._connect_google, self._connect_mail, self._connect_smtp, None)
        )
        for way in self._ways:
            column.addWidget(way)
        column.addSpacing(18)
        column.addWidget(text_label("Where sign-ins are kept", "heading"))
        column.addWidget(self.keeping)
        column.addStretch(1)
        self.setWidget(self._sheet)

    def _connect(self) -> None:
        self._connect_google.clicked.connect(self.google_wanted)
        self._connect_mail.clicked.connect(self.mail_wanted)
        self._connect_smtp.clicked.connect(self.begin_smtp)
        for way in self._ways:
            way.left.connect(self.close_ways)
        self.google.moved.connect(lambda step: self._bring(step, self.google))
        self.keeping.asked.connect(lambda: self._bring(self.keeping, self.keeping))
        self._bringing.timeout.connect(self._scroll)

    def showEvent(self, event: QShowEvent) -> None:
        """Be wide enough that nothing is cut off, now that the fonts are known."""
        super().showEvent(event)
        bar = self.verticalScrollBar().sizeHint().width()
        room = self.screen().availableSize().width() - _SIDE_WIDTH
        self.setMinimumWidth(min(self._sheet.minimumSizeHint().width() + bar, room))

    def show_accounts(self, accounts: "Sequence[AccountStatus]", *, is_sample: bool) -> None:
        """List what is connected, where something differs; a test that is shown stays."""
        if (tuple(accounts), is_sample) == self._listing:
            return
        self._listing = (tuple(accounts), is_sample)
        kept = {name: row.test for name, row in self.rows.items()}
        for row in self.rows.values():
            row.hide()
            row.deleteLater()
        self.rows = {
            each.name: AccountRow(each, kept.get(each.name), is_sample=is_sample)
            for each in accounts
        }
        for row in self.rows.values():
            self._listed.addWidget(row)
            self.row_added.emit(row)

    def show_note(self, words: str) -> None:
        """Say something under the list, until something else is done there."""
        self._note.setText(words)
        self._note.setVisible(bool(words))

    def open_google(self) -> None:
        """Show the form for Google, to be begun."""
        self._open(self.google)

    def begin_smtp(self) -> None:
        """Ask for a way to send."""
        self._open(self.smtp)
        self.smtp.begin()

    def change_smtp(self, account: "Account") -> None:
        """Ask for the password of a way to send that is there."""
        self._open(self.smtp)
        self.smtp.begin(account)

    def show_keeping(self) -> None:
        """Go to where sign-ins are kept."""
        self.keeping.focus()
        self._bring(self.keeping, self.keeping)

    def show_ways(self) -> None:
        """Go to what can be connected."""
        self._connect_google.setFocus()

    def show_account(self, name: str) -> None:
        """Go to an account."""
        if name in self.rows:
            self.rows[name].focus()
            self._bring(self.rows[name], self.rows[name])

    def close_ways(self) -> None:
        """Connect nothing for now."""
        for way in self._ways:
            way.hide()

    def _open(self, way: QWidget) -> None:
        for before in self._ways:
            if not before.isHidden():
                before.left.emit()  # with what it began
        self.show_note("")
        way.show()
        self._bring(way, way)

    def _bring(self, first: QWidget, last: QWidget) -> None:
        """Have what goes from one part to the end of another seen, once it is laid out."""
        self._brought = (first, last)
        self._bringing.start()

    def _scroll(self) -> None:
        """Scroll no further than needed, and never past the beginning of what is to be seen."""
        first, last = self._brought
        top = first.mapTo(self._sheet, QPoint(0, 0)).y() - _SCROLL_MARGIN
        bottom = last.mapTo(self._sheet, QPoint(0, last.height())).y() + _SCROLL_MARGIN
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setValue(min(top, max(bar.value(), bottom - height)))
