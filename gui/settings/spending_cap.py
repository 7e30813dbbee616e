"""Spending cap: this month's model costs and their limit."""

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.settings.form_widgets import FormField, push_button

if TYPE_CHECKING:
    from assistant.models.spending import SpendingStatus

_HINT = (
    "In US dollars. From 80 % on the status line warns; when the cap is reached, no model that"
    " costs money is asked until next month. Leave it empty for none."
)

_WIDTH = 160


class SpendingCap(QWidget):
    """One field for the cap of a month.

    Signals:
        chosen: Another cap should hold: Decimal, or None for none.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._spent = QLabel()
        self._amount = QLineEdit()
        self._amount.setPlaceholderText("No cap")
        self._amount.returnPressed.connect(self._choose)
        keep = push_button("Set")
        keep.clicked.connect(self._choose)
        keep.setAccessibleName("Set the monthly cap")
        self.field = FormField("Monthly cap", self._amount, _HINT, beside=keep, width=_WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self._spent)
        column.addWidget(self.field)

    def show_standing(self, standing: "SpendingStatus") -> None:
        """Show where the month stands."""
        self._spent.setObjectName("warns" if standing.warning else "told")
        self._spent.setText(standing.warning or f"{standing.words}.")
        self._spent.style().polish(self._spent)
        self._amount.setText("" if standing.cap is None else f"{standing.cap:.2f}")
        self.field.show_error("")

    def focus(self) -> None:
        """Go to the field."""
        self._amount.setFocus()
        self._amount.selectAll()

    def _choose(self) -> None:
        typed = self._amount.text().strip().removeprefix("$").replace(",", ".")
        if not typed:
            self.chosen.emit(None)
            return
        try:
            amount = Decimal(typed)
        except InvalidOperation:
            amount = Decimal(-1)
        if amount.is_finite() and amount >= 0:
            self.chosen.emit(amount)
        else:
            self.field.show_error("Give an amount such as 10 or 2.50, or leave it empty.")
