"""Model row: one connected model with its uses, test and actions."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout

from gui.settings.check_results import CheckResults
from gui.settings.form_widgets import push_button
from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from assistant.models.model_registry import AvailableModel

_USES = ("planning", "writing")


class ModelRow(QFrame):
    """A box with the name of a model.

    Signals:
        use_wanted: It should be used for this, "planning" or "writing", or not any more.
        trial_wanted: What it can do should be tried.
        change_wanted: Its address and the like should be changed.
        removal_wanted: It should be taken out of the settings.
    """

    use_wanted = Signal(str, bool)
    trial_wanted = Signal()
    change_wanted = Signal()
    removal_wanted = Signal()

    def __init__(self, offered: "AvailableModel", trial: CheckResults | None = None) -> None:
        super().__init__()
        self.setObjectName("box")
        self.offered = offered
        self.trial = trial or CheckResults()
        self._test = push_button("Test")
        self._test.setAccessibleName(f"Test {offered.name}")
        self._test.setDisabled(self.trial.is_trying)
        self._test.clicked.connect(self.trial_wanted)
        self.trial.trying.connect(self._test.setDisabled)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 12, 12)
        column.setSpacing(2)
        column.addLayout(self._head(offered))
        column.addWidget(self.trial)

    def _head(self, offered: "AvailableModel") -> QHBoxLayout:
        name, where = ElidedLabel("strong"), ElidedLabel("muted")
        name.show_text(offered.name)
        where.show_text(f"On {offered.where}" if offered.configured.is_here else offered.where)
        below = QHBoxLayout()
        below.setSpacing(0)
        below.addWidget(where)
        below.addWidget(self._uses(offered))
        below.addStretch(1)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(name)
        words.addLayout(below)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addLayout(words, 1)
        head.addWidget(self._test)
        if not offered.configured.of_environment:
            head.addWidget(self._more(offered.name))
        return head

    def _uses(self, offered: "AvailableModel") -> QToolButton:
        used = dict(zip(_USES, (offered.plans, offered.writes), strict=True))
        words = " and ".join(use for use, on in used.items() if on)
        told = f"Used for {words}" if words else "Not used"
        uses = _menu_button(f"{told} ▾", "uses")
        uses.setAccessibleName(f"{offered.name}: {told}")
        for use, on in used.items():
            action = uses.menu().addAction(f"Use for {use}")
            action.setCheckable(True)
            action.setChecked(on)
            action.triggered.connect(lambda on, use=use: self.use_wanted.emit(use, on))
        return uses

    def _more(self, name: str) -> QToolButton:
        more = _menu_button("•••", "more")
        more.setAccessibleName(f"More about {name}")
        more.menu().addAction("Change…", self.change_wanted.emit)
        more.menu().addAction("Remove…", self.removal_wanted.emit)
        return more


def _menu_button(text: str, name: str) -> QToolButton:
    made = QToolButton()
    made.setObjectName(name)
    made.setText(text)
    made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    made.setMenu(QMenu(made))
    return made
