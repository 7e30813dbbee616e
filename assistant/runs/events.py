"""Events: progress of a run, in order of occurrence."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.runs.plan import Plan
from assistant.runs.reply import Reply, RequestUsage
from tools.tool_errors import Remedy


class StepOutcome(StrEnum):
    """The outcome of a step."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    DECLINED = "declined"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class ProgressChanged:
    """Progress of planning, such as "Qwen plans the steps"; "" when it ends."""

    text: str


@dataclass(frozen=True)
class PlannedStep:
    """A step with its title."""

    id: int
    title: str


@dataclass(frozen=True)
class Planned:
    """A plan was validated; a later plan of the same run adds its steps.

    `exposed` means that its planner had read tool output.
    """

    plan: Plan
    steps: tuple[PlannedStep, ...]
    exposed: bool = False


@dataclass(frozen=True)
class TextStreamed:
    """A piece of the reply, in Markdown, while it is written."""

    text: str


@dataclass(frozen=True)
class StepStarted:
    """A step started."""

    id: int


@dataclass(frozen=True)
class StepFinished:
    """A step ended; `note` is the reason if it was not done.

    `acted` means that it had an effect, or may have had one.
    """

    id: int
    outcome: StepOutcome
    note: str = ""
    acted: bool = False


@dataclass(frozen=True)
class Replied:
    """The run ended: the last event, emitted exactly once.

    `planner_text` is the text of the reply that later planners may read; it holds no tool output.
    `usage` is None if no model was used.
    """

    reply: Reply
    remedy: Remedy | None = None
    planner_text: str = ""
    usage: RequestUsage | None = None


Event = ProgressChanged | Planned | StepStarted | StepFinished | TextStreamed | Replied
