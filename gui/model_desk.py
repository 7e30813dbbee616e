"""The model desk: what the settings and the picker about language models do to a workspace.

Imported with the desk, after the first paint.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from assistant.model.finding import PORTS
from assistant.settings import NOBODY
from assistant.workspace import Workspace
from gui import questions
from gui.model_forms import ModelForms
from gui.running import Tasks
from gui.settings.model_row import ModelRow
from tools.remedy import Remedy
from tools.tool import ToolError

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from assistant.models import Use
    from assistant.settings import PlannerKind
    from gui.settings.models_page import ModelsPage

_FROM_ENVIRONMENT = (
    "The model that plans comes from the environment: its key is OPENAI_API_KEY, its address"
    " OPENAI_BASE_URL, its name OPENAI_MODEL. Or connect a model here."
)


class ModelDesk(QObject):
    """Shows what is set about models, and changes it as the person wishes.

    Signals:
        changed: Another model or planner is to be used from now on, or spending has another cap.
    """

    changed = Signal()

    def __init__(
        self,
        window: "QWidget",
        tasks: Tasks,
        workspace: Callable[[], Workspace],
        ports: Mapping[str, int] = PORTS,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._at = workspace
        self._ports = ports
        self._page: ModelsPage | None = None

    def serve(self, page: "ModelsPage") -> None:
        """Do from now on what this page asks for."""
        self._page = page
        forms = ModelForms(page, self._tasks, self._at, self._ports)
        forms.changed.connect(self._tell)
        page.row_added.connect(lambda row: self._serve(page, row, forms))
        page.planner.chosen.connect(self.choose_planner)
        page.planner.known_phrases_chosen.connect(self._choose_known_phrases)
        page.cap.chosen.connect(self._set_cap)

    def show(self, remedy: str = "") -> None:
        """Show what is set, at the field that mends what is wrong."""
        self.show_what_is_set()
        if self._page is not None:
            self._go_to(self._page, remedy)

    def show_what_is_set(self) -> None:
        """Bring the page to what is set now."""
        if self._page is not None:
            workspace, page = self._at(), self._page
            page.show_models(workspace.models)
            has_model = workspace.settings.planning_model is not None
            page.show_planning(workspace.settings.planning, workspace.spending, has_model=has_model)

    def use(self, name: str) -> None:
        """Let a model plan, and write too where one did both before."""
        workspace = self._at()
        planning = next((one for one in workspace.models if one.plans), None)
        apart = planning is not None and not planning.writes
        self._change(lambda: workspace.choose_model(name, "planning" if apart else "both"))
        if workspace.settings.planning.planner == "built-in":
            self.choose_planner("written")

    def choose_planner(self, kind: "PlannerKind") -> None:
        """Let another planner plan."""
        self._change(lambda: self._at().choose_planner(kind))

    def _change(self, change: Callable[[], None]) -> None:
        try:
            change()
        except ToolError as error:
            questions.tell(self._window, "That did not work", str(error))
        self._tell()

    def _serve(self, page: "ModelsPage", row: ModelRow, forms: ModelForms) -> None:
        """Do what the buttons of a model say."""
        model = row.offered.configured
        row.use_wanted.connect(lambda use, on: self._use_for(model.name, use, wanted=on))
        row.trial_wanted.connect(lambda: self._tasks.start(forms.try_out(model.name)))
        row.change_wanted.connect(lambda: page.change(model))
        row.removal_wanted.connect(lambda: self._ask_about_removal(page, model.name))

    def _go_to(self, page: "ModelsPage", remedy: str) -> None:
        """Open what mends a thing; what is wrong is taken to be about the model that plans."""
        workspace = self._at()
        planning = workspace.settings.planning_model
        if remedy == Remedy.SPENDING_CAP:
            page.show_cap()
        elif remedy and not workspace.models:
            page.look()
        elif remedy and planning and planning.of_environment:
            page.show_note(_FROM_ENVIRONMENT)
        elif remedy not in {"", Remedy.CONNECT_MODEL} and planning:
            page.change(planning)
            page.server.go_to(remedy)

    def _tell(self) -> None:
        """Show what was changed, here and in the window."""
        self.show_what_is_set()
        self.changed.emit()

    def _use_for(self, name: str, use: "Use", *, wanted: bool) -> None:
        self._change(lambda: self._at().choose_model(name if wanted else NOBODY, use))

    def _choose_known_phrases(self, known: bool) -> None:  # noqa: FBT001 — a signal gives it
        self._change(lambda: self._at().choose_known_phrases(known=known))

    def _set_cap(self, monthly: Decimal | None) -> None:
        self._change(lambda: self._at().set_cap(monthly))

    def _ask_about_removal(self, page: "ModelsPage", name: str) -> None:
        words = "Deskhand forgets where it is, and its key is taken out of the keyring."
        start = self._tasks.start
        ask = questions.confirm
        ask(
            page.window(),
            f"Remove {name}?",
            words,
            "Remove",
            lambda: start(self._remove(page, name)),
        )

    async def _remove(self, page: "ModelsPage", name: str) -> None:
        words = ""
        try:
            await self._at().remove_model(name)
        except ToolError as error:
            words = str(error)
        self._tell()
        if words:
            page.show_note(words)
