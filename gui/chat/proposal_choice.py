"""A proposal choice: what several proposals are called, to pick one, and the one that is picked."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QButtonGroup, QVBoxLayout, QWidget

from gui.chat.proposal_sheet import ProposalSheet, literal
from gui.chat.rendering import visible_line
from gui.chat.style import Style
from gui.choices import Option

if TYPE_CHECKING:
    from tools.tool import Choice, Proposal


class ProposalChoice(QWidget):
    """A list of which nothing is picked at first; below it, all of what is picked.

    Signals:
        picked: Another one is shown below: its proposal.
    """

    picked = Signal(object)

    def __init__(self, choice: "Choice[Any]", style: Style) -> None:
        super().__init__()
        self._style = style
        self._choice = choice
        self._sheet: QWidget | None = None
        self.options: list[Option] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(style.length(2))
        group = QButtonGroup(self)
        for name, proposal in choice.options:
            option = Option(visible_line(name))
            option.setFont(style.font)
            option.toggled.connect(partial(self._toggled, proposal))
            group.addButton(option)
            self.options.append(option)
            self._column.addWidget(option)

    def pick(self, proposal: "Proposal[Any]") -> None:
        """Pick one of them, as a click does."""
        for option, (_, offered) in zip(self.options, self._choice.options, strict=True):
            if offered is proposal:
                option.setChecked(True)

    def _toggled(self, proposal: "Proposal[Any]", on: bool) -> None:  # noqa: FBT001 — a signal gives it
        if on:
            self._show(proposal)

    def _show(self, proposal: "Proposal[Any]") -> None:
        if self._sheet is not None:
            self._column.removeWidget(self._sheet)
            self._sheet.hide()
            self._sheet.deleteLater()
        self._sheet = _titled(proposal, self._style)
        self._column.addWidget(self._sheet)
        self.picked.emit(proposal)


def _titled(proposal: "Proposal[Any]", style: Style) -> QWidget:
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, style.length(12), 0, 0)
    column.setSpacing(style.length(10))
    title = visible_line(proposal.title)
    column.addWidget(literal(title, "Title", style.sized(15, QFont.Weight.DemiBold), style))
    column.addWidget(ProposalSheet(proposal, style), 1)
    return made
