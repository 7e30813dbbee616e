"""Spending cap: this month's model costs and their limit."""

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.settings.form_fields import LineField
from gui.settings.form_widgets import lay_out_column, push_button, set_style_name, text_label

if TYPE_CHECKING:
    from assistant.models.spending import SpendingStatus

_HINT = (
    "In US dollars. The status line warns from 80 % on; once the cap is reached, no paid model is"
    " used until next month. Leave it empty for no cap."
)
_WIDTH = 160


class SpendingCap(QWidget):
    """The costs of this month, and a field for their limit.

    Signals:
        chosen: Another limit was entered; emits a Decimal, or None for no limit.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._spent = text_label()
        save = push_button("Set")
        save.setAccessibleName("Set the monthly cap")
        self.field = LineField(
            "Monthly cap", _HINT, placeholder="No cap", button=save, width=_WIDTH
        )
        save.clicked.connect(self._choose)
        self.field.line.returnPressed.connect(self._choose)
        lay_out_column(self, self._spent, self.field, spacing=12)

    def show_status(self, status: "SpendingStatus") -> None:
        """Show the costs of this month and the limit."""
        self._spent.setText(status.warning or f"{status.words}.")
        set_style_name(self._spent, "warning" if status.warning else "normal")
        self.field.reset("" if status.cap is None else f"{status.cap:.2f}")

    def focus(self) -> None:
        """Focus the field."""
        self.field.line.setFocus()
        self.field.line.selectAll()

    def _choose(self) -> None:
        entered = self.field.text.removeprefix("$").replace(",", ".")
        if not entered:
            self.chosen.emit(None)
            return
        try:
            amount = Decimal(entered)
        except InvalidOperation:
            amount = Decimal(-1)
        if amount.is_finite() and amount >= 0:
            self.chosen.emit(amount)
        else:
            self.field.show_error("Give an amount such as 10 or 2.50, or leave it empty.")
