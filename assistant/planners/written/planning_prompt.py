"""The planning prompt: rules, tools and examples before the request."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cached_property
from importlib.resources import files
from math import ceil
from typing import Any

from assistant.model_client.language_model import Message
from assistant.planners.prompt_messages import estimate_message_tokens
from assistant.planners.written.plan_examples import PlanExample, PlanExamples, is_rare, tool_usage
from assistant.planners.written.plan_schema import PlanSchema, union_members
from assistant.runs.plan import REPLY_ACTION
from tools.moments.date_format import format_day
from tools.tool import Tool

_SIMILAR_EXAMPLES = 4  # examples that are chosen for a request
_HISTORY_TOKENS = 600  # tokens that earlier exchanges are left
_BUDGET_STEP = 512  # tokens
_OWN_TEXT_FACTOR = 0.75


class PlanningPrompt:
    """What is said for some tools on a day, and the schemas of plans, the strictest first.

    Most of it does not change from request to request, so that a server reads it once.
    """

    def __init__(self, tools: Mapping[str, Tool], today: date, *, can_look_first: bool) -> None:
        """Makes everything that does not change; takes some tens of milliseconds."""
        schema = PlanSchema(tools.values(), can_look_first=can_look_first)
        self.schemas: tuple[Mapping[str, Any], ...] = (schema.exact, schema.portable)
        self._examples = PlanExamples(tools, can_look_first=can_look_first)
        self._rules = Message("system", _rules(tools, today))

    def messages(self, request: str, room: int) -> Sequence[Message]:
        """The rules and tools, then as many examples as fit into `room` tokens.

        Which of those that are always shown depends on the room in large steps only: a server
        reads again whatever comes after the first change.
        """
        room -= estimate_own_tokens(self._rules)
        reserved = self._most_liked + _HISTORY_TOKENS
        always = _fit_examples(
            self._examples.always, (room - reserved) // _BUDGET_STEP * _BUDGET_STEP
        )
        liked = _fit_examples(
            self._examples.like(request, _SIMILAR_EXAMPLES), room - _examples_tokens(always)
        )
        shown = (message for example in (*always, *liked) for message in example.messages)
        return [self._rules, *shown]

    @cached_property
    def _most_liked(self) -> int:
        """How many tokens the examples take at most that are like a request."""
        return sum(sorted(map(_example_tokens, self._examples.others))[-_SIMILAR_EXAMPLES:])


def estimate_own_tokens(message: Message) -> int:
    """How many tokens a message takes whose words are our own.

    English, JSON and names of tools take 0.6 of what is reckoned for a text of any kind; the rest
    is margin.
    """
    return ceil(_OWN_TEXT_FACTOR * estimate_message_tokens(message))


def _rules(tools: Mapping[str, Tool], today: date) -> str:
    rules = (files("resources") / "prompts" / "planner.md").read_text("utf-8")
    known = sorted(
        (tool for tool in tools.values() if tool.name != REPLY_ACTION), key=_is_rare_tool
    )
    described = "\n".join(map(_tool_description, known))
    return f"{rules}\n## Tools\n\n{described}\n\nToday is {format_day(today)}."


def _fit_examples(examples: Sequence[PlanExample], room: int) -> Sequence[PlanExample]:
    """The last of them that fit."""
    kept = examples
    while kept and _examples_tokens(kept) > room:
        kept = kept[1:]
    return kept


def _examples_tokens(examples: Sequence[PlanExample]) -> int:
    return sum(map(_example_tokens, examples))


def _example_tokens(example: PlanExample) -> int:
    return sum(map(estimate_own_tokens, example.messages))


def _is_rare_tool(tool: Tool) -> bool:
    return is_rare(tool.name)


def _tool_description(tool: Tool) -> str:
    """A tool as a model reads it: a line for it, and a line for each parameter.

    Of one that is seldom asked for the parameters are only named, so that it takes little from
    what is said of the others; where a request is like it, examples show it.
    """
    given = tool.parameters
    use = tool_usage(tool.name)
    if is_rare(tool.name):
        return f"{tool.name}: {use} Takes {', '.join(given['properties'])}."
    lines = [
        f"{tool.name}: {f'{tool.title}. {use}' if use else tool.description}{_result_fields(tool)}"
    ]
    for name, schema in given["properties"].items():
        needed = "" if name in given["required"] else " (optional)"
        lines.append(f"  {name}{needed}: {schema['description']}")
    return "\n".join(lines)


def _result_fields(tool: Tool) -> str:
    """The fields that later steps can refer to."""
    kinds = [kind for kind in union_members(tool.returns) if is_dataclass(kind)]
    names = dict.fromkeys(field.name for kind in kinds for field in fields(kind))
    return f" Gives {', '.join(names)}." if names else ""
