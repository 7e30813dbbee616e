"""Secret store view: where sign-ins are stored, and the passphrase form for the encrypted file."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gui.settings.form_fields import FormBox, LineField
from gui.settings.form_widgets import (
    TextIcon,
    horizontal_row,
    icon_text_grid,
    lay_out_column,
    push_button,
    set_style_name,
    text_label,
)
from tools.accounts.encrypted_file import LOST_PASSPHRASE_WARNING, MIN_PASSPHRASE_LENGTH

if TYPE_CHECKING:
    from tools.accounts.secret_backend import SecretStoreStatus

_ADVICE = "Four or five words that do not belong together are hard to guess and easy to remember."
_GOOD_LENGTH = 20  # characters
_LOADING_TEXT = "Looking for the keyring of this computer…"


class PassphraseForm(FormBox):
    """Asks for a passphrase: twice for a new file, once for an existing one.

    Signals:
        chosen: A new file should be encrypted; emits the passphrase.
        entered: The existing file should be unlocked; emits the passphrase.
    """

    chosen = Signal(str)
    entered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._is_new = True
        self.passphrase = LineField("Passphrase", is_password=True)
        self.repeated = LineField("Repeat the passphrase", is_password=True)
        self._strength = text_label("", "muted")
        self._warning = text_label(LOST_PASSPHRASE_WARNING, "muted")
        self._lay_out(
            self.passphrase,
            self._strength,
            self.repeated,
            self._warning,
        )
        self.passphrase.line.textChanged.connect(self._show_strength)
        self.submit.clicked.connect(self._submit)
        self._submit_on_enter()

    def ask_for_new(self) -> None:
        """Ask for the passphrase of a new file, or a new one of the existing file."""
        self._begin("Keep sign-ins in a file with a passphrase", "Encrypt the file", is_new=True)

    def ask_for_known(self) -> None:
        """Ask for the passphrase of the existing file."""
        self._begin("Open the file with your sign-ins", "Open", is_new=False)

    def show_error(self, text: str) -> None:
        """Show an error at the passphrase."""
        self.show_progress("")
        self.passphrase.reject(text)

    def _begin(self, title: str, button_text: str, *, is_new: bool) -> None:
        self._is_new = is_new
        self._title.setText(title)
        self.submit.setText(button_text)
        self.show_progress("")
        self.passphrase.reset()
        self.repeated.reset()
        for part in (self.repeated, self._warning, self._strength):
            part.setVisible(is_new)
        self._show_strength("")
        self.passphrase.line.setFocus()

    def _show_strength(self, passphrase: str) -> None:
        text, name = passphrase_strength(passphrase)
        self._strength.setText(text)
        set_style_name(self._strength, name)

    def _submit(self) -> None:
        passphrase = self.passphrase.line.text()
        self.passphrase.show_error("")
        self.repeated.show_error("")
        if not self._is_new:
            self.entered.emit(passphrase)
        elif len(passphrase.strip()) < MIN_PASSPHRASE_LENGTH:
            self.show_error(f"At least {MIN_PASSPHRASE_LENGTH} characters are needed.")
        elif passphrase != self.repeated.line.text():
            self.repeated.reject("The passphrases differ.")
        else:
            self.chosen.emit(passphrase)


def passphrase_strength(passphrase: str) -> tuple[str, str]:
    """Rate a passphrase, in words and with the style name of their color."""
    length, distinct = len(passphrase.strip()), len(set(passphrase))
    if not passphrase:
        return _ADVICE, "muted"
    if length < MIN_PASSPHRASE_LENGTH:
        return f"Too short: {MIN_PASSPHRASE_LENGTH - length} more characters. {_ADVICE}", "warning"
    if distinct < MIN_PASSPHRASE_LENGTH // 2:
        return f"Weak: it repeats itself. {_ADVICE}", "warning"
    if length < _GOOD_LENGTH and len(passphrase.split()) < 4:
        return f"Fair. {_ADVICE}", "muted"
    return "Good.", "success"


class SecretStoreView(QWidget):
    """The status of the secret store, and the actions for it.

    Signals:
        passphrase_asked: The passphrase form was shown.
    """

    passphrase_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._status: SecretStoreStatus | None = None
        self.passphrase = PassphraseForm()
        self._words = text_label(_LOADING_TEXT)
        self._icon = TextIcon("wait", "muted")
        line = icon_text_grid()
        line.addWidget(self._icon, 0, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._words, 0, 1)
        self._unlock = push_button("Open the file…")
        self.check_button = push_button("Look again")
        self.session_button = push_button("Keep for this session only")
        self._encrypt = push_button("Keep in a file with a passphrase…")
        self._change = push_button("Change the passphrase…")
        self._buttons = (
            self._unlock,
            self.check_button,
            self.session_button,
            self._encrypt,
            self._change,
        )
        buttons = horizontal_row(*self._buttons, None)
        lay_out_column(self, line, buttons, self.passphrase, spacing=10)
        self._unlock.clicked.connect(self.ask_for_known)
        self._encrypt.clicked.connect(self.ask_for_new)
        self._change.clicked.connect(self.ask_for_new)
        self.passphrase.cancelled.connect(self.passphrase.hide)
        self._offer()
        self.passphrase.hide()

    def show_status(self, status: "SecretStoreStatus") -> None:
        """Show the status, where it changed."""
        if status == self._status:
            return
        self._status = status
        self.passphrase.hide()
        self._words.setText(status.words)
        self._icon.show_icon(*(("check", "success") if status.usable else ("alert", "warning")))
        match status.kind, status.usable:
            case "sealed", True:
                self._offer(self._change)
            case "sealed", False:
                self._offer(self._unlock, self.session_button)
            case "session", _:
                self._offer(self._encrypt)
            case _, False:
                self._offer(self.check_button, self._encrypt, self.session_button)
            case _:
                self._offer()

    def ask_for_known(self) -> None:
        """Ask for the passphrase of the existing file."""
        self.passphrase.show()
        self.passphrase.ask_for_known()
        self.passphrase_asked.emit()

    def ask_for_new(self) -> None:
        """Ask for the passphrase of a new file."""
        self.passphrase.show()
        self.passphrase.ask_for_new()
        self.passphrase_asked.emit()

    def focus(self) -> None:
        """Focus the remedy."""
        if self._unlock in self._offered:
            self.ask_for_known()
        elif self._offered:
            self._offered[0].setFocus()

    def _offer(self, *offered: QPushButton) -> None:
        self._offered = offered
        for each in self._buttons:
            each.setVisible(each in offered)
