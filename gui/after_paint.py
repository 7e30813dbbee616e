"""What follows the first paint: everything else is loaded, lived with until the end, and left."""

from contextlib import closing
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, Signal

from assistant.profile import Profile
from gui.collector import Collector
from gui.ending import Ending
from gui.loading import Loading
from gui.main_window import MainWindow
from gui.options import Options

FAILED = 1


class AfterPaint(QObject):
    """Gives a painted window its memory, then its workspace.

    Signals:
        loaded: Everything is there.
    """

    loaded = Signal()

    def __init__(
        self, window: MainWindow, ending: Ending, profile: Profile, options: Options
    ) -> None:
        super().__init__(window)
        self._window = window
        self._ending = ending
        self._profile = profile
        self._options = options
        self._workings = Loading("gui.workings", self._open_store, self)
        self._desk = Loading("gui.desk", self._open_workspace, self)
        self._desk.progressed.connect(window.status.show_progress)

    def run(self) -> int:
        """Live until the end is asked for; gives the exit status."""
        self._ending.listen_to_signals()
        store = self._loaded(self._workings)
        if store is None:
            return FAILED
        with closing(store):
            history = self._workings.module.History(store, self)
            self._window.begin(history)
            workspace = self._loaded(self._desk)
            if workspace is not None:
                self._live(workspace)
            history.settle()
            self._window.keep_layout()
        self._window.hide()
        return FAILED if workspace is None else 0

    def _live(self, workspace: Any) -> None:
        Collector(self).start()
        self.loaded.emit()
        if not self._ending.wished:
            self._desk.module.live(self._window, self._ending, workspace)

    def _loaded(self, loading: Loading) -> Any:
        """What was opened while the window answered; None, once that was said, if it failed."""
        waiting = QEventLoop()
        loading.finished.connect(waiting.quit)
        loading.start()
        waiting.exec()
        if loading.error is not None:
            self._say_what_failed(loading.error)
        return loading.opened

    def _open_store(self, _module: Any) -> Any:
        from assistant.conversation import ConversationStore  # noqa: PLC0415 — in a thread

        return ConversationStore(self._profile.database)

    def _open_workspace(self, module: Any) -> Any:
        return module.open_workspace(self._profile, self._options, self._desk.report)

    def _say_what_failed(self, error: Exception) -> None:
        """Show why nothing can be done, and wait for the window to be closed."""
        from gui import questions  # noqa: PLC0415 — hardly ever needed

        self._window.status.show_account("Not ready")
        questions.tell(self._window, "Deskhand cannot use this profile", _words_for(error))
        end = QEventLoop()
        self._ending.came.connect(end.quit)
        if not self._ending.wished:
            end.exec()


def _words_for(error: Exception) -> str:
    from assistant.database import DatabaseError  # noqa: PLC0415 — hardly ever needed
    from assistant.last_stop import unexpected  # noqa: PLC0415
    from tools.tool import ToolError  # noqa: PLC0415

    return str(error) if isinstance(error, ToolError | DatabaseError) else unexpected(error)
