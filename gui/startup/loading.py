"""Loading after the first paint: modules, database and workspace, in threads."""

import gc
import importlib
from collections.abc import Callable
from contextlib import closing
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, QThread, QTimer, Signal

from assistant.profile import Profile
from gui.shell.main_window import MainWindow
from gui.startup.arguments import WindowOptions
from gui.startup.shutdown import Shutdown


class BackgroundLoader(QThread):
    """Calls `opening(module)` in a thread of its own, once the module is imported there.

    Signals:
        progressed: What `opening` reported through `report`, on the interface's thread.
    """

    progressed = Signal(object)

    def __init__(self, module: str, opening: Callable[[Any], Any], parent: QObject) -> None:
        super().__init__(parent)
        self.module: Any = None
        self.opened: Any = None
        self.error: Exception | None = None
        self._name = module
        self._opening = opening

    def report(self, progress: object) -> None:
        """Tell how far something is; may be called from any thread."""
        self.progressed.emit(progress)

    def run(self) -> None:
        """Import, then open."""
        try:
            self.module = importlib.import_module(self._name)
            self.opened = self._opening(self.module)
        except Exception as error:  # noqa: BLE001 — shown in the window by whoever waits
            self.error = error


COLLECTION_INTERVAL = 1000  # milliseconds


class GarbageCollector(QObject):
    """Looks every second whether there is enough garbage, by Python's own measure."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=COLLECTION_INTERVAL)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Begin, and leave alone for good what is there already."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def collect(self) -> None:
        """Clear up the oldest generation that is due."""
        counts, limits = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > limits[generation]:
                gc.collect(generation)
                return


FAILED = 1


class StartupSequence(QObject):
    """Gives a painted window its memory, then its workspace.

    Signals:
        loaded: Everything is there.
    """

    loaded = Signal()

    def __init__(
        self, window: MainWindow, ending: Shutdown, profile: Profile, options: WindowOptions
    ) -> None:
        super().__init__(window)
        self._window = window
        self._ending = ending
        self._profile = profile
        self._options = options
        self._workings = BackgroundLoader("gui.shell.window_controller", self._open_store, self)
        self._desk = BackgroundLoader("gui.controllers.app_controller", self._open_workspace, self)
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
        GarbageCollector(self).start()
        self.loaded.emit()
        if not self._ending.wished:
            self._desk.module.live(self._window, self._ending, workspace)

    def _loaded(self, loading: BackgroundLoader) -> Any:
        """What was opened while the window answered; None, once that was said, if it failed."""
        waiting = QEventLoop()
        loading.finished.connect(waiting.quit)
        loading.start()
        waiting.exec()
        if loading.error is not None:
            self._say_what_failed(loading.error)
        return loading.opened

    def _open_store(self, _module: Any) -> Any:
        from assistant.conversation_store import ConversationStore  # noqa: PLC0415 — in a thread

        return ConversationStore(self._profile.database)

    def _open_workspace(self, module: Any) -> Any:
        return module.open_workspace(self._profile, self._options, self._desk.report)

    def _say_what_failed(self, error: Exception) -> None:
        """Show why nothing can be done, and wait for the window to be closed."""
        from gui.widgets import message_box  # noqa: PLC0415 — hardly ever needed

        self._window.status.show_account("Not ready")
        message_box.show_message(
            self._window, "Deskhand cannot use this profile", _error_text(error)
        )
        end = QEventLoop()
        self._ending.came.connect(end.quit)
        if not self._ending.wished:
            end.exec()


def _error_text(error: Exception) -> str:
    from assistant.database import DatabaseError  # noqa: PLC0415 — hardly ever needed
    from assistant.error_log import log_unexpected  # noqa: PLC0415
    from tools.tool_errors import ToolError  # noqa: PLC0415

    return str(error) if isinstance(error, ToolError | DatabaseError) else log_unexpected(error)
