"""A planner: from a request to a plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assistant.events import Event
from assistant.execution import StepResult
from assistant.plan import Plan
from assistant.reply import Reply
from assistant.request import Request
from tools.moments import Clock
from tools.remedy import Remedy
from tools.tool import Tool


class NotUnderstoodError(Exception):
    """The planner makes nothing of the request; `reply` tells the user what to try."""

    def __init__(self, reply: Reply, remedy: Remedy | None = None) -> None:
        super().__init__(reply.message)
        self.reply = reply
        self.remedy = remedy


def _unheard(_event: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Situation:
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
    tell: Callable[[Event], None] = _unheard
    memory: dict[object, Any] = field(default_factory=dict)


class Planner(Protocol):
    """Makes plans, for one run or for many; what it must remember of a run is in the situation."""

    async def next(self, situation: Situation) -> Plan | None:
        """The next steps, or None when this planner has nothing (more) to add.

        Raises:
            NotUnderstoodError: the request means nothing to this planner and none comes after it.
        """
