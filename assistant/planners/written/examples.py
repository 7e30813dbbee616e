"""Examples: requests with the plans they should get, each kept beside the tool it is for."""

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from assistant.model.prompt import Message
from assistant.plan import REPLY
from assistant.planners.written.schema import LOOK_FIRST


@dataclass(frozen=True)
class Example:
    """A request and the plan for it, in the form a model writes it."""

    request: str
    plan: str

    @property
    def actions(self) -> set[str]:
        """The tools that the plan needs."""
        return {step["action"] for step in json.loads(self.plan)["plan"].values()}

    def messages(self) -> tuple[Message, Message]:
        """The example as a model reads it."""
        return Message("user", self.request), Message("assistant", self.plan)


def examples(tools: Collection[str], *, can_look_first: bool) -> Sequence[Example]:
    """The examples that can be followed with these tools, in the order of the tools.

    They lie in `resources/prompts/examples`, one file a tool; `reply_to_user` has those that need
    no tool, and comes last.
    """
    known = {*tools, *([LOOK_FIRST] if can_look_first else [])}
    names = sorted(known, key=lambda name: (name == REPLY, name))
    found = (example for name in names for example in _of(name))
    return [example for example in found if example.actions <= known]


def use_of(tool: str) -> str:
    """When to use a tool, in the words of a request; "" where its description says enough."""
    return str(_written(tool).get("use", ""))


def _of(name: str) -> Sequence[Example]:
    return [_example(each) for each in _written(name).get("examples", ())]


def _written(name: str) -> Mapping[str, Any]:
    file = files("resources") / "prompts" / "examples" / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def _example(written: dict[str, Any]) -> Example:
    plan = json.dumps(
        {"plan": json.loads(written["plan"]), "reply": written["reply"]}, ensure_ascii=False
    )
    return Example(written["request"], plan)
