"""The model controller: connects, tries and selects language models for the models page."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from assistant.model_client.language_model import ModelError
from assistant.model_client.model_discovery import PORTS, FoundServer, find_servers
from assistant.models.model_registry import AvailableModel, api_key_name
from assistant.settings.model_settings import NO_MODEL, ConfiguredModel
from assistant.workspace import Workspace
from gui.runs.agent_runner import BackgroundTasks
from gui.settings.model_row import ModelRow
from gui.settings.models_page import ModelsPage
from gui.widgets.message_box import confirm, show_message
from tools.tool_errors import Remedy, ToolError

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from assistant.model_client.model_discovery import ListedModel
    from assistant.model_client.model_probe import ProbeResult
    from assistant.models.model_registry import ModelRole
    from assistant.settings.model_settings import PlannerKind


class ModelFormController(QObject):
    """Handles the forms of the models page; each action runs as a task.

    Signals:
        changed: A model was connected, changed or tried.
    """

    changed = Signal()

    def __init__(
        self,
        page: ModelsPage,
        tasks: BackgroundTasks,
        workspace: Callable[[], Workspace],
        ports: Mapping[str, int],
    ) -> None:
        super().__init__(page)
        self._page = page
        self._start = tasks.start
        self._workspace = workspace
        self._ports = ports
        self._connect()

    def _connect(self) -> None:
        page, start = self._page, self._start
        for look in (page.look_wanted, page.local.submit.clicked):
            look.connect(lambda: start(self._look()))
        page.local.chosen.connect(lambda server, model: start(self._connect_found(server, model)))
        page.server.list_wanted.connect(lambda url, key: start(self._list(url, key)))
        page.server.submitted.connect(lambda model, key: start(self._connect_server(model, key)))
        page.file.file_named.connect(lambda path: start(self._describe(path)))
        page.file.submitted.connect(lambda model: start(self._connect_file(model)))

    async def probe(self, name: str) -> None:
        """Try a model and show beside it which features work."""

        def show_progress(text: str) -> None:
            if name in self._page.rows:
                self._page.rows[name].results.show_progress(text)

        try:
            result = await self._workspace().models.probe(name, show_progress)
        except ToolError as error:
            if name in self._page.rows:
                self._page.rows[name].results.show_failure(str(error))
        else:
            if name in self._page.rows:
                checks = [(check.works, check.words) for check in result.checks.values()]
                self._page.rows[name].results.show_result(checks, _probe_summary(result))
        self.changed.emit()  # trying a model may cost money

    async def _look(self) -> None:
        found = self._page.local
        found.show_looking(self._ports)
        servers = await find_servers(self._ports)
        known = {(one.url, one.model) for one in self._workspace().settings.models}
        found.show_found(self._ports, servers, known)

    async def _list(self, url: str, key: str | None) -> None:
        form = self._page.server
        form.show_progress("Asking this server for its models…")
        try:
            api_key = await self._stored_key(form.changed, url) if key is None else key
            form.show_listed(await self._workspace().models.list_models(url, api_key))
        except ModelError as error:
            about_key = error.remedy is Remedy.MODEL_KEY
            form.show_error(form.key if about_key else form.address, str(error))
        except ToolError as error:
            form.show_error(form.key, str(error))

    async def _stored_key(self, model: ConfiguredModel | None, url: str) -> str:
        """Return the stored key of a model, unless the address differs."""
        if model is None or model.url != url:
            return ""
        return await self._workspace().secrets.get(api_key_name(model))

    async def _connect_found(self, server: FoundServer, listed: "ListedModel") -> None:
        url = server.endpoint.url
        model = ConfiguredModel(listed.title, listed.id, url, context=listed.context)
        try:
            await self._connect_model(model, "", is_new=True)
        except ToolError as error:
            self._page.show_note(str(error))

    async def _connect_server(self, model: ConfiguredModel, key: str | None) -> None:
        form = self._page.server
        form.show_progress("Connecting…")
        try:
            await self._connect_model(model, key, is_new=form.changed is None)
        except ToolError as error:
            form.show_error(form.address, str(error))

    async def _connect_file(self, model: ConfiguredModel) -> None:
        form = self._page.file
        try:
            await self._connect_model(model, None, is_new=form.changed is None)
        except ToolError as error:
            form.show_error(str(error))

    async def _describe(self, path: Path) -> None:
        from assistant.model_client.local.model_file import read_model_file  # noqa: PLC0415 — an extra's

        try:
            self._page.file.show_file(await asyncio.to_thread(read_model_file, path))
        except ToolError as error:
            self._page.file.show_error(str(error))

    async def _connect_model(
        self, model: ConfiguredModel, key: str | None, *, is_new: bool
    ) -> None:
        """Store a model, select it if it is new, and try it."""
        workspace = self._workspace()
        if is_new:
            model = replace(model, name=_unique_name(model, workspace.models.available))
        message = await workspace.models.connect(model, key, "both" if is_new else None)
        if is_new and workspace.settings.planning.planner == "built-in":
            workspace.models.choose_planner("written")
        self._page.close_forms()
        self.changed.emit()
        if message:
            self._page.show_note(message)
        await self.probe(model.name)


def _unique_name(model: ConfiguredModel, others: Sequence[AvailableModel]) -> str:
    """Return the model's name, with its location or a number if the name is taken."""
    taken = {one.name for one in others}
    names = [model.name, f"{model.name} ({model.location})"]
    numbered = (f"{model.name} ({number})" for number in range(2, len(taken) + 3))
    return next(name for name in (*names, *numbered) if name not in taken)


