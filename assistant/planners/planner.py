"""A planner: from a request to a plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from assistant.events import Remedy
from assistant.plan import Plan
from assistant.reply import Reply
from assistant.request import Request
from tools.moments import Clock
from tools.tool import Tool


class NotUnderstoodError(Exception):
    """The planner makes nothing of the request; `reply` tells the user what to try."""

    def __init__(self, reply: Reply, remedy: Remedy | None = None) -> None:
        super().__init__(reply.message)
        self.reply = reply
        self.remedy = remedy


@dataclass(frozen=True)
class Situation:
    """What a planner may know; never a tool's output.

    `refusal` says why the plan it made before was refused.
    """

    request: Request
    tools: Mapping[str, Tool]
    clock: Clock
    refusal: str = ""


class Planner(Protocol):
    """Makes plans."""

    async def next(self, situation: Situation) -> Plan | None:
        """The next steps, or None when this planner has nothing (more) to add.

        Raises:
            NotUnderstoodError: the request means nothing to this planner and none comes after it.
        """
