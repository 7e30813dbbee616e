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

COLLECTION_INTERVAL = 1000  # milliseconds
_EXIT_FAILURE = 1


class BackgroundLoader(QThread):
    """Imports a module and calls `load(module)`, both in a thread of its own.

    Signals:
        progressed: A value passed to `report`, on the GUI thread.
    """

    progressed = Signal(object)

    def __init__(self, module: str, load: Callable[[Any], Any], parent: QObject) -> None:
        super().__init__(parent)
        self.module: Any = None
        self.result: Any = None
        self.error: Exception | None = None
        self._name = module
        self._load = load

    def report(self, progress: object) -> None:
        """Report progress; may be called from any thread."""
        self.progressed.emit(progress)

    def run(self) -> None:
        """Import, then load; the result or the error is kept in an attribute."""
        try:
            self.module = importlib.import_module(self._name)
            self.result = self._load(self.module)
        except Exception as error:  # noqa: BLE001 — shown in the window by the waiting thread
            self.error = error


class GarbageCollector(QObject):
    """Runs Python's garbage collector on the GUI thread, by its own thresholds.

    The automatic collector runs in the thread that happens to allocate, and would destroy Qt
    objects there; they may be destroyed only in the thread they live in.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=COLLECTION_INTERVAL)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Start, and exempt all existing objects from collection."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation that is over its threshold."""
        counts, limits = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > limits[generation]:
                gc.collect(generation)
                return


class StartupSequence(QObject):
    """Loads the conversations, then the workspace, for a window that has been painted."""

    def __init__(
        self, window: MainWindow, shutdown: Shutdown, profile: Profile, options: WindowOptions
    ) -> None:
        super().__init__(window)
        self._window = window
        self._shutdown = shutdown
        self._profile = profile
        self._options = options
        self._store = BackgroundLoader("gui.shell.window_controller", self._open_store, self)
        self._workspace = BackgroundLoader("gui.startup.main_loop", self._open_workspace, self)
        self._workspace.progressed.connect(window.status.show_progress)

    def run(self, on_loaded: Callable[[], None]) -> int:
        """Load, call `on_loaded`, and run until quit; return the exit status."""
        self._shutdown.handle_signals()
        store = self._load(self._store)
        if store is None:
            return _EXIT_FAILURE
        with closing(store):
            controller = self._store.module.WindowController(self._window, store)
            workspace = self._load(self._workspace)
            if workspace is not None:
                GarbageCollector(self).start()
                on_loaded()
                if not self._shutdown.is_requested:
                    self._workspace.module.run_until_quit(controller, self._shutdown, workspace)
            controller.close()
        self._window.hide()
        return _EXIT_FAILURE if workspace is None else 0

    def _load(self, loader: BackgroundLoader) -> Any:
        """Return the loaded value while the window stays responsive; None after an error."""
        loading = QEventLoop()
        loader.finished.connect(loading.quit)
        loader.start()
        loading.exec()
        if loader.error is not None:
            self._show_error(loader.error)
        return loader.result

    def _open_store(self, _module: Any) -> Any:
        from assistant.conversation_store import ConversationStore  # noqa: PLC0415 — in a thread

        return ConversationStore(self._profile.database)

    def _open_workspace(self, module: Any) -> Any:
        return module.open_workspace(self._profile, self._options, self._workspace.report)

    def _show_error(self, error: Exception) -> None:
        """Show the error, and wait until the window is closed."""
        from gui.widgets.message_box import show_message  # noqa: PLC0415 — rarely needed

        self._window.status.show_account("Not ready")
        show_message(self._window, "Deskhand cannot use this profile", _error_text(error))
        waiting = QEventLoop()
        self._shutdown.requested.connect(waiting.quit)
        if not self._shutdown.is_requested:
            waiting.exec()


def _error_text(error: Exception) -> str:
    from assistant.database import DatabaseError  # noqa: PLC0415 — rarely needed
    from assistant.error_log import log_unexpected  # noqa: PLC0415
    from tools.tool_errors import ToolError  # noqa: PLC0415

    return str(error) if isinstance(error, ToolError | DatabaseError) else log_unexpected(error)
