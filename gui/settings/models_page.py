"""Models page: connected models, forms to connect more, the planner, and the spending cap."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from gui.settings.form_widgets import horizontal_row, push_button, text_label
from gui.settings.local_servers import LocalServerList
from gui.settings.model_file_form import ModelFileForm
from gui.settings.model_row import ModelRow
from gui.settings.model_server_form import ModelServerForm
from gui.settings.planner_choice import PlannerChoice
from gui.settings.settings_page import SettingsPage
from gui.settings.spending_cap import SpendingCap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.models.model_registry import AvailableModel
    from assistant.models.spending import SpendingStatus
    from assistant.settings.model_settings import ConfiguredModel, PlanningSettings

_INTRODUCTION = (
    "A language model understands requests in your own words and writes summaries and replies."
    " With one on this computer everything stays here. One on a server gets what you ask, and the"
    " mail it is to write about."
)
_NO_MODEL_TEXT = (
    "No model is connected. The built-in planner understands certain phrases without one."
)


class ModelsPage(SettingsPage):
    """All settings about models; controllers carry them out.

    Signals:
        look_wanted: Model servers on this computer should be searched for.
    """

    look_wanted = Signal()

    def __init__(self) -> None:
        self.local, self.server, self.file = LocalServerList(), ModelServerForm(), ModelFileForm()
        super().__init__(self.local, self.server, self.file)
        self.rows: dict[str, ModelRow] = {}
        self.planner, self.cap = PlannerChoice(), SpendingCap()
        self.no_model = text_label(_NO_MODEL_TEXT)
        look = push_button("Look on this computer")
        server, file = push_button("Another server…"), push_button("A model file…")
        self._lay_out(
            "Models",
            _INTRODUCTION,
            self._list,
            self.no_model,
            self.note,
            4,
            horizontal_row(look, server, file, None),
            self.local,
            self.server,
            self.file,
            18,
            text_label("Planning", "heading"),
            self.planner,
            18,
            text_label("Spending", "heading"),
            self.cap,
        )
        look.clicked.connect(self.look)
        server.clicked.connect(self.begin_server)
        file.clicked.connect(self.begin_file)

    def show_models(self, models: "Sequence[AvailableModel]") -> None:
        """List the models; shown test results stay."""
        before = self.rows
        results = {name: row.results for name, row in before.items()}
        self.rows = {each.name: ModelRow(each, results.get(each.name)) for each in models}
        self._replace_rows(before.values(), self.rows.values())
        self.no_model.setHidden(bool(models))

    def show_planning(
        self, planning: "PlanningSettings", spending: "SpendingStatus", *, has_model: bool
    ) -> None:
        """Show the planner and this month's spending."""
        self.planner.show_planning(planning, has_model=has_model)
        self.cap.show_status(spending)

    def look(self) -> None:
        """Search for model servers on this computer."""
        self._open(self.local)
        self.look_wanted.emit()

    def begin_server(self) -> None:
        """Show the form for a new model on a server."""
        self._open(self.server)
        self.server.begin()

    def begin_file(self) -> None:
        """Show the form for a new model file."""
        self._open(self.file)
        self.file.begin()

    def change(self, model: "ConfiguredModel") -> None:
        """Show the form for changes to a model."""
        if model.file is not None:
            self._open(self.file)
            self.file.begin(model)
        else:
            self._open(self.server)
            self.server.begin(model)

    def show_cap(self) -> None:
        """Scroll to the spending cap, and focus it."""
        self._scroll_to(self.cap, self.cap)
        self.cap.focus()
