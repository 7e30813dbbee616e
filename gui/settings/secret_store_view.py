"""Secret store view: where sign-ins are stored, and the passphrase form for the encrypted file."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.settings.form_widgets import (
    FormField,
    TextIcon,
    horizontal_row,
    push_button,
    set_style_name,
    text_label,
)
from tools.accounts.encrypted_file import LOST_PASSPHRASE_WARNING, MIN_PASSPHRASE_LENGTH

if TYPE_CHECKING:
    from PySide6.QtWidgets import QPushButton

    from tools.accounts.secret_backend import SecretStoreStatus

_NEW_FILE_TITLE = "Keep sign-ins in a file with a passphrase"
_ADVICE = "Four or five words that do not belong together are hard to find out and easy to keep."
_GOOD_LENGTH = 20  # characters


class PassphraseForm(QFrame):
    """Asks for a passphrase.

    Signals:
        made: A file should be sealed with this passphrase.
        given: The file should be opened with this passphrase.
        left: It should be closed.
    """

    made = Signal(str)
    given = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self._is_new = True
        self._title = QLabel()
        self._title.setObjectName("heading")
        self._once, self._twice = QLineEdit(), QLineEdit()
        self.once, self.twice = (
            FormField("Passphrase", self._once),
            FormField("Once more", self._twice),
        )
        self._strength = text_label("", "muted")
        self._lost = text_label(LOST_PASSPHRASE_WARNING, "muted")
        self._go, self._leave = push_button("", "primary"), push_button("Cancel")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(12)
        for part in (self._title, self.once, self._strength, self.twice, self._lost):
            column.addWidget(part)
        column.addLayout(horizontal_row(None, self._leave, self._go))
        for line in (self._once, self._twice):
            line.setEchoMode(QLineEdit.EchoMode.Password)
            line.returnPressed.connect(self._go.click)
        self._once.textChanged.connect(self._judge)
        self._go.clicked.connect(self._finish)
        self._leave.clicked.connect(self.left)

    def ask_for_new(self) -> None:
        """Ask for the passphrase of a new file, or another one."""
        self._begin(_NEW_FILE_TITLE, "Seal the file", is_new=True)

    def ask_for_known(self) -> None:
        """Ask for the passphrase of the file that is there."""
        self._begin("Open the file with your sign-ins", "Open", is_new=False)

    def show_doing(self, words: str) -> None:
        """Say what goes on; it takes a moment on purpose."""
        self._strength.setText(words)
        self._strength.show()
        set_style_name(self._strength, "muted")
        self._go.setEnabled(False)

    def show_error(self, words: str) -> None:
        """Say what is wrong with the passphrase."""
        self._go.setEnabled(True)
        self._strength.setVisible(self._is_new)
        self.once.show_error(words)
        self._once.selectAll()
        self._once.setFocus()

    def _begin(self, title: str, verb: str, *, is_new: bool) -> None:
        self._is_new = is_new
        self._title.setText(title)
        self._go.setText(verb)
        self._go.setEnabled(True)
        for line, field in ((self._once, self.once), (self._twice, self.twice)):
            line.clear()
            field.show_error("")
        for part in (self.twice, self._lost, self._strength):
            part.setVisible(is_new)
        self._judge("")
        self._once.setFocus()

    def _judge(self, typed: str) -> None:
        words, name = passphrase_strength(typed)
        self._strength.setText(words)
        set_style_name(self._strength, name)

    def _finish(self) -> None:
        typed = self._once.text()
        self.once.show_error("")
        self.twice.show_error("")
        if not self._is_new:
            self.given.emit(typed)
        elif len(typed.strip()) < MIN_PASSPHRASE_LENGTH:
            self.show_error(f"At least {MIN_PASSPHRASE_LENGTH} characters are needed.")
        elif typed != self._twice.text():
            self.twice.show_error("The two are not the same.")
            self._twice.selectAll()
            self._twice.setFocus()
        else:
            self.made.emit(typed)


def passphrase_strength(typed: str) -> tuple[str, str]:
    """How hard a passphrase is to find out, in words, and the name of their colour."""
    length, kinds = len(typed.strip()), len(set(typed))
    if not typed:
        return _ADVICE, "muted"
    if length < MIN_PASSPHRASE_LENGTH:
        return f"Too short: {MIN_PASSPHRASE_LENGTH - length} more characters. {_ADVICE}", "warns"
    if kinds < MIN_PASSPHRASE_LENGTH // 2:
        return f"Weak: it repeats itself. {_ADVICE}", "warns"
    if length < _GOOD_LENGTH and len(typed.split()) < 4:
        return f"Fair. {_ADVICE}", "muted"
    return "Good.", "works"


_LOADING_TEXT = "Looking for the keyring of this computer…"


class SecretStoreView(QWidget):
    """A line that says where, and the buttons that make sense there.

    Signals:
        session_wanted: Sign-ins should be kept until the program ends.
        look_wanted: It should be looked again whether the keyring can be used.
        asked: A passphrase is asked for now.
    """

    session_wanted = Signal()
    look_wanted = Signal()
    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._keeping: SecretStoreStatus | None = None
        self.passphrase = PassphraseForm()
        self._words = text_label(_LOADING_TEXT)
        self._mark: QWidget = TextIcon("wait", "muted")
        self._line = QGridLayout()
        self._line.setHorizontalSpacing(8)
        self._line.setColumnStretch(1, 1)
        self._line.addWidget(self._mark, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._line.addWidget(self._words, 0, 1)
        self._open = push_button("Open the file…")
        self._again = push_button("Look again")
        self._session = push_button("Keep for this session only")
        self._seal = push_button("Keep in a file with a passphrase…")
        self._change = push_button("Change the passphrase…")
        self._buttons = (self._open, self._again, self._session, self._seal, self._change)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(self._line)
        column.addLayout(horizontal_row(*self._buttons, None))
        column.addWidget(self.passphrase)
        self._connect()
        self._offer()
        self.passphrase.hide()

    def _connect(self) -> None:
        self._open.clicked.connect(self.open)
        self._again.clicked.connect(self.look_wanted)
        self._session.clicked.connect(self.session_wanted)
        self._seal.clicked.connect(self.seal)
        self._change.clicked.connect(self.seal)
        self.passphrase.left.connect(self.passphrase.hide)

    def show_keeping(self, keeping: "SecretStoreStatus") -> None:
        """Say where sign-ins are kept now, where that differs."""
        if keeping == self._keeping:
            return
        self._keeping = keeping
        self.passphrase.hide()
        self._words.setText(keeping.words)
        self._show_mark("check" if keeping.usable else "alert", keeping.usable)
        match keeping.kind, keeping.usable:
            case "sealed", True:
                self._offer(self._change)
            case "sealed", False:
                self._offer(self._open, self._session)
            case "session", _:
                self._offer(self._seal)
            case _, False:
                self._offer(self._again, self._seal, self._session)
            case _:
                self._offer()

    def open(self) -> None:
        """Ask for the passphrase of the file that is there."""
        self.passphrase.show()
        self.passphrase.ask_for_known()
        self.asked.emit()

    def seal(self) -> None:
        """Ask for the passphrase of a new file."""
        self.passphrase.show()
        self.passphrase.ask_for_new()
        self.asked.emit()

    def focus(self) -> None:
        """Go to what mends it."""
        if self._open in self._shown:
            self.open()
        elif self._shown:
            self._shown[0].setFocus()

    def _show_mark(self, drawing: str, usable: bool) -> None:  # noqa: FBT001
        old = self._mark
        self._mark = TextIcon(drawing, "works" if usable else "warns")
        self._line.replaceWidget(old, self._mark)
        old.hide()
        old.deleteLater()

    def _offer(self, *shown: "QPushButton") -> None:
        self._shown = shown
        for each in self._buttons:
            each.setVisible(each in shown)
