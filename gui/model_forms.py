"""The model forms: what they ask for is found, listed, taken up and tried out."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from assistant.model.errors import ModelError
from assistant.model.finding import FoundServer, find_servers
from assistant.models import OfferedModel, secret_name
from assistant.settings import ConfiguredModel
from assistant.workspace import Workspace
from gui.running import Tasks
from gui.settings.models_page import ModelsPage
from tools.remedy import Remedy
from tools.tool import ToolError

if TYPE_CHECKING:
    from assistant.model.listing import ListedModel
    from assistant.model.trial import Trial


class ModelForms(QObject):
    """Does what the forms of the page about models ask for; each piece is a task.

    Signals:
        changed: There is another model, or one is another.
    """

    changed = Signal()

    def __init__(
        self,
        page: ModelsPage,
        tasks: Tasks,
        workspace: Callable[[], Workspace],
        ports: Mapping[str, int],
    ) -> None:
        super().__init__(page)
        self._page = page
        self._start = tasks.start
        self._at = workspace
        self._ports = ports
        self._connect()

    def _connect(self) -> None:
        page, start = self._page, self._start
        page.look_wanted.connect(lambda: start(self._look()))
        page.found.chosen.connect(lambda server, model: start(self._take_found(server, model)))
        page.server.list_wanted.connect(lambda url, key: start(self._list(url, key)))
        page.server.filled.connect(lambda model, key: start(self._take_served(model, key)))
        page.file.described.connect(lambda path: start(self._describe(path)))
        page.file.filled.connect(lambda model: start(self._take_file(model)))

    async def try_out(self, name: str) -> None:
        """Try a model, and say beside it what works."""

        def tell(words: str) -> None:
            if name in self._page.rows:
                self._page.rows[name].trial.show_doing(words)

        try:
            trial = await self._at().try_model(name, tell)
        except ToolError as error:
            if name in self._page.rows:
                self._page.rows[name].trial.show_failure(str(error))
        else:
            if name in self._page.rows:
                checks = [(check.works, check.words) for check in trial.checks.values()]
                self._page.rows[name].trial.show_result(checks, _notes(trial))
        self.changed.emit()  # a trial may cost money

    async def _look(self) -> None:
        found = self._page.found
        found.show_looking(self._ports)
        servers = await find_servers(self._ports)
        known = {(one.url, one.model) for one in self._at().settings.models}
        found.show_found(self._ports, servers, known)

    async def _list(self, url: str, key: str | None) -> None:
        form = self._page.server
        form.show_doing("Asking this server for its models…", busy=True)
        try:
            asked = await self._kept_key(form.changed, url) if key is None else key
            form.show_listed(await self._at().models_at(url, asked))
        except ModelError as error:
            about_key = error.remedy is Remedy.MODEL_KEY
            form.show_error(form.key if about_key else form.address, str(error))
        except ToolError as error:
            form.show_error(form.key, str(error))

    async def _kept_key(self, model: ConfiguredModel | None, url: str) -> str:
        """The key of a model, for its own address alone."""
        if model is None or model.url != url:
            return ""
        return await self._at().secrets.get(secret_name(model))

    async def _take_found(self, server: FoundServer, listed: "ListedModel") -> None:
        url = server.address.url
        model = ConfiguredModel(listed.title, listed.id, url, context=listed.context)
        try:
            await self._take(model, "", is_new=True)
        except ToolError as error:
            self._page.show_note(str(error))

    async def _take_served(self, model: ConfiguredModel, key: str | None) -> None:
        form = self._page.server
        form.show_doing("Connecting…", busy=True)
        try:
            await self._take(model, key, is_new=form.changed is None)
        except ToolError as error:
            form.show_error(form.address, str(error))

    async def _take_file(self, model: ConfiguredModel) -> None:
        form = self._page.file
        try:
            await self._take(model, None, is_new=form.changed is None)
        except ToolError as error:
            form.show_error(str(error))

    async def _describe(self, path: Path) -> None:
        from assistant.model.local.file import read_local_file  # noqa: PLC0415 — an extra's

        try:
            self._page.file.show_file(await asyncio.to_thread(read_local_file, path))
        except ToolError as error:
            self._page.file.show_error(str(error))

    async def _take(self, model: ConfiguredModel, key: str | None, *, is_new: bool) -> None:
        """Keep a model, use it where it is new, and try it."""
        workspace = self._at()
        if is_new:
            model = replace(model, name=_free_name(model, workspace.models))
        words = await workspace.connect_model(model, key, "both" if is_new else None)
        if is_new and workspace.settings.planning.planner == "built-in":
            workspace.choose_planner("written")
        self._page.close_ways()
        self.changed.emit()
        if words:
            self._page.show_note(words)
        await self.try_out(model.name)


def _free_name(model: ConfiguredModel, others: Sequence[OfferedModel]) -> str:
    """The model's own name, or with its place where that is taken."""
    taken = {one.name for one in others}
    names = [model.name, f"{model.name} ({model.where})"]
    numbered = (f"{model.name} ({number})" for number in range(2, len(taken) + 3))
    return next(name for name in (*names, *numbered) if name not in taken)


def _notes(trial: "Trial") -> str:
    room = f"Up to {trial.context:,} tokens at once."
    return f"About {trial.speed:.0f} tokens a second. {room}" if trial.speed else room
