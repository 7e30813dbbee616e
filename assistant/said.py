"""What was said: as much of a reply as a later planner may read."""

from collections.abc import Mapping
from typing import Any

from assistant.plan import REPLY, Plan, PlanError
from assistant.reference import resolve
from assistant.reply import Reply

_UNTOLD = "…"
_AROUND = ">"  # a reference alone would keep its value and not become text


def said(plan: Plan, reply: Reply, outputs: Mapping[int, Any]) -> str:
    """The planner's own words, after the status where it is no success.

    Of what tools gave out, numbers alone are in it.
    """
    last = plan.steps[-1]
    words = last.parameters.get("message", "") if last.action == REPLY else plan.goal
    try:
        told = str(resolve(f"{_AROUND}{words}", outputs, _number)).removeprefix(_AROUND)
    except PlanError:  # it speaks of a step that was not done
        told = ""
    return told if told and reply.status == "success" else f"{reply.status}: {told}".rstrip(": ")


def _number(value: Any) -> str:
    return str(value) if isinstance(value, int | float) else _UNTOLD
