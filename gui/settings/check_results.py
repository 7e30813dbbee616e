"""Check results: the outcome of testing a model or an account, one line for each check."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gui.settings.form_widgets import TextIcon


class CheckResults(QWidget):
    """Lines with a mark each; nothing is shown before something was tried.

    Signals:
        trying: Something is being tried, or nothing any more.
    """

    trying = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.is_trying = False
        self._lines: list[QWidget] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 4, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self.hide()

    def show_doing(self, words: str) -> None:
        """Say what is being tried."""
        self._show([("wait", "muted", f"{words}…")], trying=True)

    def show_result(self, checks: Sequence[tuple[bool, str]], notes: str = "") -> None:
        """Say of each thing whether it works, and what else was found."""
        lines = [
            ("check", "works", words) if works else ("alert", "warns", words)
            for works, words in checks
        ]
        self._show([*lines, *([("info", "muted", notes)] if notes else [])])

    def show_failure(self, words: str) -> None:
        """Say why nothing could be tried."""
        self._show([("cross-circle", "fails", words)])

    def _show(self, lines: Sequence[tuple[str, str, str]], *, trying: bool = False) -> None:
        self.is_trying = trying
        self.trying.emit(trying)
        for old in self._lines:
            old.deleteLater()
        self._lines = []
        for row, (drawing, name, words) in enumerate(lines):
            told = QLabel(words)
            told.setTextFormat(Qt.TextFormat.PlainText)
            told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            told.setWordWrap(True)
            told.setObjectName("fails" if name == "fails" else "told")
            mark = TextIcon(drawing, name)
            self._grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(told, row, 1)
            self._lines += [mark, told]
        self.setAccessibleName("\n".join(words for _, _, words in lines))
        self.show()
