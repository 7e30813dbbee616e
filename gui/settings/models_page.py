"""Models page: connected models, forms to connect more, the planner, and the spending cap."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gui.settings.form_widgets import horizontal_row, push_button
from gui.settings.local_servers import LocalServerList
from gui.settings.model_file_form import ModelFileForm
from gui.settings.model_row import ModelRow
from gui.settings.model_server_form import ModelServerForm
from gui.settings.planner_choice import PlannerChoice
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


class ModelsPage(QScrollArea):
    """Everything about models on one page; what is asked for is done elsewhere.

    Signals:
        look_wanted: Models on this computer should be looked for.
        row_added: A row for a model was made: its ModelRow, to be connected.
    """

    look_wanted = Signal()
    row_added = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, ModelRow] = {}
        self.found, self.server, self.file = LocalServerList(), ModelServerForm(), ModelFileForm()
        self.planner, self.cap = PlannerChoice(), SpendingCap()
        self._ways = (self.found, self.server, self.file)
        self._sheet = QWidget()
        self._listed = QVBoxLayout()
        self._listed.setSpacing(8)
        self._none, self._note = _label(_NO_MODEL_TEXT, "told"), _label("", "told")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._lay_out()
        self._connect()
        self.show_note("")
        self.close_ways()

    def _lay_out(self) -> None:
        self._sheet.setObjectName("settingsPage")
        column = QVBoxLayout(self._sheet)
        column.setContentsMargins(28, 22, 28, 28)
        column.setSpacing(10)
        look, elsewhere, file = (
            push_button("Look on this computer"),
            push_button("Another server…"),
            push_button("A model file…"),
        )  # fmt: skip
        look.clicked.connect(self.look)
        elsewhere.clicked.connect(self.begin_server)
        file.clicked.connect(self.begin_file)
        column.addWidget(_label("Models", "page"))
        column.addWidget(_label(_INTRODUCTION, "muted"))
        column.addSpacing(4)
        column.addLayout(self._listed)
        column.addWidget(self._none)
        column.addWidget(self._note)
        column.addSpacing(4)
        column.addLayout(horizontal_row(look, elsewhere, file, None))
        for way in self._ways:
            column.addWidget(way)
        for title, part in (("Planning", self.planner), ("Spending", self.cap)):
            column.addSpacing(18)
            column.addWidget(_label(title, "heading"))
            column.addWidget(part)
        column.addStretch(1)
        self.setWidget(self._sheet)

    def _connect(self) -> None:
        self.found.look_wanted.connect(self.look_wanted)
        for way in self._ways:
            way.left.connect(self.close_ways)

    def showEvent(self, event: QShowEvent) -> None:
        """Be wide enough that nothing is cut off, now that the fonts are known."""
        super().showEvent(event)
        bar = self.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(self._sheet.minimumSizeHint().width() + bar)

    def show_models(self, models: "Sequence[AvailableModel]") -> None:
        """List what is connected; a trial that is shown stays."""
        kept = {name: row.trial for name, row in self.rows.items()}
        for row in self.rows.values():
            row.hide()
            row.deleteLater()
        self.rows = {each.name: ModelRow(each, kept.get(each.name)) for each in models}
        for row in self.rows.values():
            self._listed.addWidget(row)
            self.row_added.emit(row)
        self._none.setHidden(bool(models))

    def show_note(self, words: str) -> None:
        """Say something under the list, until something else is done there."""
        self._note.setText(words)
        self._note.setVisible(bool(words))

    def show_planning(
        self, planning: "PlanningSettings", standing: "SpendingStatus", *, has_model: bool
    ) -> None:
        """Show who plans and where the month stands."""
        self.planner.show_planning(planning, has_model=has_model)
        self.cap.show_standing(standing)

    def look(self) -> None:
        """Look for models on this computer."""
        self._open(self.found)
        self.look_wanted.emit()

    def begin_server(self) -> None:
        """Ask for a model on a server."""
        self._open(self.server)
        self.server.begin()

    def begin_file(self) -> None:
        """Ask for a model file."""
        self._open(self.file)
        self.file.begin()

    def change(self, model: "ConfiguredModel") -> None:
        """Ask what is to be another about a model."""
        if model.file is not None:
            self._open(self.file)
            self.file.begin(model)
        else:
            self._open(self.server)
            self.server.change(model)

    def show_cap(self) -> None:
        """Go to what models may cost."""
        self.ensureWidgetVisible(self.cap)
        self.cap.focus()

    def close_ways(self) -> None:
        """Connect nothing for now."""
        for way in self._ways:
            way.hide()

    def _open(self, way: QWidget) -> None:
        self.close_ways()
        self.show_note("")
        way.show()
        self.ensureWidgetVisible(way)


def _label(words: str, name: str) -> QLabel:
    label = QLabel(words)
    label.setObjectName(name)
    label.setWordWrap(True)
    return label
