"""A model probe: test structured output, tool calls and streaming with three short requests."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from assistant.model_client.language_model import (
    Completion,
    Function,
    LanguageModel,
    Message,
    ModelError,
    Prompt,
)

_ACTION = "read_latest_emails"
_COUNT = {"type": "integer", "description": "How many."}
_PLAN: Mapping[str, Any] = {
    "type": "object",
    "properties": {"action": {"type": "string", "enum": [_ACTION, "none"]}, "count": _COUNT},
    "required": ["action", "count"],
    "additionalProperties": False,
}
_ARGUMENTS = {"type": "object", "properties": {"count": _COUNT}, "required": ["count"]}
_READ = Function(_ACTION, "Read the latest emails of the user.", _ARGUMENTS)
_MAX_TOKENS = 800  # enough for a model that reasons before it answers


@dataclass(frozen=True)
class ProbeCheck:
    """Result of one check, and its meaning for the user in a sentence."""

    works: bool
    words: str


@dataclass(frozen=True)
class ProbeResult:
    """Results for structured output, tool calls and streaming.

    `speed` is in tokens a second, None if too little text arrived to measure; `context` in tokens.
    """

    schema: ProbeCheck
    tools: ProbeCheck
    stream: ProbeCheck
    speed: float | None
    context: int

    @property
    def checks(self) -> Mapping[str, ProbeCheck]:
        """The checks by their titles."""
        return {"Plans": self.schema, "Tools": self.tools, "Text": self.stream}


async def probe_model(model: LanguageModel, report: Callable[[str], None]) -> ProbeResult:
    """Probe a model with three short requests, none with personal data.

    Args:
        model: The model to probe.
        report: Called with the current step in words.

    Raises:
        ModelError: the model does not answer at all.
    """
    report(f"{model.name} makes a small plan")
    schema = await _try_plan(model)
    report(f"{model.name} calls a tool")
    tools = await _try_tool_call(model)
    report(f"{model.name} writes a few words")
    stream, speed = await _try_stream(model)
    return ProbeResult(schema, tools, stream, speed, model.context)


async def _try_plan(model: LanguageModel) -> ProbeCheck:
    """Check that the server enforces a schema that the prompt does not mention."""
    prompt = _prompt("You decide what a mail program does. Answer in JSON.")
    completion = await model.complete(replace(prompt, schemas=(_PLAN,), temperature=0))
    plan = _json_object(completion.text)
    if plan.keys() == {"action", "count"} and plan["action"] in {_ACTION, "none"}:
        return ProbeCheck(works=True, words="The server enforces the format of plans.")
    return ProbeCheck(
        works=False,
        words="The server does not enforce the format of plans: they are still read and checked,"
        " but more of them will fail.",
    )


async def _try_tool_call(model: LanguageModel) -> ProbeCheck:
    prompt = replace(_prompt("Use the tools."), functions=(_READ,), temperature=0)
    try:
        calls = (await model.complete(prompt)).tool_calls
        reason = "It made a wrong call" if calls else "It answered with text"
    except ModelError as error:
        calls, reason = (), f"The server refused ({error})"
    counts = [_json_object(each.arguments).get("count") for each in calls if each.name == _ACTION]
    if any(isinstance(count, int) for count in counts):
        return ProbeCheck(
            works=True, words="It calls tools, so it can look things up before it decides."
        )
    message = f"{reason} when asked to call a tool: requests that need a look-up first will fail."
    return ProbeCheck(works=False, words=message)


async def _try_stream(model: LanguageModel) -> tuple[ProbeCheck, float | None]:
    now = asyncio.get_running_loop().time
    prompt = Prompt(
        (Message("user", "Write three sentences about the sea."),), max_tokens=_MAX_TOKENS
    )
    arrivals: list[float] = []
    completion: Completion | None = None
    try:
        async with aclosing(model.stream(prompt)) as items:
            async for item in items:
                if isinstance(item, Completion):
                    completion = item
                else:
                    arrivals.append(now())
    except ModelError as error:
        return ProbeCheck(works=False, words=f"Text could not be streamed: {error}"), None
    if len(arrivals) < 2:
        return ProbeCheck(works=False, words="Text arrives all at once, when it is complete."), None
    seconds = arrivals[-1] - arrivals[0]
    speed = completion.usage.completion / seconds if completion and seconds else None
    return ProbeCheck(works=True, words="Text is shown while it is written."), speed


def _prompt(task: str) -> Prompt:
    messages = Message("system", task), Message("user", "Read my latest 5 emails")
    return Prompt(messages, max_tokens=_MAX_TOKENS)


def _json_object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
