"""The planner menu: choice of the planning model, opened from the status line."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.models.model_registry import AvailableModel
    from assistant.settings.model_settings import PlannerKind

_MAX_NAME_LENGTH = 60  # characters of a name


class PlannerMenu(QMenu):
    """Lists the built-in planner and all models.

    Signals:
        model_chosen: A model was chosen for planning: its name.
        planner_chosen: Another planner was chosen: its kind.
        settings_requested: The settings should open at a remedy, or at "" for none.
    """

    model_chosen = Signal(str)
    planner_chosen = Signal(str)
    settings_requested = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Planner")

    def show_models(self, models: "Sequence[AvailableModel]", planner: "PlannerKind") -> None:
        """List the models, with the one that plans checked."""
        self.clear()
        plans = any(one.plans for one in models) and planner != "built-in"
        group = QActionGroup(self)
        built_in = self.addAction("Built-in planner")
        built_in.triggered.connect(lambda: self.planner_chosen.emit("built-in"))
        choices = [(built_in, not plans)]
        for one in models:
            action = self.addAction(_title(one))
            action.triggered.connect(lambda _=False, name=one.name: self.model_chosen.emit(name))
            choices.append((action, plans and one.plans))
        for action, chosen in choices:
            action.setCheckable(True)
            action.setActionGroup(group)
            action.setChecked(chosen)
        self.addSeparator()
        steps = self.addAction("Plan step by step")
        steps.setCheckable(True)
        steps.setEnabled(plans)
        steps.setChecked(plans and planner == "stepwise")
        steps.triggered.connect(
            lambda on: self.planner_chosen.emit("stepwise" if on else "written")
        )
        self.addSeparator()
        self.addAction("Connect a model…", lambda: self.settings_requested.emit("connect_model"))
        self.addAction("Model settings…", lambda: self.settings_requested.emit(""))


def _title(offered: "AvailableModel") -> str:
    where = f"on {offered.where}" if offered.configured.is_local else offered.where
    name = offered.configured.title
    if len(name) > _MAX_NAME_LENGTH:
        name = f"{name[: _MAX_NAME_LENGTH // 2]}…{name[-_MAX_NAME_LENGTH // 2 :]}"
    return f"{name} · {where}".replace("&", "&&")
