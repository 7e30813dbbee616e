"""The planner protocol, its input, and a planner with a fixed plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from assistant.runs.plan import Plan, PlanError, read_plan
from assistant.runs.reply import Reply
from tools.tool_errors import Remedy

if TYPE_CHECKING:
    from assistant.runs.events import Event
    from assistant.runs.execution import StepResult
    from assistant.runs.request import Request
    from tools.moments.clock import Clock
    from tools.tool import Tool


class NotUnderstoodError(Exception):
    """The planner cannot plan the request; `reply` suggests alternatives to the user."""

    def __init__(self, reply: Reply, remedy: Remedy | None = None) -> None:
        super().__init__(reply.message)
        self.reply = reply
        self.remedy = remedy


@dataclass(frozen=True)
class PlanningContext:
    """Input of a planner for one round.

    Attributes:
        request: The request, with the history of its conversation.
        tools: The available tools by name.
        clock: The current time.
        rejection: Reason why the previous plan was rejected, "" in a first attempt.
        results: Results of the steps of earlier rounds. Empty in the first round, which therefore
            sees no tool output; from the second round on the run is exposed.
        emit: Receives progress and streamed text while the planner works.
        memory: One dict for all rounds of a run; a planner stores its state under itself.
    """

    request: "Request"
    tools: Mapping[str, "Tool"]
    clock: "Clock"
    rejection: str = ""
    results: tuple["StepResult", ...] = ()
    emit: Callable[["Event"], None] = lambda _event: None
    memory: dict[object, Any] = field(default_factory=dict)


class Planner(Protocol):
    """Makes plans for any number of runs; the state of a run is in the context."""

    async def next(self, context: PlanningContext) -> Plan | None:
        """Return the next steps; None if this planner has nothing to add.

        Raises:
            NotUnderstoodError: this planner cannot plan the request and has no successor.
        """


@dataclass(frozen=True)
class FixedPlanner:
    """A planner with one plan: a `Plan`, or any form that `read_plan` accepts."""

    plan: object

    async def next(self, context: PlanningContext) -> Plan | None:
        """Return the plan.

        Raises:
            PlanError: the plan is invalid, or was rejected before.
        """
        if context.rejection:
            raise PlanError(context.rejection)
        return self.plan if isinstance(self.plan, Plan) else read_plan(self.plan)
