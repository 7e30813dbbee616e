"""A plan: steps that end in a reply; a step is one call of a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Comparison = Literal["empty", "not_empty", "==", "!=", "<", "<=", ">", ">="]


class PlanError(Exception):
    """The plan cannot run; the text tells the planner what to mend."""


@dataclass(frozen=True)
class Condition:
    """When a step runs: `value` (usually a reference) compared, with `than` where needed."""

    value: Any
    comparison: Comparison
    than: Any = None


@dataclass(frozen=True)
class Step:
    """One call of one tool; `parameters` may hold references to earlier steps."""

    id: int
    action: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    dependencies: tuple[int, ...] = ()
    expected_output: str = ""
    reasoning: str = ""
    when: Condition | None = None


@dataclass(frozen=True)
class Plan:
    """Steps in order; the last one is `reply_to_user`."""

    steps: tuple[Step, ...]
    goal: str = ""
    complexity: str = ""
