"""The opening: what stands before every request to plan: the rules, the tools, the examples."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cached_property
from importlib.resources import files
from typing import Any

from assistant.model.prompt import Message
from assistant.plan import REPLY
from assistant.planners.context import message_tokens
from assistant.planners.written.examples import Example, Examples, use_of
from assistant.planners.written.schema import PlanSchema, kinds_of
from tools.moments import day_in_words
from tools.tool import Tool

_LIKE = 4  # examples that are chosen for a request


class Opening:
    """What is said for some tools on a day, and the forms that a plan over them can have.

    Most of it does not change from request to request, so that a server reads it once.
    """

    def __init__(self, tools: Mapping[str, Tool], today: date, *, can_look_first: bool) -> None:
        self._tools = tools
        self._today = today
        self._schema = PlanSchema(tools.values(), can_look_first=can_look_first)
        self._examples = Examples(tools, can_look_first=can_look_first)

    @classmethod
    def prepared(cls, tools: Mapping[str, Tool], today: date, *, can_look_first: bool) -> "Opening":
        """One of which everything that does not change is made. Blocks."""
        opening = cls(tools, today, can_look_first=can_look_first)
        opening.messages("", len(opening.schemas))
        return opening

    @cached_property
    def schemas(self) -> tuple[Mapping[str, Any], ...]:
        """The schemas of a plan, the strictest first."""
        return self._schema.exact, self._schema.portable

    def messages(self, request: str, room: int) -> Sequence[Message]:
        """The rules and tools, then as many examples as fit into `room` tokens."""
        kept = [*self._examples.always, *self._examples.like(request, _LIKE)]
        room -= message_tokens(self._rules)
        while kept and sum(map(_tokens, kept)) > room:
            kept = kept[1:]
        return [self._rules, *(message for example in kept for message in example.messages)]

    @cached_property
    def _rules(self) -> Message:
        rules = (files("resources") / "prompts" / "planner.md").read_text("utf-8")
        tools = "\n".join(_described(tool) for tool in self._tools.values() if tool.name != REPLY)
        today = f"Today is {day_in_words(self._today)}."
        return Message("system", f"{rules}\n## Tools\n\n{tools}\n\n{today}")


def _tokens(example: Example) -> int:
    return sum(map(message_tokens, example.messages))


def _described(tool: Tool) -> str:
    """A tool as a model reads it: a line for it, and a line for each parameter."""
    given = tool.parameters
    use = use_of(tool.name)
    lines = [f"{tool.name}: {f'{tool.title}. {use}' if use else tool.description}{_gives(tool)}"]
    for name, schema in given["properties"].items():
        needed = "" if name in given["required"] else " (optional)"
        lines.append(f"  {name}{needed}: {schema['description']}")
    return "\n".join(lines)


def _gives(tool: Tool) -> str:
    """The fields that later steps can refer to."""
    kinds = [kind for kind in kinds_of(tool.returns) if is_dataclass(kind)]
    names = dict.fromkeys(field.name for kind in kinds for field in fields(kind))
    return f" Gives {', '.join(names)}." if names else ""
