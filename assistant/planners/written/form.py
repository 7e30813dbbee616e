"""The written form: a plan as the model writes it, for what it is shown and while it comes in."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from assistant.plan import REPLY, read_plan
from assistant.request import Exchange


def as_exchanged(exchange: Exchange) -> Exchange:
    """An earlier exchange with its plan in the form that the model is to write."""
    if not exchange.plan:
        return exchange
    plan = read_plan(exchange.plan)
    steps = {f"step{step.id}": _shown(step.wire()) for step in plan.steps if step.action != REPLY}
    return Exchange(exchange.text, exchange.reply, as_json(steps, exchange.said))


def as_json(steps: Mapping[str, Any], reply: str) -> str:
    """A plan with its reply as one line of JSON."""
    return json.dumps({"plan": steps, "reply": reply}, ensure_ascii=False)


def answer_so_far(text: str) -> str:
    """The reply in a half written answer that needs no steps; "" for everything else."""
    try:
        written = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return ""
    if not isinstance(written, Mapping) or written.get("plan") != {}:
        return ""
    reply = written.get("reply", "")
    return reply if isinstance(reply, str) else ""


def _shown(step: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in step.items() if name != "id"}
