"""Events: progress of a run, in order of occurrence."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.runs.plan import Plan
from assistant.runs.reply import Reply, RequestUsage
from tools.proposal import Choice, Proposal
from tools.tool_errors import Remedy


class StepOutcome(StrEnum):
    """How a step ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    DECLINED = "declined"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class ProgressChanged:
    """What is being waited for, such as "Qwen plans the steps"; "" when it is over."""

    words: str


@dataclass(frozen=True)
class PlannedStep:
    """A step as a person reads it."""

    id: int
    title: str


@dataclass(frozen=True)
class Planned:
    """A plan was made and checked; a later one of the same run adds its steps.

    `exposed` says that whoever made it had read what tools gave out.
    """

    plan: Plan
    steps: tuple[PlannedStep, ...]
    exposed: bool = False


@dataclass(frozen=True)
class TextStreamed:
    """A piece of the reply's text, in Markdown, as it is being written."""

    text: str


@dataclass(frozen=True)
class StepStarted:
    """A step began."""

    id: int


@dataclass(frozen=True)
class StepFinished:
    """A step ended; `note` says in words why, when it was not done.

    `acted` tells that something was made or left the computer.
    """

    id: int
    outcome: StepOutcome
    note: str = ""
    acted: bool = False


@dataclass(frozen=True)
class ApprovalNeeded:
    """The run waits for an answer to this proposal, or for a choice among several."""

    id: int
    proposal: Proposal[Any] | Choice[Any]
    exposed: bool = False


@dataclass(frozen=True)
class Replied:
    """The run ended; the last event, always sent exactly once.

    `said` is what of the reply a later planner may read: never anything a tool gave out. `spent`
    is None where no model was asked.
    """

    reply: Reply
    remedy: Remedy | None = None
    said: str = ""
    spent: RequestUsage | None = None


Event = (
    ProgressChanged | Planned | StepStarted | StepFinished | ApprovalNeeded | TextStreamed | Replied
)
