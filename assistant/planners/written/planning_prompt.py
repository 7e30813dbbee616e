"""The planning prompt: rules, tools and examples before the request."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from importlib.resources import files
from math import ceil
from typing import Any

from assistant.model_client.language_model import Message
from assistant.planners.prompt_messages import estimate_message_tokens
from assistant.planners.written.plan_examples import PlanExample, PlanExamples, is_rare, tool_usage
from assistant.planners.written.plan_schema import PlanSchema, result_fields
from assistant.runs.plan import REPLY_ACTION
from tools.moments.date_format import format_day
from tools.tool import Tool

_SIMILAR_EXAMPLES = 4  # examples chosen for a request
_HISTORY_TOKENS = 600  # tokens reserved for the history
_BUDGET_STEP = 512  # tokens
_OWN_TEXT_FACTOR = 0.75


class PlanningPrompt:
    """The constant part of the prompt for some tools on one day, and the plan schemas.

    It changes little between requests, so that servers can cache it.
    """

    def __init__(self, tools: Mapping[str, Tool], today: date, *, can_look_first: bool) -> None:
        """Build rules, schemas and examples; takes some tens of milliseconds."""
        schema = PlanSchema(tools.values(), can_look_first=can_look_first)
        self.schemas: tuple[Mapping[str, Any], ...] = (schema.exact, schema.portable)
        self._examples = PlanExamples(tools, can_look_first=can_look_first)
        self._rules = Message("system", _rules(tools, today))

    def messages(self, request: str, budget: int) -> Sequence[Message]:
        """Return rules and tools, then as many examples as fit into `budget` tokens.

        The examples that are always shown change with the budget in large steps only, because a
        server reads everything after the first change again.
        """
        budget -= estimate_own_tokens(self._rules)
        constant = budget - self._max_similar_tokens - _HISTORY_TOKENS
        always = _fit_examples(self._examples.always, constant // _BUDGET_STEP * _BUDGET_STEP)
        similar = self._examples.similar(request, _SIMILAR_EXAMPLES)
        chosen = _fit_examples(similar, budget - _examples_tokens(always))
        shown = (message for example in (*always, *chosen) for message in example.messages)
        return [self._rules, *shown]

    @cached_property
    def _max_similar_tokens(self) -> int:
        """Most tokens that similar examples can take."""
        return sum(sorted(map(_example_tokens, self._examples.others))[-_SIMILAR_EXAMPLES:])


def estimate_own_tokens(message: Message) -> int:
    """Estimate the tokens of a message written by this program.

    English, JSON and tool names take 0.6 of the estimate for any text; the rest is margin.
    """
    return ceil(_OWN_TEXT_FACTOR * estimate_message_tokens(message))


def _rules(tools: Mapping[str, Tool], today: date) -> str:
    rules = (files("resources") / "prompts" / "planner.md").read_text("utf-8")
    known = [tool for tool in tools.values() if tool.name != REPLY_ACTION]
    known.sort(key=lambda tool: is_rare(tool.name))
    descriptions = "\n".join(map(_tool_description, known))
    return f"{rules}\n## Tools\n\n{descriptions}\n\nToday is {format_day(today)}."


def _fit_examples(examples: Sequence[PlanExample], budget: int) -> Sequence[PlanExample]:
    """Return the last examples that fit into `budget` tokens."""
    while examples and _examples_tokens(examples) > budget:
        examples = examples[1:]
    return examples


def _examples_tokens(examples: Sequence[PlanExample]) -> int:
    return sum(map(_example_tokens, examples))


def _example_tokens(example: PlanExample) -> int:
    return sum(map(estimate_own_tokens, example.messages))


def _tool_description(tool: Tool) -> str:
    """Describe a tool in one line, and each parameter in another.

    A rare tool is described in one line with the names of its parameters, to save tokens; examples
    show its use if the request resembles one.
    """
    schema = tool.parameters
    use = tool_usage(tool.name)
    if is_rare(tool.name):
        return f"{tool.name}: {use} Takes {', '.join(schema['properties'])}."
    purpose = f"{tool.title}. {use}" if use else tool.description
    results = ", ".join(result_fields([tool]))
    lines = [f"{tool.name}: {purpose}{f' Gives {results}.' if results else ''}"]
    for name, parameter in schema["properties"].items():
        optional = "" if name in schema["required"] else " (optional)"
        lines.append(f"  {name}{optional}: {parameter['description']}")
    return "\n".join(lines)
