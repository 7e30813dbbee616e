"""The Google controller: signs in to Google accounts for the Google form."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.runs.agent_runner import BackgroundTasks
from tools.accounts.google.oauth_client import GoogleClient, read_client_file
from tools.accounts.google.permissions import Permission
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from assistant.accounts.connections import AccountStatus
    from assistant.workspace import Workspace
    from gui.artifacts.opener import Opener
    from gui.settings.google_form import GoogleForm

ReopenWorkspace = Callable[[], Awaitable[None]]
"""Opens the workspace again after an account or a secret changed."""


class GoogleController(QObject):
    """Handles the signals of the Google form; each action runs as a task.

    Signals:
        changed: An account was added, or its permissions changed.
    """

    changed = Signal()

    def __init__(
        self,
        form: "GoogleForm",
        tasks: BackgroundTasks,
        workspace: "Callable[[], Workspace]",
        opener: "Opener",
        reopen: ReopenWorkspace,
    ) -> None:
        super().__init__(form)
        self._form = form
        self._workspace = workspace
        self._opener = opener
        self._reopen = reopen
        self._sign_in_task: asyncio.Task[None] | None = None
        start = tasks.start
        form.client.file_drop.chosen.connect(lambda path: start(self._read_client(path)))
        form.client.typed.connect(
            lambda id_, secret: start(self._store_client(GoogleClient(id_, secret)))
        )
        form.sign_in_wanted.connect(lambda name, may: start(self._sign_in(name, may)))
        form.wait.stop.clicked.connect(self._cancel)
        form.cancelled.connect(self.stop)
        form.client.link_wanted.connect(opener.browse)
        form.wait.open_wanted.connect(opener.browse)
        form.checks.link_wanted.connect(opener.open_link)
        for step in form.steps:
            step.summary.linkActivated.connect(opener.open_link)

    def begin(self) -> None:
        """Connect a new account."""
        self.stop()
        self._form.begin(self._client_id)

    def begin_again(self, account: "AccountStatus", wanted: Collection[Permission]) -> None:
        """Ask for more permissions of an account."""
        self.stop()
        self._form.begin_again(account.name, self._client_id, account.granted, wanted)

    def sign_in_again(self, account: "AccountStatus") -> None:
        """Sign in to an account again."""
        self.stop()
        self._form.sign_in_again(account.name, self._client_id, account.granted | account.wanted)

    def stop(self) -> None:
        """Cancel the sign-in in progress, if any."""
        if self._sign_in_task is not None:
            self._sign_in_task.cancel()

    def _cancel(self) -> None:
        self.stop()
        self._form.show_stopped()

    @property
    def _client_id(self) -> str:
        """The ID of the stored OAuth client; "" for none."""
        return self._workspace().accounts.google.client_id

    async def _read_client(self, path: Path) -> None:
        try:
            client = await asyncio.to_thread(read_client_file, path)
        except ToolError as error:
            self._form.show_client_error(str(error))
        else:
            await self._store_client(client)

    async def _store_client(self, client: GoogleClient) -> None:
        try:
            message = await self._workspace().accounts.google.set_client(client)
        except ToolError as error:
            self._form.show_client_error(str(error))
        else:
            await self._reopen()
            self._form.show_client(client.id, message)

    async def _sign_in(self, name: str, may: Collection[Permission]) -> None:
        self._sign_in_task = asyncio.current_task()
        form = self._form
        try:
            form.show_connected(await self._connect(name, may))
        except ToolError as error:
            form.show_failure(str(error))
        self.changed.emit()

    async def _connect(self, name: str, may: Collection[Permission]) -> str:
        """Sign in to a new or an existing account; return a message about the result."""
        workspace, form = self._workspace(), self._form
        if form.again:
            await workspace.accounts.google.allow(form.again, may, form.show_check, self._browse)
            return f"{form.again} is signed in."
        account = await workspace.accounts.google.connect(name, may, form.show_check, self._browse)
        return f"{account.name} is connected."

    async def _browse(self, url: str) -> bool:
        opened = self._opener.browse(url)
        if not opened:
            self._form.wait.show_not_opened()
        return opened
