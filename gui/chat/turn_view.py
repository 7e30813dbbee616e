"""A turn as the chat shows it: request, steps, reply, and the icon and label of its status."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from assistant.runs.reply import Reply, ReplyStatus
from gui.theme.colors import Tokens


class StepState(StrEnum):
    """Where a step stands; the values are those of `assistant.runs.events.Outcome` and two more."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    DECLINED = "declined"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class StepView:
    """One line of a plan; `note` says in words why a step was not done.

    `acted` tells that it made or sent something.
    """

    id: int
    title: str
    state: StepState = StepState.PENDING
    note: str = ""
    acted: bool = False


@dataclass(frozen=True, slots=True)
class RemedyView:
    """A button under a reply; `name` is what comes back when it is pressed."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class WaitStatus:
    """What an open turn waits for, and since when, in seconds of `time.monotonic`."""

    words: str
    since: float


@dataclass(frozen=True, slots=True)
class TurnView:
    """One exchange; without a reply it is still running.

    `suggestions` are requests the program itself offers; a click asks them. They never come
    from a reply's Markdown. `asked_at` is aware. `text` is as much of the reply as was written so
    far, in Markdown. `spent` says what models took for it. `acted` tells that it had an effect, so
    that another answer cannot take its place.
    """

    request: str
    asked_at: datetime | None = None
    steps: tuple[StepView, ...] = ()
    reply: Reply | None = None
    remedy: RemedyView | None = None
    suggestions: tuple[str, ...] = ()
    text: str = ""
    wait: WaitStatus | None = None
    spent: str = ""
    acted: bool = False


def with_step_state(
    steps: Sequence[StepView], id: int, state: StepState, note: str
) -> list[StepView]:
    """Give the steps with one of them in another state."""
    return [replace(step, state=state, note=note) if step.id == id else step for step in steps]


STATUS_LABELS: dict[ReplyStatus, str] = {
    "success": "Done",
    "partial_success": "Partly done",
    "info": "For your information",
    "error": "Not done",
}


@dataclass(frozen=True, slots=True)
class StatusIcon:
    """An icon in a colour."""

    icon: str
    color: str


def reply_announcement(reply: Reply) -> str:
    """Give a reply as it is read out."""
    return f"{STATUS_LABELS[reply.status]}. {reply.message}\n{reply.details}".strip()


def status_icon(status: str, tokens: Tokens) -> StatusIcon:
    """Give the icon and colour of a status."""
    marks = {
        "success": StatusIcon("check-circle", tokens.success),
        "partial_success": StatusIcon("alert", tokens.warning),
        "error": StatusIcon("cross-circle", tokens.error),
    }
    return marks.get(status, StatusIcon("info", tokens.accent))
