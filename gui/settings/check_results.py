"""Check results: the outcome of testing a model or an account, one line for each check."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from gui.settings.form_widgets import LineList, TextIcon, push_button, text_label


class CheckResults(LineList):
    """Lines with an icon each; hidden before the first test.

    Signals:
        running: A test starts (True) or ends (False).
    """

    running = Signal(bool)

    def __init__(self) -> None:
        super().__init__(spacing=6)
        self.setContentsMargins(0, 4, 0, 0)
        self.is_running = False
        self.hide()

    def test_button(self, name: str) -> QPushButton:
        """Return a button to test the model or account, disabled during a test."""
        button = push_button("Test")
        button.setAccessibleName(f"Test {name}")
        button.setDisabled(self.is_running)
        self.running.connect(button.setDisabled)
        return button

    def show_progress(self, text: str) -> None:
        """Show the test that is running."""
        self._show([("wait", "muted", f"{text}…")], running=True)

    def show_result(self, checks: Sequence[tuple[bool, str]], notes: str = "") -> None:
        """Show whether each check passed, with its text, and other findings."""
        lines = [
            ("check", "success", text) if passed else ("alert", "warning", text)
            for passed, text in checks
        ]
        self._show([*lines, *([("info", "muted", notes)] if notes else [])])

    def show_failure(self, text: str) -> None:
        """Show the reason why nothing could be tested."""
        self._show([("cross-circle", "error", text)])

    def _show(self, lines: Sequence[tuple[str, str, str]], *, running: bool = False) -> None:
        self.is_running = running
        self.running.emit(running)
        self.replace(
            (TextIcon(icon, name), text_label(text, "error" if name == "error" else "normal"))
            for icon, name, text in lines
        )
        self.setAccessibleName("\n".join(text for _, _, text in lines))
        self.show()
