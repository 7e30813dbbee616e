"""Errors of models: the reply names the cause, and its button opens the remedy."""

from decimal import Decimal

import pytest

from assistant.model_client.language_model import Usage
from assistant.workspace import Workspace
from tests.assistant.model_client.loopback import (
    ReceivedRequest,
    ScriptedResponse,
    ScriptStep,
    json_answer,
    loopback,
)
from tests.assistant.model_client.model_responses import rejects, responds
from tests.gui.conftest import Run, Shown
from tests.gui.settings.model_window import NAME, PLAN, REQUEST, ModelWindow, model_window, until

# What the platform without a display says of a tray and of a window that is to come forward.
pytestmark = pytest.mark.qt_log_ignore("systemTrayWindowChanged", r"does not support raise\(\)")

WRONG_KEY = rejects(401, "Incorrect API key provided")
NOT_THERE = rejects(404, "model 'qwen2.5:7b' not found", code="model_not_found")
TOO_LONG = rejects(400, "maximum context length is 4096", code="context_length_exceeded")
NO_CREDIT = rejects(429, "You exceeded your current quota", code="insufficient_quota")
BUSY = rejects(429, "Rate limit reached", retry_after="1800")
BROKEN = rejects(500, "boom", retry_after="0")


@pytest.mark.parametrize(
    ("step", "label", "cause"),
    [
        (WRONG_KEY, "Enter the key…", "key"),
        (NOT_THERE, "Choose a model…", NAME),
        (TOO_LONG, "Ask in a new chat", "too long for"),
        (NO_CREDIT, "Model settings…", "no credit left"),
        (BUSY, "Try again", "until"),
        (BROKEN, "Try again", "500"),
    ],
    ids=["wrong key", "model missing", "too long", "no credit", "rate limited", "server error"],
)
def test_an_error_reply_has_a_cause_and_a_button(
    shown: Shown, workspace: Workspace, run: Run, step: ScriptStep, label: str, cause: str
) -> None:
    async def work() -> None:
        async with loopback(afterwards=step) as server, model_window(shown, workspace) as window:
            await window.connect(server.url)
            await window.ask()
            assert cause in window.message
            assert window.button(label)

    run(work())


async def _press_remedy(window: ModelWindow, step: ScriptStep, label: str) -> None:
    async with loopback(afterwards=step) as server:
        await window.connect(server.url)
        await window.ask()
        window.button(label).click()
        await until(window.settings.isVisible)


def test_the_remedy_of_a_key_opens_its_field(shown: Shown, workspace: Workspace, run: Run) -> None:
    async def work() -> None:
        async with model_window(shown, workspace) as window:
            await _press_remedy(window, WRONG_KEY, "Enter the key…")
            assert window.page.server.isVisible()
            assert window.settings.focusWidget() is window.page.server.key.line

    run(work())


def test_the_remedy_of_a_model_lists_the_models_of_its_server(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    listed = {"object": "list", "data": [{"id": "llama3.2:3b", "object": "model"}]}

    def answer(asked: ReceivedRequest) -> ScriptedResponse:
        return json_answer(listed) if asked.path.endswith("/models") else NOT_THERE

    async def work() -> None:
        async with loopback(afterwards=answer) as server, model_window(shown, workspace) as window:
            await window.connect(server.url)
            await window.ask()
            window.button("Choose a model…").click()
            await until(window.page.server.model_id.count)
            assert window.page.server.model_id.itemText(0) == "llama3.2:3b"
            assert window.page.server.model_id.currentText() == "qwen2.5:7b"

    run(work())


def test_the_remedy_of_a_server_opens_its_address(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with model_window(shown, workspace) as window:
            await _press_remedy(window, NO_CREDIT, "Model settings…")
            assert window.settings.focusWidget() is window.page.server.address.line

    run(work())


def test_a_conversation_over_the_context_continues_in_a_new_one(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with (
            loopback(afterwards=TOO_LONG) as server,
            model_window(shown, workspace) as window,
        ):
            await window.connect(server.url)
            await window.ask()
            window.button("Ask in a new chat").click()
            assert window.session.current is None
            assert window.chat.panel.composer.text == REQUEST

    run(work())


def test_try_again_replaces_the_failed_turn(shown: Shown, workspace: Workspace, run: Run) -> None:
    later: list[ScriptStep] = []

    def answer(asked: ReceivedRequest) -> ScriptedResponse:
        step = later.pop(0) if later else BROKEN
        return step if isinstance(step, ScriptedResponse) else step(asked)

    async def work() -> None:
        async with loopback(afterwards=answer) as server, model_window(shown, workspace) as window:
            await window.connect(server.url)
            await window.ask()
            later[:] = [responds(PLAN), responds("The sea ", "is wide.")]
            window.button("Try again").click()
            await window.answered()
            assert window.message == "Here is the letter."
            assert len(window.chat.transcript.turns) == 1

    run(work())


def test_an_unreachable_server_is_named(shown: Shown, workspace: Workspace, run: Run) -> None:
    async def work() -> None:
        async with loopback() as server:
            url = server.url
        async with model_window(shown, workspace) as window:
            await window.connect(url)
            await window.ask()
            assert "Nothing answers at 127.0.0.1" in window.message
            assert window.button("Try again")

    run(work())


def test_a_reached_spending_cap_opens_its_field(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with model_window(shown, workspace) as window:
            workspace.spending.record("gpt", Usage(1000, 200), Decimal("10.5"))
            workspace.models.set_spending_cap(Decimal(10))
            await window.connect("https://models.example/v1", "gpt")
            await window.ask()
            assert "cap" in window.message
            window.button("Change the cap…").click()
            assert window.settings.focusWidget() is window.page.cap.field.line
            assert window.shown.window.status.spending.isVisible()
            assert window.shown.window.status.spending.objectName() == "statusWarning"

    run(work())


def test_without_a_model_the_remedy_searches_for_servers(
    shown: Shown, workspace: Workspace, run: Run
) -> None:
    async def work() -> None:
        async with loopback() as server:
            free = int(server.url.rsplit(":", 1)[1].removesuffix("/v1"))
        async with model_window(shown, workspace, {"Ollama": free}) as window:
            await window.ask("Make me a sandwich")
            window.button("Connect a model…").click()
            await until(lambda: "not running" in window.page.local.accessibleName())
            assert "ollama pull" in window.page.local.accessibleName()

    run(work())
