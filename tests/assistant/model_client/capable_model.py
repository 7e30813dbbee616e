"""A scripted model that supports every kind of request, and checks its key."""

import json
from collections.abc import Callable
from typing import Any

from assistant.model_client.language_model import ToolCall
from tests.assistant.model_client.loopback import ReceivedRequest, ScriptedResponse, json_answer
from tests.assistant.model_client.model_responses import rejects, responds

MODEL = "competent-1"
PLAN = {
    "plan": {"step1": {"action": "read_latest_emails", "parameters": {"count": 2}}},
    "reply": "These are your latest emails.",
}


def capable_model(
    key: str = "", models: tuple[str, ...] = (MODEL,), context: int | None = None
) -> Callable[[ReceivedRequest], ScriptedResponse]:
    """A step of a script; with a key it refuses whoever brings another."""
    listed = {"data": [{"id": id} | ({"n_ctx": context} if context else {}) for id in models]}

    def answer(asked: ReceivedRequest) -> ScriptedResponse:
        if key and asked.headers.get("authorization") != f"Bearer {key}":
            return rejects(401, "Incorrect API key provided")
        if asked.path.endswith("/models"):
            return json_answer(listed)
        if asked.json["model"] not in models:
            return rejects(404, "The model does not exist", code="model_not_found")
        return _answer(asked.json)(asked)

    return answer


def _answer(body: dict[str, Any]) -> Callable[[ReceivedRequest], ScriptedResponse]:
    if body.get("tools"):
        return responds(calls=[ToolCall("call-1", "read_latest_emails", '{"count": 5}')])
    form = body.get("response_format") or body.get("text", {}).get("format")
    if form is None:
        return responds("The sea ", "is wide. ", "It is deep.")
    wanted = json.dumps(form)
    action = '{"action": "read_latest_emails", "count": 5}'
    return responds(json.dumps(PLAN) if '"reply"' in wanted else action)
