"""Plan examples: sample requests with their plans, one file a tool."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from assistant.model_client.language_model import Message
from assistant.planners.written.plan_json import plan_json
from assistant.planners.written.plan_schema import LOOK_FIRST
from assistant.runs.plan import REPLY_ACTION

_EXAMPLE_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class PlanExample:
    """A request and the plan for it, in the form a model writes it."""

    request: str
    steps: Mapping[str, Any]
    reply: str
    after: "PlanExample | None" = None  # what was asked before it
    seldom: bool = False  # whether what its tool is for is seldom asked

    @property
    def actions(self) -> set[str]:
        """The tools that the plan needs."""
        return {step["action"] for step in self.steps.values()}

    @cached_property
    def words(self) -> frozenset[str]:
        """What the request is made of."""
        return _words(self.request)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The example as a model reads it."""
        own = (Message("user", self.request), Message("assistant", self.written))
        return (*self.after.messages, *own) if self.after else own

    @property
    def written(self) -> str:
        """The plan as a model writes it."""
        return plan_json(self.steps, self.reply)


class PlanExamples:
    """The examples that can be followed with the tools on offer.

    They lie in `resources/prompts/examples`, one file a tool; `reply_to_user` has those that need
    no tool, and comes last. The first of a file is always shown, unless the file says that what its
    tool is for is seldom asked (`seldom = true`); the others are shown where they are like the
    request, and those of seldom tools only where one of them is the likest of all.
    """

    def __init__(self, tools: Collection[str], *, can_look_first: bool) -> None:
        known = {*tools, *([LOOK_FIRST] if can_look_first else [])}
        names = sorted(known, key=lambda name: (name == REPLY_ACTION, name))
        files = [[each for each in _load_examples(name) if each.actions <= known] for name in names]
        always = [file[0] for file in files if file and not file[0].seldom]
        self.always: Sequence[PlanExample] = always
        self.others: Sequence[PlanExample] = [
            each for file in files for each in file if each not in always
        ]
        self._often = Counter(word for each in self.others for word in each.words)

    def like(self, request: str, most: int) -> Sequence[PlanExample]:
        """Those of the others that share most with a request, the likest last."""
        words = _words(request)
        liked = {each.request: self._likeness(each, words) for each in self.others}
        found = [each for each in self.others if liked[each.request] > 0]
        found.sort(key=lambda each: liked[each.request])
        if found and not found[-1].seldom:
            found = [each for each in found if not each.seldom]
        return found[-most:]

    def _likeness(self, example: PlanExample, words: frozenset[str]) -> float:
        """How much they share; a word that many requests have tells little."""
        return sum(1 / self._often[word] for word in sorted(example.words & words))


def tool_usage(tool: str) -> str:
    """When to use a tool, in the words of a request; "" where its description says enough."""
    return str(_load_file(tool).get("use", ""))


def is_rare(tool: str) -> bool:
    """Whether what a tool is for is seldom asked."""
    return bool(_load_file(tool).get("seldom"))


def _load_examples(name: str) -> Sequence[PlanExample]:
    seldom = is_rare(name)
    return [_example(each, seldom=seldom) for each in _load_file(name).get("examples", ())]


def _example(written: Mapping[str, Any], *, seldom: bool = False) -> PlanExample:
    after = _example(written["after"]) if "after" in written else None
    steps = json.loads(written["plan"])
    return PlanExample(written["request"], steps, written["reply"], after, seldom)


@cache
def _load_file(name: str) -> Mapping[str, Any]:
    file = files("resources") / "prompts" / "examples" / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def _words(text: str) -> frozenset[str]:
    """The words, shortened so that their endings count little."""
    return frozenset(word[:5] for word in _EXAMPLE_WORD.findall(text.casefold()))
