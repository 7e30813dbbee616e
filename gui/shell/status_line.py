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
    """One quiet line at the foot of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setAccessibleName("Status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._account = _label("Account", "Getting ready…")
        self._doing = _label("Going on", "")
        self._spending = ElidedLabel("status")
        self._spending.setAccessibleName("Spending")
        self.planner = PlannerButton()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 2, 8, 3)
        self._row.setSpacing(12)
        self._row.addWidget(self._account)
        self._row.addStretch(1)
        self._row.addWidget(self._doing)
        self._row.addWidget(self._spending)
        self._row.addWidget(self.planner)

    def show_account(self, words: str) -> None:
        """Say whose mail is worked on, and whether anything leaves the computer."""
        self._account.setText(words)

    def show_spending(self, standing: "SpendingStatus") -> None:
        """Say what models cost this month, where they cost anything."""
        costs = standing.spent or standing.unpriced or standing.warning
        self._spending.setObjectName("statusWarning" if standing.warning else "status")
        self._spending.show_text((standing.warning or standing.words) if costs else "")
        self._spending.style().polish(self._spending)
        self._spending.setVisible(bool(costs))

    def show_progress(self, progress: "IndexingProgress") -> None:
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
        self._row.insertWidget(self._row.indexOf(self._doing) + 1, bar)
        return bar


class PlannerButton(QToolButton):
    """Names who plans, and opens the menu to choose another."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("planner")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.hide()

    def show_planner(self, words: str) -> None:
        """Say who turns requests into steps."""
        from gui.widgets.visible_text import literal_tooltip  # noqa: PLC0415 — not before the first paint

        middle = Qt.TextElideMode.ElideMiddle
        fitting = self.fontMetrics().elidedText(words, middle, _MAX_PLANNER_WIDTH)
        self.setText(f"{fitting} ▾".replace("&", "&&"))
        self.setToolTip(literal_tooltip(f"{words}\nChoose who plans"))
        self.setAccessibleName(f"Planner: {words}")
        self.show()


def _label(name: str, words: str) -> QLabel:
    label = QLabel(words)
    label.setObjectName("status")
    label.setAccessibleName(name)
    return label
