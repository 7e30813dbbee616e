"""The status line: account, background progress, spending and planner."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QProgressBar

    from assistant.models.spending import SpendingStatus
    from tools.mail.mailbox import IndexingProgress

_MAX_PLANNER_WIDTH = 340  # pixels of the planner's name


class StatusLine(QWidget):
    """One line at the bottom of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setAccessibleName("Status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.account = _label("Account", "Getting ready…")
        self._progress_label = _label("Progress", "")
        self.spending = ElidedLabel("status")
        self.spending.setAccessibleName("Spending")
        self.planner = PlannerButton()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 2, 8, 3)
        self._row.setSpacing(12)
        self._row.addWidget(self.account)
        self._row.addStretch(1)
        self._row.addWidget(self._progress_label)
        self._row.addWidget(self.spending)
        self._row.addWidget(self.planner)

    def show_account(self, text: str) -> None:
        """Show the account, and whether data leaves the computer."""
        self.account.setText(text)

    def show_spending(self, status: "SpendingStatus") -> None:
        """Show the cost of models this month, if there is any."""
        costs = status.spent or status.unpriced or status.warning
        self.spending.setObjectName("statusWarning" if status.warning else "status")
        self.spending.show_text((status.warning or status.words) if costs else "")
        self.spending.style().polish(self.spending)
        self.spending.setVisible(bool(costs))

    def show_progress(self, progress: "IndexingProgress") -> None:
        """Show the progress of indexing an account; hide it when done."""
        running = progress.done < progress.total
        self._progress.setVisible(running)
        self._progress.setMaximum(max(progress.total, 1))
        self._progress.setValue(progress.done)
        done = f"{progress.done:,} of {progress.total:,}"
        self._progress_label.setText(f"Reading {progress.account}: {done}" if running else "")

    @cached_property
    def _progress(self) -> "QProgressBar":
        from PySide6.QtWidgets import QProgressBar  # noqa: PLC0415 — created on first use

        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setFixedSize(96, 4)
        bar.setAccessibleName("Progress of indexing")
        self._row.insertWidget(self._row.indexOf(self._progress_label) + 1, bar)
        return bar


class PlannerButton(QToolButton):
    """Shows the planner and opens the planner menu."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("planner")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.hide()

    def show_planner(self, name: str) -> None:
        """Show the name of the planner."""
        from gui.widgets.visible_text import literal_tooltip  # noqa: PLC0415 — not before the first paint

        middle = Qt.TextElideMode.ElideMiddle
        elided = self.fontMetrics().elidedText(name, middle, _MAX_PLANNER_WIDTH)
        self.setText(f"{elided} ▾".replace("&", "&&"))
        self.setToolTip(literal_tooltip(f"{name}\nChoose another planner"))
        self.setAccessibleName(f"Planner: {name}")
        self.show()


def _label(name: str, text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("status")
    label.setAccessibleName(name)
    return label
