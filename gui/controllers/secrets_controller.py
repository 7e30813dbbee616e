"""The secrets controller: stores sign-ins in the keyring, a sealed file or for the session."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.runs.agent_runner import BackgroundTasks
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assistant.workspace import Workspace
    from gui.settings.secret_store_view import SecretStoreView


class SecretsController(QObject):
    """Does what the view asks for; each piece is a task.

    Signals:
        changed: Sign-ins are kept elsewhere, or can be read now.
    """

    changed = Signal()

    def __init__(
        self, view: "SecretStoreView", tasks: BackgroundTasks, workspace: "Callable[[], Workspace]"
    ) -> None:
        super().__init__(view)
        self._view = view
        self._at = workspace
        start = tasks.start
        view.look_wanted.connect(self.changed)
        view.session_wanted.connect(self._keep_for_session)
        view.passphrase.made.connect(lambda passphrase: start(self._seal(passphrase)))
        view.passphrase.given.connect(lambda passphrase: start(self._open(passphrase)))

    def _keep_for_session(self) -> None:
        self._at().secrets.use_session_only()
        self.changed.emit()

    async def _seal(self, passphrase: str) -> None:
        workspace, form = self._at(), self._view.passphrase
        form.show_doing("Sealing the file…")
        try:
            await workspace.secrets.use_encrypted_file(workspace.profile.secrets, passphrase)
        except ToolError as error:
            form.show_error(str(error))
        else:
            form.hide()
            self.changed.emit()

    async def _open(self, passphrase: str) -> None:
        form = self._view.passphrase
        form.show_doing("Opening the file…")
        try:
            await self._at().secrets.unlock(passphrase)
        except ToolError as error:
            form.show_error(str(error))
        else:
            form.hide()
            self.changed.emit()
