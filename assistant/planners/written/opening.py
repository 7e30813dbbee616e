"""The opening: what stands before every request to plan: the rules, the tools, the examples."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cached_property
from importlib.resources import files
from math import ceil
from typing import Any

from assistant.model.prompt import Message
from assistant.plan import REPLY
from assistant.planners.context import message_tokens
from assistant.planners.written.examples import Example, Examples, is_seldom, use_of
from assistant.planners.written.schema import PlanSchema, kinds_of
from tools.moments import day_in_words
from tools.tool import Tool

_LIKE = 4  # examples that are chosen for a request
_FOR_HISTORY = 600  # tokens that earlier exchanges are left
_STEP = 512  # tokens
_OWN = 0.75


class Opening:
    """What is said for some tools on a day, and the schemas of plans, the strictest first.

    Most of it does not change from request to request, so that a server reads it once.
    """

    def __init__(self, tools: Mapping[str, Tool], today: date, *, can_look_first: bool) -> None:
        """Makes everything that does not change; takes some tens of milliseconds."""
        schema = PlanSchema(tools.values(), can_look_first=can_look_first)
        self.schemas: tuple[Mapping[str, Any], ...] = (schema.exact, schema.portable)
        self._examples = Examples(tools, can_look_first=can_look_first)
        self._rules = Message("system", _rules(tools, today))

    def messages(self, request: str, room: int) -> Sequence[Message]:
        """The rules and tools, then as many examples as fit into `room` tokens.

        Which of those that are always shown depends on the room in large steps only: a server
        reads again whatever comes after the first change.
        """
        room -= own_tokens(self._rules)
        reserved = self._most_liked + _FOR_HISTORY
        always = _fitting(self._examples.always, (room - reserved) // _STEP * _STEP)
        liked = _fitting(self._examples.like(request, _LIKE), room - _taken(always))
        shown = (message for example in (*always, *liked) for message in example.messages)
        return [self._rules, *shown]

    @cached_property
    def _most_liked(self) -> int:
        """How many tokens the examples take at most that are like a request."""
        return sum(sorted(map(_tokens, self._examples.others))[-_LIKE:])


def own_tokens(message: Message) -> int:
    """How many tokens a message takes whose words are our own.

    English, JSON and names of tools take 0.6 of what is reckoned for a text of any kind; the rest
    is margin.
    """
    return ceil(_OWN * message_tokens(message))


def _rules(tools: Mapping[str, Tool], today: date) -> str:
    rules = (files("resources") / "prompts" / "planner.md").read_text("utf-8")
    known = sorted((tool for tool in tools.values() if tool.name != REPLY), key=_seldom_last)
    described = "\n".join(map(_described, known))
    return f"{rules}\n## Tools\n\n{described}\n\nToday is {day_in_words(today)}."


def _fitting(examples: Sequence[Example], room: int) -> Sequence[Example]:
    """The last of them that fit."""
    kept = examples
    while kept and _taken(kept) > room:
        kept = kept[1:]
    return kept


def _taken(examples: Sequence[Example]) -> int:
    return sum(map(_tokens, examples))


def _tokens(example: Example) -> int:
    return sum(map(own_tokens, example.messages))


def _seldom_last(tool: Tool) -> bool:
    return is_seldom(tool.name)


def _described(tool: Tool) -> str:
    """A tool as a model reads it: a line for it, and a line for each parameter.

    Of one that is seldom asked for the parameters are only named, so that it takes little from
    what is said of the others; where a request is like it, examples show it.
    """
    given = tool.parameters
    use = use_of(tool.name)
    if is_seldom(tool.name):
        return f"{tool.name}: {use} Takes {', '.join(given['properties'])}."
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
