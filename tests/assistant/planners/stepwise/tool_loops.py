"""Requests run step by step by a scripted model over HTTP."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assistant.agent import Agent
from assistant.model_client.endpoint import Endpoint
from assistant.model_client.language_model import ToolCall
from assistant.model_client.server_model import ServerModel
from assistant.planners.stepwise import Limits, StepwisePlanner
from assistant.runs.events import Event, Planned, Replied, StepFinished, TextStreamed
from assistant.runs.reply import Reply
from assistant.runs.request import Request
from tests.assistant.model_client.loopback import Loopback, ScriptStep, loopback
from tests.assistant.model_client.model_responses import rejects, responds
from tests.assistant.scripted import CLOCK, NoteTools, ScriptedApprover
from tools.retry import RetryPolicy

SCRIPT_EXHAUSTED = rejects(400, "the script is over")


@dataclass(frozen=True)
class LoopRun:
    """What was heard of a run, and what its model was asked."""

    events: Sequence[Event]
    server: Loopback

    @property
    def replied(self) -> Replied:
        """How it ended."""
        assert sum(isinstance(event, Replied) for event in self.events) == 1
        last = self.events[-1]
        assert isinstance(last, Replied)
        return last

    @property
    def reply(self) -> Reply:
        """What the user is told."""
        return self.replied.reply

    @property
    def asked(self) -> list[Any]:
        """The bodies of the requests to the model."""
        return [asked.json for asked in self.server.asked]

    @property
    def heard(self) -> list[str]:
        """What the model was told about its last calls, from first to last."""
        messages = self.asked[-1]["messages"]
        return [message["content"] for message in messages if message["role"] == "tool"]

    @property
    def planned(self) -> list[Planned]:
        """The plans, round by round."""
        return [event for event in self.events if isinstance(event, Planned)]

    @property
    def outcomes(self) -> list[str]:
        """How the steps ended."""
        return [str(event.outcome) for event in self.events if isinstance(event, StepFinished)]

    @property
    def written(self) -> str:
        """What was shown while it was being written."""
        return "".join(event.text for event in self.events if isinstance(event, TextStreamed))


async def run_loop(
    *script: ScriptStep,
    request: Request | None = None,
    note_tools: NoteTools | None = None,
    approver: ScriptedApprover | None = None,
    limits: Limits | None = None,
    context: int = 32_000,
    afterwards: ScriptStep = SCRIPT_EXHAUSTED,
) -> LoopRun:
    """Run a request whose model answers by the script."""
    async with loopback(*script, afterwards=afterwards) as server:
        address, retry_policy = Endpoint(server.url), RetryPolicy(max_attempts=1)
        model = ServerModel(
            address, model="m", name="Loopy", context=context, api="chat", retry_policy=retry_policy
        )
        planner = StepwisePlanner(model, limits or Limits())
        run = Agent((note_tools or NoteTools()).tools(), planner, CLOCK).run(
            request or Request("do it"), approver or ScriptedApprover()
        )
        try:
            return LoopRun([event async for event in run], server)
        finally:
            await model.close()


def calls(*asked: ToolCall, text: str = "", **how: Any) -> ScriptStep:
    """An answer that asks for these calls."""
    return responds(*([text] if text else []), calls=asked, **how)


def call(name: str, /, *, written: str | None = None, id: str = "", **arguments: Any) -> ToolCall:
    """A call; `written` are its arguments as the model wrote them, where they are not JSON."""
    given = json.dumps(arguments) if written is None else written
    return ToolCall(id or f"call_{name}_{len(given)}", name, given)
