"""Check results: the outcome of testing a model or an account, one line for each check."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gui.settings.form_widgets import TextIcon, icon_text_grid, text_label


class CheckResults(QWidget):
    """Lines with an icon each; hidden before the first test.

    Signals:
        running: A test starts (True) or ends (False).
    """

    running = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.is_running = False
        self._lines: list[QWidget] = []
        self._grid = icon_text_grid(self, spacing=6)
        self._grid.setContentsMargins(0, 4, 0, 0)
        self.hide()

    def show_progress(self, text: str) -> None:
        """Show the test that is running."""
        self._show([("wait", "muted", f"{text}…")], running=True)

    def show_result(self, checks: Sequence[tuple[bool, str]], notes: str = "") -> None:
        """Show whether each check passed, with its text, and other findings."""
        lines = [
            ("check", "works", text) if passed else ("alert", "warns", text)
            for passed, text in checks
        ]
        self._show([*lines, *([("info", "muted", notes)] if notes else [])])

    def show_failure(self, text: str) -> None:
        """Show the reason why nothing could be tested."""
        self._show([("cross-circle", "fails", text)])

    def _show(self, lines: Sequence[tuple[str, str, str]], *, running: bool = False) -> None:
        self.is_running = running
        self.running.emit(running)
        for old in self._lines:
            old.deleteLater()
        self._lines = []
        for row, (drawing, name, text) in enumerate(lines):
            icon = TextIcon(drawing, name)
            label = text_label(text, "fails" if name == "fails" else "told")
            self._grid.addWidget(icon, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(label, row, 1)
            self._lines += [icon, label]
        self.setAccessibleName("\n".join(text for _, _, text in lines))
        self.show()
