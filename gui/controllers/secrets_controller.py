"""The secrets controller: stores sign-ins in the keyring, a sealed file or for the session."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.runs.agent_runner import BackgroundTasks
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from assistant.workspace import Workspace
    from gui.settings.secret_store_view import SecretStoreView


class SecretsController(QObject):
    """Handles the signals of the view; each action runs as a task.

    Signals:
        changed: Secrets are stored elsewhere, or can be read now.
    """

    changed = Signal()

    def __init__(
        self, view: "SecretStoreView", tasks: BackgroundTasks, workspace: "Callable[[], Workspace]"
    ) -> None:
        super().__init__(view)
        self._view = view
        self._workspace = workspace
        start = tasks.start
        view.session_button.clicked.connect(self._keep_for_session)
        view.passphrase.chosen.connect(lambda passphrase: start(self._seal(passphrase)))
        view.passphrase.entered.connect(lambda passphrase: start(self._open(passphrase)))

    def _keep_for_session(self) -> None:
        self._workspace().secrets.use_session_only()
        self.changed.emit()

    async def _seal(self, passphrase: str) -> None:
        workspace = self._workspace()
        sealing = workspace.secrets.use_encrypted_file(workspace.profile.secrets, passphrase)
        await self._run(sealing, "Encrypting the file…")

    async def _open(self, passphrase: str) -> None:
        await self._run(self._workspace().secrets.unlock(passphrase), "Opening the file…")

    async def _run(self, action: "Awaitable[object]", progress: str) -> None:
        form = self._view.passphrase
        form.show_progress(progress)
        try:
            await action
        except ToolError as error:
            form.show_error(str(error))
        else:
            form.hide()
            self.changed.emit()
