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
    """A request and its plan as plan JSON; `after` is an example of the preceding exchange."""

    request: str
    steps: Mapping[str, Any]
    reply: str
    after: "PlanExample | None" = None
    rare: bool = False  # requests for its tool are rare

    @property
    def actions(self) -> set[str]:
        """Tools that the plan calls."""
        return {step["action"] for step in self.steps.values()}

    @cached_property
    def words(self) -> frozenset[str]:
        """Shortened words of the request."""
        return _words(self.request)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The example as prompt messages."""
        own = (
            Message("user", self.request),
            Message("assistant", plan_json(self.steps, self.reply)),
        )
        return (*self.after.messages, *own) if self.after else own


class PlanExamples:
    """The examples for the available tools, from `resources/prompts/examples`, one file a tool.

    `reply_to_user` has those that need no tool, and comes last. The first example of a file is
    always shown, unless the tool is marked `seldom = true`; the others are shown if they resemble
    the request, and those of rare tools only if one of them resembles it most.
    """

    def __init__(self, tools: Collection[str], *, can_look_first: bool) -> None:
        known = {*tools, *([LOOK_FIRST] if can_look_first else [])}
        names = sorted(known, key=lambda name: (name == REPLY_ACTION, name))
        files = [[each for each in _load_examples(name) if each.actions <= known] for name in names]
        always = [file[0] for file in files if file and not file[0].rare]
        self.always: Sequence[PlanExample] = always
        self.others: Sequence[PlanExample] = [
            each for file in files for each in file if each not in always
        ]
        self._word_counts = Counter(word for each in self.others for word in each.words)

    def similar(self, request: str, count: int) -> Sequence[PlanExample]:
        """Return the most similar of the other examples, the best one last."""
        words = _words(request)
        # Frequent words weigh less. Sorted, because the order of a sum changes its last digits.
        scores = {
            each.request: sum(1 / self._word_counts[word] for word in sorted(each.words & words))
            for each in self.others
        }
        found = [each for each in self.others if scores[each.request] > 0]
        found.sort(key=lambda each: scores[each.request])
        if found and not found[-1].rare:
            found = [each for each in found if not each.rare]
        return found[-count:]


def tool_usage(tool: str) -> str:
    """Return when to use a tool, in the words of requests; "" if its description is enough."""
    return str(_load_file(tool).get("use", ""))


def is_rare(tool: str) -> bool:
    """Whether requests for a tool are rare."""
    return bool(_load_file(tool).get("seldom"))


def _load_examples(name: str) -> Sequence[PlanExample]:
    rare = is_rare(name)
    return [_example(each, rare=rare) for each in _load_file(name).get("examples", ())]


def _example(written: Mapping[str, Any], *, rare: bool = False) -> PlanExample:
    after = _example(written["after"]) if "after" in written else None
    steps = json.loads(written["plan"])
    return PlanExample(written["request"], steps, written["reply"], after, rare)


@cache
def _load_file(name: str) -> Mapping[str, Any]:
    file = files("resources") / "prompts" / "examples" / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def _words(text: str) -> frozenset[str]:
    """Return the words cut to five letters, so that inflection matters little."""
    return frozenset(word[:5] for word in _EXAMPLE_WORD.findall(text.casefold()))
