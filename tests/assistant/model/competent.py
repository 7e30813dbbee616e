"""A competent model: it does what is asked of it, whatever form that takes, and needs its key."""

import json
from collections.abc import Callable
from typing import Any

from assistant.model.prompt import ToolCall
from tests.assistant.model.answers import refuses, says
from tests.assistant.model.loopback import Asked, Scripted, json_answer

MODEL = "competent-1"
PLAN = {
    "plan": {"step1": {"action": "read_latest_emails", "parameters": {"count": 2}}},
    "reply": "These are your latest emails.",
}


def competent(
    key: str = "", models: tuple[str, ...] = (MODEL,), context: int | None = None
) -> Callable[[Asked], Scripted]:
    """A step of a script; with a key it refuses whoever brings another."""
    listed = {"data": [{"id": id} | ({"n_ctx": context} if context else {}) for id in models]}

    def answer(asked: Asked) -> Scripted:
        if key and asked.headers.get("authorization") != f"Bearer {key}":
            return refuses(401, "Incorrect API key provided")
        if asked.path.endswith("/models"):
            return json_answer(listed)
        if asked.json["model"] not in models:
            return refuses(404, "The model does not exist", code="model_not_found")
        return _answer(asked.json)(asked)

    return answer


def _answer(body: dict[str, Any]) -> Callable[[Asked], Scripted]:
    if body.get("tools"):
        return says(calls=[ToolCall("call-1", "read_latest_emails", '{"count": 5}')])
    form = body.get("response_format") or body.get("text", {}).get("format")
    if form is None:
        return says("The sea ", "is wide. ", "It is deep.")
    wanted = json.dumps(form)
    action = '{"action": "read_latest_emails", "count": 5}'
    return says(json.dumps(PLAN) if '"reply"' in wanted else action)
