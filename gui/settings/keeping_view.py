"""The keeping view: where sign-ins are kept, and what can be done where they are not safe yet."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gui.settings.buttons import button, row_of
from gui.settings.icon import Icon
from gui.settings.passphrase_form import PassphraseForm
from gui.settings.sentence import sentence

if TYPE_CHECKING:
    from PySide6.QtWidgets import QPushButton

    from tools.accounts.keeping import Keeping

_ASKING = "Looking for the keyring of this computer…"


class KeepingView(QWidget):
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
        self._keeping: Keeping | None = None
        self.passphrase = PassphraseForm()
        self._words = sentence(_ASKING)
        self._mark: QWidget = Icon("wait", "muted")
        self._line = QGridLayout()
        self._line.setHorizontalSpacing(8)
        self._line.setColumnStretch(1, 1)
        self._line.addWidget(self._mark, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._line.addWidget(self._words, 0, 1)
        self._open = button("Open the file…")
        self._again = button("Look again")
        self._session = button("Keep for this session only")
        self._seal = button("Keep in a file with a passphrase…")
        self._change = button("Change the passphrase…")
        self._buttons = (self._open, self._again, self._session, self._seal, self._change)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(self._line)
        column.addLayout(row_of(*self._buttons, None))
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

    def show_keeping(self, keeping: "Keeping") -> None:
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
        self._mark = Icon(drawing, "works" if usable else "warns")
        self._line.replaceWidget(old, self._mark)
        old.hide()
        old.deleteLater()

    def _offer(self, *shown: "QPushButton") -> None:
        self._shown = shown
        for each in self._buttons:
            each.setVisible(each in shown)
