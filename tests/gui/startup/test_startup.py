"""The start: imports before the first paint, single instance, arguments, loading."""

import gc
import json
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop, QObject

from gui.startup.arguments import WindowOptions, parse_window_options
from gui.startup.loading import BackgroundLoader, GarbageCollector
from gui.startup.single_instance import profile_lock
from tests.gui import first_paint

OWN = {"assistant", "assistant.profile", "resources"}
QT = {"PySide6", "PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets"}
BINDING = {
    "shiboken6",
    "shibokensupport",
    "signature_bootstrap",
    "__feature__",
    "__main__",
    "_distutils_hack",
    "sitecustomize",
}
HEAVY = {
    "asyncio", "concurrent", "ctypes", "datetime", "decimal", "email", "http",
    "importlib.resources", "multiprocessing", "socket", "sqlite3", "ssl", "tomllib", "unittest",
    "xml", "zoneinfo",
}  # fmt: skip


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The modules that are there when the first frame is."""
    folder = tmp_path_factory.mktemp("profile")
    done = subprocess.run(
        [*first_paint.COMMAND, str(folder)],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
        cwd=Path(first_paint.__file__).parents[2],
        env={"QT_QPA_PLATFORM": "offscreen"},
    )
    return set(json.loads(done.stdout)["modules"])


def test_the_first_frame_imports_only_these_modules(imported: set[str]) -> None:
    foreign = {
        name
        for name in imported
        if name.split(".")[0] not in {*sys.stdlib_module_names, *BINDING, "gui", "tests"}
        and not name.startswith(("PySide6.support", "__editable__"))
    }
    assert foreign == OWN | QT


def test_the_first_frame_imports_no_heavy_standard_modules(imported: set[str]) -> None:
    assert imported & HEAVY == set()


def test_the_first_frame_imports_no_late_modules(imported: set[str]) -> None:
    late = {
        "gui.artifacts.artifacts_pane", "gui.artifacts.file_policy",
        "gui.chat.transcript.transcript_view", "gui.startup.main_loop",
        "gui.widgets.message_box", "gui.shell.tray", "gui.shell.window_controller",
    }  # fmt: skip
    assert imported & late == set()


DAMAGED = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox
from assistant.profile import Profile
from gui.startup.app import App, create_application
from gui.startup.arguments import WindowOptions

def read():
    box = program.window.findChild(QMessageBox)
    if box is not None:
        print(box.text(), box.informativeText())
        box.close()
        program.window.close()

app = create_application()
app.setQuitOnLastWindowClosed(False)
program = App(Profile(Path(sys.argv[1])), WindowOptions(), lambda _url: True)
reading = QTimer(program, interval=20)
reading.timeout.connect(read)
reading.start()
sys.exit(program.run())
"""


def test_a_damaged_database_shows_a_message(tmp_path: Path) -> None:
    (tmp_path / "deskhand.db").write_bytes(b"no database at all, but long enough to look at" * 99)
    done = subprocess.run(
        [sys.executable, "-c", DAMAGED, str(tmp_path)],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
        cwd=Path(first_paint.__file__).parents[2],
        env={"QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 1
    assert "Move it away to start afresh" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], WindowOptions()),
        (["--demo"], WindowOptions(demo=True)),
        (["--profile", "p", "--demo"], WindowOptions(demo=True, profile=Path("p"))),
        (["--now", "2026-11-20T09:00"], WindowOptions(now=datetime(2026, 11, 20, 9))),  # noqa: DTZ001
    ],
)
def test_these_arguments_start_the_window(arguments: list[str], options: WindowOptions) -> None:
    assert parse_window_options(arguments) == options


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "Read my mail"], ["--help"], ["-h"], ["--version"], ["tools", "--json"],
        ["--profile", "p", "ask", "x"], ["--now", "no moment"], ["--dem"], ["--unknown"],
        ["--profile"],
    ],
)  # fmt: skip
def test_other_arguments_are_for_the_command_line(arguments: list[str]) -> None:
    assert parse_window_options(arguments) is None


def test_only_one_instance_locks_a_profile(tmp_path: Path) -> None:
    first, second = profile_lock(tmp_path), profile_lock(tmp_path)
    assert first.tryLock(0)
    assert not second.tryLock(0)
    first.unlock()
    assert second.tryLock(0)


def test_a_stale_lock_is_replaced(tmp_path: Path) -> None:
    crash = "import os, sys; from pathlib import Path\n"
    crash += "from gui.startup.single_instance import profile_lock\n"
    crash += "lock = profile_lock(Path(sys.argv[1])); assert lock.tryLock(0); os._exit(9)"
    done = subprocess.run([sys.executable, "-c", crash, str(tmp_path)], check=False, timeout=30)
    assert done.returncode == 9
    assert (tmp_path / "deskhand.lock").exists()
    assert profile_lock(tmp_path).tryLock(0)


def test_a_loader_keeps_its_result_or_error(qapp: QObject) -> None:
    opened = _loaded(BackgroundLoader("json", lambda module: module.loads("[1]"), qapp))
    assert (opened.result, opened.error) == ([1], None)
    failed = _loaded(BackgroundLoader("json", lambda module: module.loads("["), qapp))
    assert isinstance(failed.error, ValueError)
    absent = _loaded(BackgroundLoader("no_such_module_of_ours", lambda module: module, qapp))
    assert isinstance(absent.error, ModuleNotFoundError)


def _loaded(loading: BackgroundLoader) -> BackgroundLoader:
    wait = QEventLoop()
    loading.finished.connect(wait.quit)
    loading.start()
    wait.exec()
    return loading


def test_garbage_is_collected_on_the_gui_thread_only(qapp: QObject) -> None:
    cleared: list[int] = []

    class Ring:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            cleared.append(threading.get_ident())

    collector = GarbageCollector(qapp)
    collector.start()
    try:
        made = threading.Thread(target=lambda: [Ring() for _ in range(3000)])
        made.start()
        made.join()
        assert cleared == []
        collector.collect()
        assert set(cleared) == {threading.get_ident()}
    finally:
        collector.deleteLater()
        gc.unfreeze()
        gc.enable()
