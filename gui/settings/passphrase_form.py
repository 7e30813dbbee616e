"""The passphrase form: a passphrase for a sealed file, typed once to open it, twice to make it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QVBoxLayout

from gui.settings.buttons import button, row_of
from gui.settings.field import Field
from gui.settings.sentence import name_as, sentence
from tools.accounts.passphrase import SHORTEST
from tools.accounts.sealed_file import ONCE_LOST

_MAKING = "Keep sign-ins in a file with a passphrase"
_ADVICE = "Four or five words that do not belong together are hard to find out and easy to keep."
_GOOD = 20  # characters


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
        self.once, self.twice = Field("Passphrase", self._once), Field("Once more", self._twice)
        self._strength = sentence("", "muted")
        self._lost = sentence(ONCE_LOST, "muted")
        self._go, self._leave = button("", "primary"), button("Cancel")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(12)
        for part in (self._title, self.once, self._strength, self.twice, self._lost):
            column.addWidget(part)
        column.addLayout(row_of(None, self._leave, self._go))
        for line in (self._once, self._twice):
            line.setEchoMode(QLineEdit.EchoMode.Password)
            line.returnPressed.connect(self._go.click)
        self._once.textChanged.connect(self._judge)
        self._go.clicked.connect(self._finish)
        self._leave.clicked.connect(self.left)

    def ask_for_new(self) -> None:
        """Ask for the passphrase of a new file, or another one."""
        self._begin(_MAKING, "Seal the file", is_new=True)

    def ask_for_known(self) -> None:
        """Ask for the passphrase of the file that is there."""
        self._begin("Open the file with your sign-ins", "Open", is_new=False)

    def show_doing(self, words: str) -> None:
        """Say what goes on; it takes a moment on purpose."""
        self._strength.setText(words)
        self._strength.show()
        name_as(self._strength, "muted")
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
        words, name = strength_of(typed)
        self._strength.setText(words)
        name_as(self._strength, name)

    def _finish(self) -> None:
        typed = self._once.text()
        self.once.show_error("")
        self.twice.show_error("")
        if not self._is_new:
            self.given.emit(typed)
        elif len(typed.strip()) < SHORTEST:
            self.show_error(f"At least {SHORTEST} characters are needed.")
        elif typed != self._twice.text():
            self.twice.show_error("The two are not the same.")
            self._twice.selectAll()
            self._twice.setFocus()
        else:
            self.made.emit(typed)


def strength_of(typed: str) -> tuple[str, str]:
    """How hard a passphrase is to find out, in words, and the name of their colour."""
    length, kinds = len(typed.strip()), len(set(typed))
    if not typed:
        return _ADVICE, "muted"
    if length < SHORTEST:
        return f"Too short: {SHORTEST - length} more characters. {_ADVICE}", "warns"
    if kinds < SHORTEST // 2:
        return f"Weak: it repeats itself. {_ADVICE}", "warns"
    if length < _GOOD and len(typed.split()) < 4:
        return f"Fair. {_ADVICE}", "muted"
    return "Good.", "works"
