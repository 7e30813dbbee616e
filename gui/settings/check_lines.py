"""Check lines: what has to be in order, each with where it stands and what helps."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gui.settings.icon import Icon
from gui.settings.sentence import linked_sentence, sentence

if TYPE_CHECKING:
    from assistant.google_checks import Check

_MARKS = {
    "open": ("skip", "muted"),
    "doing": ("wait", "muted"),
    "done": ("check", "works"),
    "failed": ("cross-circle", "fails"),
}
_SPOKEN = {"open": "not yet", "doing": "under way", "done": "in order", "failed": "not in order"}


class CheckLines(QWidget):
    """A line for each check that was told, in the order they came.

    Signals:
        link_wanted: A page that helps should be opened: its address.
    """

    link_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.checks: dict[str, Check] = {}
        self._shown: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def begin(self) -> None:
        """Show nothing."""
        self.checks = {}
        self._show()

    def show_check(self, check: "Check") -> None:
        """Show where a check stands."""
        self.checks[check.key] = check
        self._show()

    def _show(self) -> None:
        if self._shown is not None:
            self._column.removeWidget(self._shown)
            self._shown.hide()
            self._shown.deleteLater()
        self._shown = QWidget()
        grid = QGridLayout(self._shown)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for row, check in enumerate(self.checks.values()):
            mark = Icon(*_MARKS[check.state])
            mark.setAccessibleName(_SPOKEN[check.state])
            grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._told(check), row, 1)
        self._column.addWidget(self._shown)
        self._shown.show()

    def _told(self, check: "Check") -> QWidget:
        made = QWidget()
        made.setAccessibleName(f"{check.title}: {_SPOKEN[check.state]}. {check.words}")
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(sentence(check.title, "strong"))
        if check.words:
            column.addWidget(sentence(check.words, "fails" if check.state == "failed" else "muted"))
        for link in check.links:
            told = linked_sentence(link.words, (link.words, link.url))
            told.linkActivated.connect(self.link_wanted)
            column.addWidget(told)
        return made