def _probe_summary(result: "ProbeResult") -> str:
    context = f"Up to {result.context:,} tokens at once."
    return f"About {result.speed:.0f} tokens a second. {context}" if result.speed else context


_FROM_ENVIRONMENT = (
    "The model that plans comes from the environment: its key is OPENAI_API_KEY, its address"
    " OPENAI_BASE_URL, its name OPENAI_MODEL. Or connect a model here."
)


class ModelController(QObject):
    """Shows the model settings and changes them.

    Signals:
        changed: The model, the planner or the spending cap has changed.
    """

    changed = Signal()

    def __init__(
        self,
        window: "QWidget",
        tasks: BackgroundTasks,
        workspace: Callable[[], Workspace],
        ports: Mapping[str, int] = PORTS,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._workspace = workspace
        self.ports = ports
        self._page: ModelsPage | None = None

    def connect_page(self, page: "ModelsPage") -> None:
        """Handle the signals of the models page."""
        self._page = page
        forms = ModelFormController(page, self._tasks, self._workspace, self.ports)
        forms.changed.connect(self.show_change)
        page.row_added.connect(lambda row: self._connect_row(page, row, forms))
        page.planner.chosen.connect(self.choose_planner)
        page.planner.known_phrases.clicked.connect(self._choose_known_phrases)
        page.cap.chosen.connect(self._set_cap)

    def show(self, remedy: str = "") -> None:
        """Show the settings at the field of a remedy."""
        self.show_settings()
        if self._page is not None:
            self._show_remedy(self._page, remedy)

    def show_settings(self) -> None:
        """Show the current settings on the page."""
        if self._page is not None:
            workspace, page = self._workspace(), self._page
            page.show_models(workspace.models.available)
            has_model = workspace.settings.planning_model is not None
            page.show_planning(
                workspace.settings.planning, workspace.spending.status(), has_model=has_model
            )

    def use(self, name: str) -> None:
        """Use a model for planning, and for writing unless another one is chosen for that."""
        workspace = self._workspace()
        planning = next((one for one in workspace.models.available if one.plans), None)
        apart = planning is not None and not planning.writes
        self._change(lambda: workspace.models.choose(name, "planning" if apart else "both"))
        if workspace.settings.planning.planner == "built-in":
            self.choose_planner("written")

    def choose_planner(self, kind: "PlannerKind") -> None:
        """Use another planner."""
        self._change(lambda: self._workspace().models.choose_planner(kind))

    def _change(self, change: Callable[[], None]) -> None:
        try:
            change()
        except ToolError as error:
            show_message(self._window, "That did not work", str(error))
        self.show_change()

    def _connect_row(self, page: "ModelsPage", row: ModelRow, forms: ModelFormController) -> None:
        """Handle the buttons of a model."""
        model = row.model.configured
        row.use_wanted.connect(lambda use, on: self._use_for(model.name, use, wanted=on))
        row.test_button.clicked.connect(lambda: self._tasks.start(forms.probe(model.name)))
        row.change_wanted.connect(lambda: page.change(model))
        row.removal_wanted.connect(lambda: self._confirm_removal(page, model.name))

    def _show_remedy(self, page: "ModelsPage", remedy: str) -> None:
        """Open the form or field of a remedy, for the model that plans."""
        workspace = self._workspace()
        planning = workspace.settings.planning_model
        if remedy == Remedy.SPENDING_CAP:
            page.show_cap()
        elif remedy and not workspace.models.available:
            page.look()
        elif remedy and planning and planning.of_environment:
            page.show_note(_FROM_ENVIRONMENT)
        elif remedy not in {"", Remedy.CONNECT_MODEL} and planning:
            page.change(planning)
            page.server.go_to(remedy)

    def show_change(self) -> None:
        """Show a change on the page and emit `changed`."""
        self.show_settings()
        self.changed.emit()

    def _use_for(self, name: str, use: "ModelRole", *, wanted: bool) -> None:
        self._change(lambda: self._workspace().models.choose(name if wanted else NO_MODEL, use))

    def _choose_known_phrases(self, known: bool) -> None:  # noqa: FBT001 — a signal gives it
        self._change(lambda: self._workspace().models.choose_known_phrases(known=known))

    def _set_cap(self, monthly: Decimal | None) -> None:
        self._change(lambda: self._workspace().models.set_spending_cap(monthly))

    def _confirm_removal(self, page: "ModelsPage", name: str) -> None:
        confirm(
            page.window(),
            f"Remove {name}?",
            "Deskhand forgets its address, and its key is removed from the keyring.",
            "Remove",
            lambda: self._tasks.start(self._remove(page, name)),
        )

    async def _remove(self, page: "ModelsPage", name: str) -> None:
        try:
            await self._workspace().models.remove(name)
        except ToolError as error:
            self.show_change()
            page.show_note(str(error))
        else:
            self.show_change()
