"""Printed calls: tool calls that a model wrote as text, as small and local models do."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assistant.model.prompt import ToolCall

_PLACES = re.compile(
    r"""(?xs)
      <tool_call> (?P<tagged> .*? ) (?: </tool_call> | \Z )
    | ``` [\w-]* \s* (?P<fenced> [\[{] .*? ) (?: ``` | \Z )
    | \A \s* (?: \[TOOL_CALLS\] | <\|[a-z_]+\|> )? \s* (?P<bare> [\[{] .* )
    """
)
_NAMES = ("name", "action", "tool", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_AROUND = ("tool_calls", "steps", "calls", "function")


def printed_calls(text: str, turn: int) -> tuple[ToolCall, ...]:
    """The calls in a text; none in a text that is an answer.

    Args:
        text: what the model wrote.
        turn: makes their ids differ from those of other answers.
    """
    found = [
        call for place in _PLACES.finditer(text) for value in _values(place) for call in _in(value)
    ]
    return tuple(
        ToolCall(f"printed_{turn}_{number}", name, arguments)
        for number, (name, arguments) in enumerate(found, start=1)
    )


def _values(place: re.Match[str]) -> Iterator[Any]:
    """The JSON values that stand one after the other."""
    text = next(group for group in place.groups() if group is not None).strip()
    decoder = json.JSONDecoder()
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except (ValueError, RecursionError):
            return
        yield value
        text = text[end:].lstrip(" \t\r\n,;")


def _in(value: Any, deepest: int = 3) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and deepest:
        for item in value:
            yield from _in(item, deepest - 1)
    elif isinstance(value, Mapping):
        inner = next(
            (value[key] for key in _AROUND if isinstance(value.get(key), list | Mapping)), None
        )
        yield from _one(value) if inner is None or not deepest else _in(inner, deepest - 1)


def _one(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    given = next(([value[key]] for key in _ARGUMENTS if key in value), [])
    for arguments in given if name else ():
        yield name, arguments if isinstance(arguments, str) else json.dumps(arguments)
