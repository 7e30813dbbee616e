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
"""Opens the workspace again, after what it stands on was changed."""


class GoogleController(QObject):
    """Does what the form asks for; each piece is a task.

    Signals:
        changed: There is another account, or one may do something else.
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
        self._at = workspace
        self._opener = opener
        self._reopen = reopen
        self._signing_in: asyncio.Task[None] | None = None
        start = tasks.start
        form.client_file_chosen.connect(lambda path: start(self._read_client(path)))
        form.client_typed.connect(
            lambda id_, secret: start(self._keep_client(GoogleClient(id_, secret)))
        )
        form.wanted.connect(lambda name, may: start(self._sign_in(name, may)))
        form.stopped.connect(self._give_up)
        form.left.connect(self.stop)
        form.page_wanted.connect(opener.browse)
        form.link_wanted.connect(opener.open_link)

    def begin(self) -> None:
        """Connect a new account."""
        self.stop()
        self._form.begin(self._client)

    def begin_again(self, account: "AccountStatus", wanted: Collection[Permission]) -> None:
        """Let an account do more."""
        self.stop()
        self._form.begin_again(account.name, self._client, account.granted, wanted)

    def sign_in_again(self, account: "AccountStatus") -> None:
        """Have the person of an account sign in again."""
        self.stop()
        self._form.sign_in_again(account.name, self._client, account.granted | account.wanted)

    def stop(self) -> None:
        """End the sign-in that goes on, if there is one."""
        if self._signing_in is not None:
            self._signing_in.cancel()

    def _give_up(self) -> None:
        self.stop()
        self._form.show_stopped()

    @property
    def _client(self) -> str:
        """The ID of the client that is there; "" for none."""
        return self._at().connections.google_client_id

    async def _read_client(self, path: Path) -> None:
        try:
            client = await asyncio.to_thread(read_client_file, path)
        except ToolError as error:
            self._form.show_client_error(str(error))
        else:
            await self._keep_client(client)

    async def _keep_client(self, client: GoogleClient) -> None:
        try:
            words = await self._at().connections.set_google_client(client)
        except ToolError as error:
            self._form.show_client_error(str(error))
        else:
            await self._reopen()
            self._form.show_client(client.id, words)

    async def _sign_in(self, name: str, may: Collection[Permission]) -> None:
        self._signing_in = asyncio.current_task()
        form = self._form
        try:
            form.show_connected(await self._signed_in(name, may))
        except ToolError as error:
            form.show_failure(str(error))
        self.changed.emit()

    async def _signed_in(self, name: str, may: Collection[Permission]) -> str:
        """Sign in to a new account or to one that is there; gives back what to say of it."""
        workspace, form = self._at(), self._form
        if form.again:
            await workspace.connections.allow(form.again, may, form.show_check, self._browse)
            return f"{form.again} is signed in."
        account = await workspace.connections.connect_google(
            name, may, form.show_check, self._browse
        )
        return f"{account.name} is connected."

    async def _browse(self, url: str) -> bool:
        opened = self._opener.browse(url)
        if not opened:
            self._form.wait.show_not_opened()
        return opened
