"""A window on a real workspace with a model server on this computer."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from PySide6.QtWidgets import QAbstractButton

from assistant.model_client.model_discovery import PORTS
from assistant.settings.model_settings import ConfiguredModel
from assistant.workspace import Workspace
from gui.chat.chat_pane import ChatPane
from gui.controllers.app_controller import AppController
from gui.controllers.model_controller import ModelController
from gui.runs.agent_runner import BackgroundTasks
from gui.runs.chat_session import ChatSession
from gui.settings.models_page import ModelsPage
from gui.settings.settings_window import SettingsWindow
from gui.startup.shutdown import Shutdown
from tests.gui.conftest import Shown

NAME = "Qwen2.5 7B"
PLAN = json.dumps(
    {
        "goal": "Write a letter",
        "steps": [
            {"id": 1, "action": "write_text", "parameters": {"instruction": "Write a letter"}},
            {
                "id": 2,
                "action": "reply_to_user",
                "parameters": {"message": "Here is the letter.", "details": "$step1"},
            },
        ],
    }
)
REQUEST = "Write me a letter about the sea, in your own words"


async def until(holds: Callable[[], object]) -> None:
    """Wait for a condition."""
    while not holds():  # noqa: ASYNC110 — what Qt tells is no asyncio event
        await asyncio.sleep(0.005)


@dataclass
class ModelWindow:
    """A running window."""

    shown: Shown
    desk: AppController
    tasks: BackgroundTasks

    @property
    def session(self) -> ChatSession:
        """The session."""
        return self.shown.session

    @property
    def chat(self) -> ChatPane:
        """The chat view."""
        return self.shown.window.chat

    @property
    def models(self) -> ModelController:
        """The model controller."""
        return self.desk.settings.models

    @property
    def settings(self) -> SettingsWindow:
        """The settings window."""
        return self.desk.settings.window

    @property
    def page(self) -> ModelsPage:
        """The models page."""
        return self.settings.models

    @property
    def message(self) -> str:
        """The last reply."""
        reply = self.chat.transcript.turns[-1].reply
        return reply.message if reply else ""

    async def connect(self, url: str, name: str = NAME) -> None:
        """Let a model plan and write."""
        model = ConfiguredModel(name, "qwen2.5:7b", url, context=32_768)
        await self.desk.workspace.models.connect(model, "")
        self.models.show_change()

    async def ask(self, text: str = REQUEST) -> None:
        """Send a request in a new conversation, and wait for the reply."""
        self.shown.controller.ask(text)
        await self.answered()

    async def answered(self) -> None:
        """Wait until nothing runs in any conversation."""
        await until(lambda: not self.session.open_turns)
        await asyncio.sleep(0.02)

    def button(self, name: str) -> QAbstractButton:
        """Return a button of the chat by its text."""
        return next(
            one
            for one in self.chat.findChildren(QAbstractButton)
            if one.isVisible() and name in {one.text(), one.accessibleName()}
        )


@asynccontextmanager
async def model_window(
    shown: Shown, workspace: Workspace, ports: Mapping[str, int] = PORTS
) -> AsyncIterator[ModelWindow]:
    """Open the window for the block; `ports` are searched for model servers."""
    tasks, shutdown = BackgroundTasks(), Shutdown(shown.window)
    shown.window.closing.connect(shutdown.request_quit)
    desk = AppController(shown.controller, shutdown.request_quit, workspace, tasks)
    desk.settings.models.ports = ports
    try:
        yield ModelWindow(shown, desk, tasks)
    finally:
        shown.session.close()
        desk.close()
        await tasks.end()
        await desk.workspace.close()
