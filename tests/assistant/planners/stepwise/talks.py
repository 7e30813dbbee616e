"""Talks: requests carried out step by step by a model that a script plays over the wire."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assistant.agent import Agent
from assistant.events import Event, Planned, Replied, StepFinished, Wrote
from assistant.model.prompt import ToolCall
from assistant.model.server import Address, Patience, ServerModel
from assistant.planners.stepwise import Limits, StepwisePlanner
from assistant.reply import Reply
from assistant.request import Request
from tests.assistant.model.answers import refuses, says
from tests.assistant.model.loopback import Loopback, Step, loopback
from tests.assistant.scripted import CLOCK, Desk, ScriptedApprover

OVER = refuses(400, "the script is over")


@dataclass(frozen=True)
class Talked:
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
        return "".join(event.text for event in self.events if isinstance(event, Wrote))


async def talk(
    *script: Step,
    request: Request | None = None,
    desk: Desk | None = None,
    approver: ScriptedApprover | None = None,
    limits: Limits | None = None,
    context: int = 32_000,
    afterwards: Step = OVER,
) -> Talked:
    """Run a request whose model answers by the script."""
    async with loopback(*script, afterwards=afterwards) as server:
        address, patience = Address(server.url), Patience(tries=1)
        model = ServerModel(
            address, model="m", name="Loopy", context=context, api="chat", patience=patience
        )
        planner = StepwisePlanner(model, limits or Limits())
        run = Agent((desk or Desk()).tools(), planner, CLOCK).run(
            request or Request("do it"), approver or ScriptedApprover()
        )
        try:
            return Talked([event async for event in run], server)
        finally:
            await model.close()


def calls(*asked: ToolCall, text: str = "", **how: Any) -> Step:
    """An answer that asks for these calls."""
    return says(*([text] if text else []), calls=asked, **how)


def call(name: str, /, *, written: str | None = None, id: str = "", **arguments: Any) -> ToolCall:
    """A call; `written` are its arguments as the model wrote them, where they are not JSON."""
    given = json.dumps(arguments) if written is None else written
    return ToolCall(id or f"call_{name}_{len(given)}", name, given)
