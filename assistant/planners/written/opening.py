"""The opening: what stands before every request to plan: the rules, the tools, the examples."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from importlib.resources import files
from typing import Any

from assistant.model.prompt import Message
from assistant.plan import REPLY
from assistant.planners.context import message_tokens
from assistant.planners.written.examples import examples, use_of
from assistant.planners.written.schema import PlanSchema
from tools.moments import day_in_words
from tools.tool import Tool


class Opening:
    """The same messages for the same tools and day, and the forms that a plan can have.

    Nothing in them changes from request to request, so that a server reads them once.
    """

    def __init__(self, tools: Mapping[str, Tool], today: date, *, can_look_first: bool) -> None:
        self._tools = tools
        self._today = today
        self._schema = PlanSchema(tools.values(), can_look_first=can_look_first)
        self._can_look_first = can_look_first

    @cached_property
    def schemas(self) -> tuple[Mapping[str, Any], ...]:
        """The schemas of a plan, the strictest first."""
        return self._schema.exact, self._schema.portable

    def messages(self, room: int) -> Sequence[Message]:
        """The rules and tools, with as many examples as fit into `room` tokens, at the least none.

        Half of the room is left to what was said before.
        """
        kept = list(self._whole)
        while len(kept) > 1 and sum(map(message_tokens, kept)) > room:
            kept = kept[:-2]
        return kept

    @cached_property
    def _whole(self) -> Sequence[Message]:
        rules = (files("resources") / "prompts" / "planner.md").read_text("utf-8")
        tools = "\n".join(_described(tool) for tool in self._tools.values() if tool.name != REPLY)
        shown = examples(self._tools, can_look_first=self._can_look_first)
        pairs = (message for example in shown for message in example.messages())
        today = f"Today is {day_in_words(self._today)}."
        return [Message("system", f"{rules}\n## Tools\n\n{tools}\n\n{today}"), *pairs]


def _described(tool: Tool) -> str:
    """A tool as a model reads it: a line for it, and a line for each parameter."""
    given = tool.parameters
    lines = [f"{tool.name}: {tool.description} {use_of(tool.name)}".rstrip()]
    for name, schema in given["properties"].items():
        needed = "" if name in given["required"] else " (optional)"
        lines.append(f"  {name}{needed}: {schema['description']}")
    return "\n".join(lines)
