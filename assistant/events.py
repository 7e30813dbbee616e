"""Events: what a run tells whoever watches it, in the order it happens."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.plan import Plan
from assistant.reply import Reply
from tools.tool import Proposal


class Outcome(StrEnum):
    """How a step ended."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    DECLINED = "declined"
    CANCELLED = "cancelled"


class Remedy(StrEnum):
    """What a button under a reply offers to mend."""

    CONNECT_MODEL = "connect_model"


@dataclass(frozen=True)
class PlannedStep:
    """A step as a person reads it."""

    id: int
    title: str


@dataclass(frozen=True)
class Planned:
    """A plan was made and checked."""

    plan: Plan
    steps: tuple[PlannedStep, ...]


@dataclass(frozen=True)
class StepStarted:
    """A step began."""

    id: int


@dataclass(frozen=True)
class StepFinished:
    """A step ended; `note` says in words why, when it was not done."""

    id: int
    outcome: Outcome
    note: str = ""


@dataclass(frozen=True)
class ApprovalNeeded:
    """The run waits for an answer to this proposal."""

    id: int
    proposal: Proposal[Any]


@dataclass(frozen=True)
class Replied:
    """The run ended; the last event, always sent exactly once."""

    reply: Reply
    remedy: Remedy | None = None


Event = Planned | StepStarted | StepFinished | ApprovalNeeded | Replied
