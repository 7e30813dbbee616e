"""A permission choice: what Deskhand may do in a Google account, to tick."""

from collections.abc import Collection

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.choices import Tick
from gui.settings.sentence import sentence
from tools.accounts.google.permissions import Permission

_LATER = (
    "What you leave out can be allowed at any time, also when something first needs it. Deskhand"
    " asks before it sends or changes anything, whatever is ticked here."
)


class PermissionChoice(QWidget):
    """A box for each permission; what cannot be left out, or is there already, stays ticked."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks = {each: Tick(_capital(each.words)) for each in Permission}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for tick in self._ticks.values():
            column.addWidget(tick)
        column.addSpacing(6)
        column.addWidget(sentence(_LATER, "muted"))
        self.show_granted(())

    @property
    def chosen(self) -> frozenset[Permission]:
        """What is ticked."""
        return frozenset(each for each, tick in self._ticks.items() if tick.isChecked())

    def show_granted(
        self, granted: Collection[Permission], wanted: Collection[Permission] = ()
    ) -> None:
        """Show what is allowed already, with what is wanted ticked; reading always is."""
        fixed = {Permission.READ_MAIL, *granted}
        for each, tick in self._ticks.items():
            tick.setChecked(each in fixed or each in wanted)
            tick.setEnabled(each not in fixed)

    def focus(self) -> None:
        """Go to the first that can be ticked."""
        next((one for one in self._ticks.values() if one.isEnabled()), self).setFocus()


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
