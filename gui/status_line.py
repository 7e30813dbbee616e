"""The status line: whose mail is worked on, who plans, and what goes on in the background."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QProgressBar

    from tools.mail.mailbox import Progress


class StatusLine(QWidget):
    """One quiet line at the foot of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setAccessibleName("Status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._account = _label("Account", "Getting ready…")
        self._doing = _label("Going on", "")
        self._planner = _label("Planner", "")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 5, 16, 6)
        self._row.setSpacing(12)
        self._row.addWidget(self._account)
        self._row.addStretch(1)
        self._row.addWidget(self._doing)
        self._row.addWidget(self._planner)

    def show_account(self, words: str) -> None:
        """Say whose mail is worked on, and whether anything leaves the computer."""
        self._account.setText(words)

    def show_planner(self, words: str) -> None:
        """Say who turns requests into steps."""
        self._planner.setText(words)

    def show_progress(self, progress: "Progress") -> None:
        """Say how far the reading of an account is; nothing once it is done."""
        running = progress.done < progress.total
        self._progress.setVisible(running)
        self._progress.setMaximum(max(progress.total, 1))
        self._progress.setValue(progress.done)
        done = f"{progress.done:,} of {progress.total:,}"
        self._doing.setText(f"Reading {progress.account}: {done}" if running else "")

    @cached_property
    def _progress(self) -> "QProgressBar":
        from PySide6.QtWidgets import QProgressBar  # noqa: PLC0415 — not before it is needed

        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setFixedSize(96, 4)
        bar.setAccessibleName("Progress of indexing")
        self._row.insertWidget(self._row.indexOf(self._planner), bar)
        return bar


def _label(name: str, words: str) -> QLabel:
    label = QLabel(words)
    label.setObjectName("status")
    label.setAccessibleName(name)
    return label
