"""SMTP form: a sender address with its app password and server."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QLineEdit, QVBoxLayout

from assistant.settings.account_settings import MAX_PORT, Account
from gui.settings.form_widgets import FormField, horizontal_row, link_label, push_button, text_label
from gui.widgets.choice_buttons import ThemedRadioButton
from tools.mail.smtp.smtp_server import SmtpSecurity

_APP_PASSWORDS = "https://myaccount.google.com/apppasswords"
_INTRODUCTION = (
    "Mail is sent through a server with your address and an app password; to read mail, connect"
    " it in another way. Every mail is shown to you before it is sent."
)
_APP_PASSWORD_HINT = (
    "For Gmail, make an app password: 16 letters that only this program uses. It needs 2-Step"  # noqa: S105 — a hint
    " Verification."
)
_SECURITIES: tuple[tuple[str, SmtpSecurity], ...] = (
    ("STARTTLS (usual at port 587)", "starttls"),
    ("TLS from the start (usual at port 465)", "tls"),
)
_PORTS: dict[SmtpSecurity, str] = {"starttls": "587", "tls": "465"}


class SmtpForm(QFrame):
    """Asks for a way out.

    Signals:
        filled: Everything is there: Account of the kind "smtp", without a name where it is a new
            one, and the password.
        link_wanted: A page that helps should be opened: its address.
        left: It should be closed.
    """

    filled = Signal(object, str)
    link_wanted = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self._named = ""  # what the account that is changed is called
        self._title = QLabel("Send by SMTP")
        self._title.setObjectName("heading")
        self._address, self._password, self._host = QLineEdit(), QLineEdit(), QLineEdit()
        self._port = QLineEdit()
        self._securities = {security: ThemedRadioButton(words) for words, security in _SECURITIES}
        self.address = FormField("Your address", self._address)
        self.password = FormField("App password", self._password)
        self.host = FormField("Server", self._host)
        self.port = FormField("Port", self._port, width=120)
        self._doing = text_label("", "muted")
        self._go, self._leave = push_button("Connect", "primary"), push_button("Cancel")
        self._set_up()
        self._connect()

    def _set_up(self) -> None:
        self._address.setPlaceholderText("you@gmail.com")
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        how = link_label(_APP_PASSWORD_HINT, ("make an app password", _APP_PASSWORDS), name="muted")
        how.linkActivated.connect(self.link_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(12)
        for part in (
            self._title,
            text_label(_INTRODUCTION, "muted"),
            self.address,
            self.password,
            how,
            self.host,
        ):
            column.addWidget(part)
        column.addLayout(self._security())
        column.addWidget(self.port)
        column.addWidget(self._doing)
        column.addLayout(horizontal_row(None, self._leave, self._go))

    def _connect(self) -> None:
        self._go.clicked.connect(self._finish)
        self._leave.clicked.connect(self.left)
        for each in self._securities.values():
            each.clicked.connect(self._suggest_port)
        for line in self.findChildren(QLineEdit):
            line.returnPressed.connect(self._go.click)

    def begin(self, changed: Account | None = None) -> None:
        """Ask for a way out, or for the password of one that is there."""
        self._named = changed.name if changed and not changed.of_environment else ""
        self._title.setText(f"Change {changed.name}" if changed else "Send by SMTP")
        self._address.setText(changed.address if changed else "")
        self._password.clear()
        self._host.setText(changed.host if changed else Account.host)
        self._port.setText(str(changed.port) if changed else _PORTS["starttls"])
        self._securities[changed.security if changed else "starttls"].setChecked(True)
        self._forget_errors()
        self.show_doing("")
        (self._password if changed else self._address).setFocus()

    def show_doing(self, words: str) -> None:
        """Say what goes on; while something does nothing can be sent."""
        self._doing.setText(words)
        self._doing.setVisible(bool(words))
        self._go.setDisabled(bool(words))

    def show_error(self, words: str) -> None:
        """Say what is wrong with what was filled in."""
        self.show_doing("")
        self.password.show_error(words)
        self._password.setFocus()

    def _security(self) -> QVBoxLayout:
        """The two ways to make the connection safe, of which one is chosen."""
        group = QButtonGroup(self)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(text_label("Security"))
        for each in self._securities.values():
            group.addButton(each)
            column.addWidget(each)
        return column

    @property
    def _chosen(self) -> SmtpSecurity:
        return next(name for name, each in self._securities.items() if each.isChecked())

    def _suggest_port(self) -> None:
        if self._port.text() in {"", *_PORTS.values()}:
            self._port.setText(_PORTS[self._chosen])

    def _forget_errors(self) -> None:
        for field in (self.address, self.password, self.host, self.port):
            field.show_error("")

    def _finish(self) -> None:
        self._forget_errors()
        address, password = self._address.text().strip(), self._password.text().strip()
        host, port = self._host.text().strip(), self._port.text().strip()
        for field, is_there, words in (
            (self.address, "@" in address, "Give the address that the mail is sent from."),
            (self.password, password, "Give the app password of this address."),
            (self.host, host, "Give the name of the server, such as smtp.gmail.com."),
            (
                self.port,
                port.isdecimal() and 0 < int(port) <= MAX_PORT,
                "Give the port, as a rule 587 or 465.",
            ),
        ):
            if not is_there:
                field.show_error(words)
                field.entry.setFocus()
                return
        account = Account(
            self._named, "smtp", address=address, host=host, port=int(port), security=self._chosen
        )
        self.filled.emit(account, password)
