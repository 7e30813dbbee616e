"""The window on a real workspace: another mailbox, the sample put back, a look at a mail."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from psutil import Process

from assistant.workspace import Workspace
from gui.controllers.app_controller import AppController
from gui.runs.agent_runner import BackgroundTasks
from gui.startup.shutdown import Shutdown
from tests.gui.conftest import Run, Shown

# What the platform without a display says of a tray and of a window that is to come forward.
pytestmark = pytest.mark.qt_log_ignore("systemTrayWindowChanged", r"does not support raise\(\)")

MBOX = """From ada Fri Nov 20 08:00:00 2026
From: Ada <ada@x.example>
To: me@x.example
Subject: The engine
Date: Fri, 20 Nov 2026 08:00:00 +0000
Message-ID: <1@x.example>

It weaves.
"""


async def _until(holds: Callable[[], object]) -> None:
    while not holds():  # noqa: ASYNC110 — what Qt tells is no asyncio event
        await asyncio.sleep(0.01)


async def _at(shown: Shown, workspace: Workspace) -> tuple[AppController, BackgroundTasks]:
    tasks, shutdown = BackgroundTasks(), Shutdown(shown.window)
    shown.window.closing.connect(shutdown.request_quit)
    return AppController(shown.controller, shutdown.request_quit, workspace, tasks), tasks


async def _leave(desk: AppController, tasks: BackgroundTasks) -> None:
    desk.close()
    await tasks.end()
    await desk.workspace.close()


def _last_message(shown: Shown) -> str:
    session = shown.session
    assert session.current is not None
    reply = shown.history.store.turns(session.current)[-1].reply
    return f"{reply.message} {reply.details}" if reply else ""


def test_connected_mail_is_read_from_then_on(
    shown: Shown, workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    box = tmp_path / "Mine.mbox"
    box.write_text(MBOX)

    async def work() -> None:
        desk, tasks = await _at(shown, workspace)
        await desk.settings.accounts.add_mail("mbox", box)
        assert desk.workspace.summary == "Mine.mbox"
        shown.controller.ask("Read my latest 5 emails")
        await _until(lambda: "The engine" in _last_message(shown))
        await _leave(desk, tasks)

    run(work())


def test_what_is_no_mailbox_is_refused_in_words_and_all_stays_as_it_was(
    shown: Shown, workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    async def work() -> None:
        desk, tasks = await _at(shown, workspace)
        shown.controller.actions["accounts"].trigger()
        await desk.settings.accounts.add_mail("mbox", tmp_path / "nothing.mbox")
        assert "nothing.mbox" in desk.settings.window.accounts.note.text()
        assert desk.workspace is workspace
        await _leave(desk, tasks)

    run(work())


def test_a_workspace_rests_only_when_what_began_with_an_earlier_planner_has_ended(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        desk, tasks = await _at(shown, workspace)
        with desk.runner.use_agent() as agent:
            workspace.models.choose_known_phrases(known=False)
            desk.settings.models.changed.emit()
            with desk.runner.use_agent() as chosen:
                assert chosen is workspace.agent is not agent
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(desk.runner.wait_idle(), 0.05)
        await desk.runner.wait_idle()
        await _leave(desk, tasks)

    run(work())


def test_of_two_reopenings_at_once_neither_leaves_a_workspace_open(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        desk, tasks = await _at(shown, workspace)
        await asyncio.gather(desk._reopen(), desk._reopen())
        await _leave(desk, tasks)

    run(work())
    assert _open_files(workspace.profile.folder) == []


def _open_files(folder: Path) -> list[str]:
    """The files below a folder that this program has open."""
    return [file.path for file in Process().open_files() if Path(file.path).is_relative_to(folder)]


def test_a_look_at_a_mail_and_a_reset_of_the_sample(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        desk, tasks = await _at(shown, workspace)
        documents = workspace.profile.sample / "documents"
        left = sorted(documents.iterdir())[0]
        left.unlink()
        await desk.reset_sample()
        assert left.exists()
        await desk.show_content("event:nothing")
        await _leave(desk, tasks)

    run(work())
