"""The app controller on a real workspace: accounts, the sample, previews."""

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


async def _until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 — Qt signals are no asyncio events
        await asyncio.sleep(0.01)


async def _connect(shown: Shown, workspace: Workspace) -> tuple[AppController, BackgroundTasks]:
    tasks, shutdown = BackgroundTasks(), Shutdown(shown.window)
    shown.window.closing.connect(shutdown.request_quit)
    return AppController(shown.controller, shutdown.request_quit, workspace, tasks), tasks


async def _close(controller: AppController, tasks: BackgroundTasks) -> None:
    controller.close()
    await tasks.end()
    await controller.workspace.close()


def _last_message(shown: Shown) -> str:
    session = shown.session
    assert session.current is not None
    reply = shown.history.store.turns(session.current)[-1].reply
    return f"{reply.message} {reply.details}" if reply else ""


def test_mail_of_a_new_account_is_read(
    shown: Shown, workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    box = tmp_path / "Mine.mbox"
    box.write_text(MBOX)

    async def work() -> None:
        controller, tasks = await _connect(shown, workspace)
        await controller.settings.accounts.add_mail("mbox", box)
        assert controller.workspace.summary == "Mine.mbox"
        shown.controller.ask("Read my latest 5 emails")
        await _until(lambda: "The engine" in _last_message(shown))
        await _close(controller, tasks)

    run(work())


def test_an_invalid_mailbox_is_refused_with_a_note(
    shown: Shown, workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    async def work() -> None:
        controller, tasks = await _connect(shown, workspace)
        shown.controller.actions["accounts"].trigger()
        await controller.settings.accounts.add_mail("mbox", tmp_path / "nothing.mbox")
        assert "nothing.mbox" in controller.settings.window.accounts.note.text()
        assert controller.workspace is workspace
        await _close(controller, tasks)

    run(work())


def test_the_accounts_page_works_also_when_the_settings_open_at_models(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        controller, tasks = await _connect(shown, workspace)
        controller.settings.show_models()
        page = controller.settings.window.accounts
        controller.settings.window.show_page(page)
        page.connect_google.click()
        assert page.google.isVisible()
        await _close(controller, tasks)

    run(work())


def test_a_runner_is_idle_once_runs_of_earlier_agents_ended(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        controller, tasks = await _connect(shown, workspace)
        with controller.runner.use_agent() as agent:
            workspace.models.choose_known_phrases(known=False)
            controller.settings.models.changed.emit()
            with controller.runner.use_agent() as chosen:
                assert chosen is workspace.agent is not agent
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(controller.runner.wait_idle(), 0.05)
        await controller.runner.wait_idle()
        await _close(controller, tasks)

    run(work())


def test_two_concurrent_reopenings_leave_no_workspace_open(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        controller, tasks = await _connect(shown, workspace)
        await asyncio.gather(controller.reopen(), controller.reopen())
        await _close(controller, tasks)

    run(work())
    assert _open_files(workspace.profile.folder) == []


def _open_files(folder: Path) -> list[str]:
    """The files below a folder that this program has open."""
    return [file.path for file in Process().open_files() if Path(file.path).is_relative_to(folder)]


def test_the_sample_is_reset_and_a_missing_event_is_previewed(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        controller, tasks = await _connect(shown, workspace)
        documents = workspace.profile.sample / "documents"
        left = sorted(documents.iterdir())[0]
        left.unlink()
        await controller.reset_sample()
        assert left.exists()
        await controller.show_content("event:nothing")
        await _close(controller, tasks)

    run(work())
