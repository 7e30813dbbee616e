"""SMTP form: a sender address with its app password and server."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QVBoxLayout

from assistant.settings.account_settings import MAX_PORT, Account
from gui.settings.form_fields import FormBox, LineField
from gui.settings.form_widgets import link_label, text_label
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


class SmtpForm(FormBox):
    """Asks for an SMTP account.

    Signals:
        submitted: The form is complete; emits an Account of the kind "smtp", without a name for a
            new one, and the password.
    """

    submitted = Signal(object, str)

    def __init__(self) -> None:
        super().__init__("Send by SMTP", "Connect")
        self._name = ""  # of the account that is changed
        self._securities = {security: ThemedRadioButton(text) for text, security in _SECURITIES}
        self.address = LineField("Your address", placeholder="you@gmail.com")
        self.password = LineField("App password", is_password=True)
        self.host = LineField("Server")
        self.port = LineField("Port", width=120)
        self.hint = link_label(
            _APP_PASSWORD_HINT, ("make an app password", _APP_PASSWORDS), name="muted"
        )
        self._lay_out(
            text_label(_INTRODUCTION, "muted"),
            self.address,
            self.password,
            self.hint,
            self.host,
            self._security_choice(),
            self.port,
        )
        self.submit.clicked.connect(self._submit)
        self._submit_on_enter()

    def begin(self, changed: Account | None = None) -> None:
        """Ask for a new account, or for the password of an existing one."""
        self._name = changed.name if changed and not changed.of_environment else ""
        self._title.setText(f"Change {changed.name}" if changed else "Send by SMTP")
        self.address.reset(changed.address if changed else "")
        self.password.reset()
        self.host.reset(changed.host if changed else Account.host)
        self.port.reset(str(changed.port) if changed else _PORTS["starttls"])
        self._securities[changed.security if changed else "starttls"].setChecked(True)
        self.show_progress("")
        (self.password if changed else self.address).line.setFocus()

    def show_error(self, text: str) -> None:
        """Show the server's error at the password."""
        self.show_progress("")
        self.password.show_error(text)
        self.password.line.setFocus()

    def _security_choice(self) -> QVBoxLayout:
        group = QButtonGroup(self)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(text_label("Security"))
        for button in self._securities.values():
            button.clicked.connect(self._suggest_port)
            group.addButton(button)
            column.addWidget(button)
        return column

    @property
    def _security(self) -> SmtpSecurity:
        return next(name for name, each in self._securities.items() if each.isChecked())

    def _suggest_port(self) -> None:
        if self.port.text in {"", *_PORTS.values()}:
            self.port.line.setText(_PORTS[self._security])

    def _submit(self) -> None:
        for field in (self.address, self.password, self.host, self.port):
            field.show_error("")
        port = self.port.text
        for field, is_valid, error in (
            (
                self.address,
                "@" in self.address.text,
                "Give the address that the mail is sent from.",
            ),
            (self.password, self.password.text, "Give the app password of this address."),
            (
                self.host,
                self.host.text,
                "Give the name of the server, such as smtp.gmail.com.",
            ),
            (
                self.port,
                port.isdecimal() and 0 < int(port) <= MAX_PORT,
                "Give the port, as a rule 587 or 465.",
            ),
        ):
            if not is_valid:
                field.show_error(error)
                field.line.setFocus()
                return
        account = Account(
            self._name,
            "smtp",
            address=self.address.text,
            host=self.host.text,
            port=int(port),
            security=self._security,
        )
        self.submitted.emit(account, self.password.text)
