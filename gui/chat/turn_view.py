"""A turn as the chat shows it: request, steps, reply, and the icon and label of its status."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from assistant.runs.reply import Reply, ReplyStatus
from gui.theme.colors import Tokens


class StepState(StrEnum):
    """The state of a step: the values of `assistant.runs.events.StepOutcome` and two more."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    DECLINED = "declined"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of a plan.

    Attributes:
        note: The reason, for the user, if the step was not done.
        acted: Whether the step had an effect, such as a sent mail or a new file.
    """

    id: int
    title: str
    state: StepState = StepState.PENDING
    note: str = ""
    acted: bool = False


@dataclass(frozen=True, slots=True)
class RemedyView:
    """A button under a reply; `name` identifies it when it is pressed."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class WaitStatus:
    """The current wait of an open turn; `since` is a time of `time.monotonic`."""

    text: str
    since: float


@dataclass(frozen=True, slots=True)
class TurnView:
    """A request and its reply; without a reply the turn is still open.

    Attributes:
        asked_at: The time of the request, with its zone.
        suggestions: Requests that the program itself offers, never taken from a reply's Markdown.
        text: The part of the reply streamed so far, in Markdown.
        spent: The usage of models, formatted for display.
        acted: Whether the turn had an effect, so that no other reply can replace it.
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

    def with_steps(self, steps: Sequence[StepView]) -> "TurnView":
        """Return a copy with other steps."""
        return replace(self, steps=tuple(steps))

    def with_wait(self, wait: WaitStatus | None) -> "TurnView":
        """Return a copy with another wait status."""
        return replace(self, wait=wait)


STATUS_LABELS: dict[ReplyStatus, str] = {
    "success": "Done",
    "partial_success": "Partly done",
    "info": "For your information",
    "error": "Not done",
}


@dataclass(frozen=True, slots=True)
class StatusIcon:
    """An icon and its colour."""

    icon: str
    color: str


def reply_announcement(reply: Reply) -> str:
    """Format a reply for a screen reader."""
    return f"{STATUS_LABELS[reply.status]}. {reply.message}\n{reply.details}".strip()


def status_icon(status: str, tokens: Tokens) -> StatusIcon:
    """Return the icon and colour of a reply status."""
    icons = {
        "success": StatusIcon("check-circle", tokens.success),
        "partial_success": StatusIcon("alert", tokens.warning),
        "error": StatusIcon("cross-circle", tokens.error),
    }
    return icons.get(status, StatusIcon("info", tokens.accent))
