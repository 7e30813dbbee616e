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
_LIMIT = 800  # tokens; a model that thinks before it answers needs some


@dataclass(frozen=True)
class ProbeCheck:
    """One thing tried: whether it works, and what that means for the user, in a sentence."""

    works: bool
    words: str


@dataclass(frozen=True)
class ProbeResult:
    """What was found about plans by schema, calls of tools and text as it is written.

    `speed` is in tokens a second, None where too little was written to tell; `context` in tokens.
    """

    schema: ProbeCheck
    tools: ProbeCheck
    stream: ProbeCheck
    speed: float | None
    context: int

    @property
    def checks(self) -> Mapping[str, ProbeCheck]:
        """What was tried, by its title."""
        return {"Plans": self.schema, "Tools": self.tools, "Text": self.stream}


async def probe_model(model: LanguageModel, tell: Callable[[str], None]) -> ProbeResult:
    """Try a model with three short requests about nobody's mail.

    Args:
        model: the one to be tried.
        tell: told in words what is being tried.

    Raises:
        ModelError: it does not answer at all, and why.
    """
    tell(f"{model.name} makes a small plan")
    schema = await _try_plan(model)
    tell(f"{model.name} calls a tool")
    tools = await _try_tool_call(model)
    tell(f"{model.name} writes a few words")
    stream, speed = await _try_stream(model)
    return ProbeResult(schema, tools, stream, speed, model.context)


async def _try_plan(model: LanguageModel) -> ProbeCheck:
    """Whether the server holds the model to a form that the words do not tell it."""
    prompt = _prompt("You decide what a mail program does. Answer in JSON.")
    answer = await model.answer(replace(prompt, schemas=(_PLAN,), temperature=0))
    if _is_plan(answer.text):
        return ProbeCheck(works=True, words="Plans come in the form that is asked for.")
    return ProbeCheck(
        works=False,
        words="The server does not hold the model to a form: plans are still read and checked,"
        " but more of them will fail.",
    )


async def _try_tool_call(model: LanguageModel) -> ProbeCheck:
    prompt = replace(_prompt("Use the tools."), functions=(_READ,), temperature=0)
    try:
        answer = await model.answer(prompt)
    except ModelError as error:
        return _without_tools(f"The server refused ({error})")
    if any(call.name == _ACTION and _has_count(call.arguments) for call in answer.calls):
        return ProbeCheck(works=True, words="It calls tools, so it can look before it decides.")
    return _without_tools("It answered in words" if not answer.calls else "It made a wrong call")


def _without_tools(what: str) -> ProbeCheck:
    words = f"{what} when a tool was to be called: requests that must look first will not work."
    return ProbeCheck(works=False, words=words)


async def _try_stream(model: LanguageModel) -> tuple[ProbeCheck, float | None]:
    now = asyncio.get_running_loop().time
    prompt = Prompt((Message("user", "Write three sentences about the sea."),), limit=_LIMIT)
    arrivals: list[float] = []
    answer: Completion | None = None
    try:
        async with aclosing(model.stream(prompt)) as items:
            async for item in items:
                if isinstance(item, Completion):
                    answer = item
                else:
                    arrivals.append(now())
    except ModelError as error:
        return ProbeCheck(works=False, words=f"Text could not be streamed: {error}"), None
    if len(arrivals) < 2:
        return ProbeCheck(works=False, words="Text comes all at once, when it is whole."), None
    taken = arrivals[-1] - arrivals[0]
    speed = answer.usage.completion / taken if answer and taken else None
    return ProbeCheck(works=True, words="Text is shown while it is written."), speed


def _prompt(task: str) -> Prompt:
    messages = Message("system", task), Message("user", "Read my latest 5 emails")
    return Prompt(messages, limit=_LIMIT)


def _is_plan(text: str) -> bool:
    plan = _json_object(text)
    return set(plan) == {"action", "count"} and plan["action"] in {_ACTION, "none"}


def _has_count(arguments: str) -> bool:
    return isinstance(_json_object(arguments).get("count"), int)


def _json_object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
