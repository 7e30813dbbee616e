"""Turns: the state of a running request, and the view of a finished one."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from assistant.conversation_store import StepRecord, Turn
from assistant.runs.reply import Reply
from gui.chat.suggestions import SAMPLE_REQUESTS
from gui.chat.turn_view import RemedyView, StepState, StepView, TurnView, WaitStatus

if TYPE_CHECKING:
    from assistant.runs.reply import RequestUsage
    from gui.chat.approval_card import ApprovalRequest
    from tools.proposal import Proposal

_CENT = Decimal("0.01")
_NOT_UNDERSTOOD = "connect_model"  # the remedy of a request that was not understood
_INTERRUPTED_REPLY = Reply(
    "Deskhand was closed before this was answered.",
    "Ask again to have it done.",
    status="error",
)


class OpenTurn(QObject):
    """The state of a running request: set by its run, shown by the session.

    Signals:
        steps_changed: A plan was added, or a step started or ended: all StepViews.
        wait_changed: WaitStatus, or None when the wait is over.
        text_appended: A piece of the reply's text, in Markdown.
        approval_requested: An ApprovalRequest waits for its answer.
        stop_requested: The run should end.
        finished: The turn has its reply: RemedyView or None.
    """

    steps_changed = Signal(object)
    wait_changed = Signal(object)
    text_appended = Signal(str)
    approval_requested = Signal(object)
    stop_requested = Signal()
    finished = Signal(object)

    def __init__(self, turn: Turn, parent: QObject | None) -> None:
        super().__init__(parent)
        self.turn = turn
        self.approval: ApprovalRequest | None = None
        self._steps: dict[int, StepView] = {}
        self._plans: list[str] = []
        self._text: list[str] = []
        self._wait: WaitStatus | None = None
        self._was_approved = False

    @property
    def view(self) -> TurnView:
        """The current state of the turn."""
        return TurnView(
            self.turn.text,
            self.turn.asked,
            tuple(self._steps.values()),
            text="".join(self._text),
            wait=self._wait,
        )

    def add_plan(self, steps: Iterable[StepView], plan_json: str = "") -> None:
        """Add the steps of a plan; its JSON is "" if later planners must not read it."""
        self._steps |= {step.id: step for step in steps}
        self._plans.append(plan_json)
        self.steps_changed.emit(tuple(self._steps.values()))

    def set_step(self, id: int, state: StepState, note: str = "", *, acted: bool = False) -> None:
        """Set the state of a step; ignored for the reply, which is no step."""
        if id in self._steps:
            self._steps[id] = replace(self._steps[id], state=state, note=note, acted=acted)
            self.steps_changed.emit(tuple(self._steps.values()))

    def set_wait(self, text: str) -> None:
        """Set the text of the wait status; "" ends the wait."""
        self._wait = WaitStatus(text, monotonic()) if text else None
        self.wait_changed.emit(self._wait)

    def append_text(self, text: str) -> None:
        """Append streamed text of the reply."""
        self._text.append(text)
        self.text_appended.emit(text)

    def set_approval(self, request: "ApprovalRequest") -> None:
        """Set the open request for approval, until it is closed."""
        self.approval = request
        request.closed.connect(self._close_approval)
        self.approval_requested.emit(request)

    def stop(self) -> None:
        """Ask the run to end."""
        self.stop_requested.emit()

    def decline_and_stop(self) -> None:
        """Decline an open request for approval and ask the run to end."""
        if self.approval is not None:
            self.approval.answer(None)
        self.stop()

    def finish(
        self,
        reply: Reply,
        remedy: RemedyView | None = None,
        planner_text: str = "",
        usage: "RequestUsage | None" = None,
    ) -> None:
        """Set the reply, the text of it that later planners may read, and the model usage."""
        plan = self._plans[0] if len(self._plans) == 1 else ""
        steps = tuple(self._record(step) for step in self._steps.values())
        self.turn = replace(
            self.turn, steps=steps, reply=reply, plan=plan, planner_text=planner_text, usage=usage
        )
        self.finished.emit(remedy)

    def _close_approval(self, approved: "Proposal[Any] | None") -> None:
        self.approval = None
        self._was_approved = self._was_approved or approved is not None

    def _record(self, step: StepView) -> StepRecord:
        """Return the stored form of a step; one that failed once approved may have acted."""
        may_have_acted = self._was_approved and step.state is StepState.FAILED
        return StepRecord(step.title, step.state, step.note, step.acted or may_have_acted)


def finished_turn_view(turn: Turn, remedy: RemedyView | None) -> TurnView:
    """Return the view of a stored turn, with suggestions if it was not understood."""
    steps = tuple(
        StepView(number, step.title, StepState(step.outcome), step.note)
        for number, step in enumerate(turn.steps, start=1)
    )
    not_understood = remedy is not None and remedy.name == _NOT_UNDERSTOOD
    return TurnView(
        turn.text,
        turn.asked,
        steps,
        turn.reply or _INTERRUPTED_REPLY,
        remedy,
        SAMPLE_REQUESTS if not_understood else (),
        spent=format_usage(turn.usage),
        acted=turn.acted,
    )


def format_usage(usage: "RequestUsage | None") -> str:
    """Return tokens and cost of a request in one line; "" if no model was used."""
    if usage is None:
        return ""
    about = "about " if usage.estimated else ""
    return f"{about}{usage.prompt + usage.completion:,} tokens · {_format_cost(usage.money)}"


def format_usd(amount: Decimal) -> str:
    """Format US dollars with cents; amounts below a cent with two significant digits."""
    if not amount or amount >= _CENT:
        return f"${amount:,.2f}"
    return f"${amount:.{1 - amount.adjusted()}f}".rstrip("0")


def _format_cost(amount: Decimal | None) -> str:
    if amount is None:
        return "price not known"
    return format_usd(amount) if amount else "on this computer"
