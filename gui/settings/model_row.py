"""Model row: one connected model with its uses, test and actions."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton

from gui.settings.check_results import CheckResults
from gui.settings.form_widgets import lay_out_column, menu_button, title_row

if TYPE_CHECKING:
    from assistant.models.model_registry import AvailableModel

_USES = ("planning", "writing")


class ModelRow(QFrame):
    """A framed row for a model.

    Signals:
        use_wanted: The model should be used, or no longer; emits "planning" or "writing", and
            whether it should.
        change_wanted: Its address and the like should be changed.
        removal_wanted: It should be removed from the settings.
    """

    use_wanted = Signal(str, bool)
    change_wanted = Signal()
    removal_wanted = Signal()

    def __init__(self, model: "AvailableModel", results: CheckResults | None = None) -> None:
        super().__init__()
        self.setObjectName("box")
        self.model = model
        self.results = results or CheckResults()
        lay_out_column(self, self._head(), self.results, spacing=2, margins=(14, 12, 12, 12))

    def _head(self) -> QHBoxLayout:
        model = self.model
        where = f"On {model.where}" if model.configured.is_local else model.where
        head = title_row(model.name, where, self._uses_button())
        self.test_button = self.results.test_button(model.name)
        head.addWidget(self.test_button)
        if not model.configured.of_environment:
            more = menu_button("•••", "more", f"More about {model.name}")
            more.menu().addAction("Change…", self.change_wanted.emit)
            more.menu().addAction("Remove…", self.removal_wanted.emit)
            head.addWidget(more)
        return head

    def _uses_button(self) -> QToolButton:
        used = dict(zip(_USES, (self.model.plans, self.model.writes), strict=True))
        words = " and ".join(use for use, is_used in used.items() if is_used)
        text = f"Used for {words}" if words else "Not used"
        button = menu_button(f"{text} ▾", "uses", f"{self.model.name}: {text}")
        for use, is_used in used.items():
            action = button.menu().addAction(f"Use for {use}")
            action.setCheckable(True)
            action.setChecked(is_used)
            action.triggered.connect(lambda on, use=use: self.use_wanted.emit(use, on))
        return button
