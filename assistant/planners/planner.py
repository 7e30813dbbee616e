"""The planner protocol, its input, and a planner with a fixed plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assistant.runs.events import Event
from assistant.runs.execution import StepResult
from assistant.runs.plan import Plan, PlanError, read_plan
from assistant.runs.reply import Reply
from assistant.runs.request import Request
from tools.moments.clock import Clock
from tools.tool import Tool
from tools.tool_errors import Remedy


class NotUnderstoodError(Exception):
    """The planner makes nothing of the request; `reply` tells the user what to try."""

    def __init__(self, reply: Reply, remedy: Remedy | None = None) -> None:
        super().__init__(reply.message)
        self.reply = reply
        self.remedy = remedy


def _ignore_event(_event: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class PlanningContext:
    """What a planner may know.

    In the first round that is never a tool's output: `done` is empty. After a plan with `more`
    the planner is asked again when its steps have ended, with everything so far in `done`; from
    then on the run is exposed. `refusal` says why the plan it made before was refused. `tell`
    takes `Waiting` and `Wrote` while it plans. `memory` is one dict for all rounds of a run, where
    a planner keeps under itself what it must not forget between them.
    """

    request: Request
    tools: Mapping[str, Tool]
    clock: Clock
    refusal: str = ""
    done: tuple[StepResult, ...] = ()
    tell: Callable[[Event], None] = _ignore_event
    memory: dict[object, Any] = field(default_factory=dict)


class Planner(Protocol):
    """Makes plans, for one run or for many; what it must remember of a run is in the situation."""

    async def next(self, situation: PlanningContext) -> Plan | None:
        """The next steps, or None when this planner has nothing (more) to add.

        Raises:
            NotUnderstoodError: the request means nothing to this planner and none comes after it.
        """


@dataclass(frozen=True)
class FixedPlanner:
    """A planner that has one plan: a `Plan`, or one in any form that `read_plan` takes."""

    written: object

    async def next(self, situation: PlanningContext) -> Plan | None:
        """The plan; it does not get better by being refused.

        Raises:
            PlanError: there is no plan in what was given, or it was refused before.
        """
        if situation.refusal:
            raise PlanError(situation.refusal)
        return self.written if isinstance(self.written, Plan) else read_plan(self.written)
