"""Fixtures of window tests: real widgets, a real database, and an asyncio loop on Qt's."""

import asyncio
import gc
import os
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from assistant.conversation_store import ConversationStore
from assistant.workspace import Workspace
from gui.artifacts.opener import Opener
from gui.conversations.history import ConversationHistory
from gui.runs.agent_runner import AgentRunner, BackgroundTasks
from gui.runs.chat_session import ChatSession
from gui.shell.main_window import MainWindow
from gui.shell.preferences import WindowPreferences
from gui.shell.window_controller import WindowController
from tests.assistant.scripted import CLOCK, NoteTools, ScriptedPlanner, agent

if "DISPLAY" not in os.environ and "WAYLAND_DISPLAY" not in os.environ:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

Part = TypeVar("Part", bound=QWidget)
Run = Callable[[Coroutine[Any, Any, None]], None]


def pytest_configure(config: pytest.Config) -> None:
    """Ignore a warning of the offscreen platform about windows of a fixed size."""
    config.addinivalue_line("qt_log_ignore", "This plugin does not support propagateSizeHints")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ConversationStore]:
    """The conversations of an empty profile."""
    made = ConversationStore(tmp_path / "deskhand.db")
    yield made
    made.close()


@dataclass
class Shown:
    """A shown window, its controller once it has begun, and the URLs given to the desktop."""

    window: MainWindow
    store: ConversationStore
    opened: list[str] = field(default_factory=list)
    _controller: WindowController | None = None

    def begin(self) -> None:
        """Give the window its behaviour, as is done after the first paint."""
        self._controller = WindowController(self.window, self.store)

    @property
    def controller(self) -> WindowController:
        """The controller of a window that has begun."""
        assert self._controller is not None
        return self._controller

    @property
    def session(self) -> ChatSession:
        """The session of the window."""
        return self.controller.session

    @property
    def history(self) -> ConversationHistory:
        """The conversations of the window."""
        return self.controller.history


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not use the keyring of the user who runs the tests."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


@pytest.fixture(autouse=True)
def uncollected() -> Iterator[None]:
    """Keep the garbage collector off other threads, as `gui.startup.loading` does."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def tidy() -> Iterator[None]:
    """Collect windows here, not in a thread of a later test."""
    yield
    gc.collect()


@pytest.fixture
def shown(
    tidy: None,  # noqa: ARG001 — ends after the window
    qtbot: QtBot,
    store: ConversationStore,
    tmp_path: Path,
) -> Iterator[Shown]:
    """The window on an empty profile, before anything runs."""
    made = just_painted(qtbot, store, tmp_path)
    made.begin()
    yield made
    made.history.finish_deletion()


def just_painted(
    qtbot: QtBot,
    store: ConversationStore,
    profile: Path,
    visit: Callable[[str], bool] = lambda _url: True,
) -> Shown:
    """Show a window without its controller; `visit` stands for the desktop's link handler."""
    opened: list[str] = []

    def note(url: QUrl) -> bool:
        opened.append(url.toString())
        return visit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))

    window = MainWindow(WindowPreferences(profile), Opener(note))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    return Shown(window, store, opened)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """The sample workspace of an empty profile."""
    return Workspace.open(tmp_path / "profile", clock=CLOCK, environment={})


@pytest.fixture
def run(tidy: None, qapp: QApplication) -> Run:  # noqa: ARG001 — ends after the loop
    """Run a coroutine to its end, with Qt's events going on meanwhile."""
    qapp.setQuitOnLastWindowClosed(False)  # as the program does; else one test ends the next

    def run_it(work: Coroutine[Any, Any, None]) -> None:
        from qasync import QEventLoop

        with asyncio.Runner(loop_factory=lambda: QEventLoop(qapp)) as runner:
            runner.run(asyncio.wait_for(work, timeout=20))

    return run_it


def child(parent: QWidget, kind: type[Part]) -> Part:
    """Return the only child widget of a class."""
    found = parent.findChild(kind)
    assert isinstance(found, kind)
    return found


def attached(
    session: ChatSession, *plans: object, note_tools: NoteTools | None = None
) -> BackgroundTasks:
    """Attach a runner with scripted plans to a session; return its tasks."""
    tasks = BackgroundTasks()
    answering = agent((note_tools or NoteTools()).tools(), ScriptedPlanner(list(plans)))
    session.attach(AgentRunner(answering, tasks))
    return tasks


async def settled(tasks: BackgroundTasks) -> None:
    """Wait until all tasks have ended."""
    while len(tasks):  # noqa: ASYNC110 — Qt signals are no asyncio events
        await asyncio.sleep(0.005)
