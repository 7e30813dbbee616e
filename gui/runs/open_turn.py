"""An open turn: the state of a request from its start to its reply, and its views."""

from collections.abc import Callable, Iterable
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
    from tools.proposal import Choice, Proposal

_CENT = Decimal("0.01")


def format_usage(spent: "RequestUsage | None") -> str:
    """What models took for one request, in a line; nothing where none was asked."""
    if spent is None:
        return ""
    about = "about " if spent.estimated else ""
    return f"{about}{spent.prompt + spent.completion:,} tokens · {_format_cost(spent.money)}"


def format_usd(money: Decimal) -> str:
    """US dollars: cents as usual, and two figures of what is less than that."""
    if not money or money >= _CENT:
        return f"${money:,.2f}"
    return f"${money:.{1 - money.adjusted()}f}".rstrip("0")


def _format_cost(money: Decimal | None) -> str:
    if money is None:
        return "price not known"
    return format_usd(money) if money else "on this computer"


CONNECT_MODEL = "connect_model"
"""The remedy of a request that nobody understood, which is offered others in its place."""

_INTERRUPTED_REPLY = Reply(
    "Deskhand was closed before this was answered.",
    "Ask again to have it done.",
    status="error",
)


def finished_turn_view(turn: Turn, remedy: RemedyView | None) -> TurnView:
    """A turn that is over, with the button that mends it."""
    steps = tuple(
        StepView(number, step.title, StepState(step.outcome), step.note)
        for number, step in enumerate(turn.steps, start=1)
    )
    not_understood = remedy is not None and remedy.name == CONNECT_MODEL
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


class OpenTurn(QObject):
    """Told by whoever runs the request; tells whoever shows it.

    Signals:
        planned: The steps known so far: a list of StepView.
        stepped: A step began or ended: its StepView.
        waited: What is waited for: Wait, or None when that is over.
        wrote: A piece of the reply's text, in Markdown.
        asked: A Proposal or a Choice waits for an answer.
        answered: Nothing waits for an answer any more.
        stop_wanted: The run should end.
        closed: The reply is in `turn`: RemedyView or None.
    """

    planned = Signal(object)
    stepped = Signal(object)
    waited = Signal(object)
    wrote = Signal(str)
    asked = Signal(object)
    answered = Signal()
    stop_wanted = Signal()
    closed = Signal(object)

    def __init__(self, turn: Turn, parent: QObject | None) -> None:
        super().__init__(parent)
        self.turn = turn
        self.question: Proposal[Any] | Choice[Any] | None = None
        self._steps: dict[int, StepView] = {}
        self._plans: list[str] = []
        self._pieces: list[str] = []
        self._wait: WaitStatus | None = None
        self._approved = False
        self._answer: Callable[[Proposal[Any] | None], None] | None = None

    @property
    def view(self) -> TurnView:
        """The turn as it stands."""
        return TurnView(
            self.turn.text,
            self.turn.asked,
            tuple(self._steps.values()),
            text="".join(self._pieces),
            wait=self._wait,
        )

    def plan(self, steps: Iterable[StepView], written: str = "") -> None:
        """Take more steps; `written` is the plan as JSON, where a later planner may read it."""
        self._steps |= {step.id: step for step in steps}
        self._plans.append(written)
        self.planned.emit(list(self._steps.values()))

    def step(self, id: int, state: StepState, note: str = "", *, acted: bool = False) -> None:
        """Note where a step stands; the reply itself is no step."""
        if id in self._steps:
            self._steps[id] = replace(self._steps[id], state=state, note=note, acted=acted)
            self.stepped.emit(self._steps[id])

    def wait(self, words: str) -> None:
        """Say what is being waited for; nothing when it is over."""
        self._wait = WaitStatus(words, monotonic()) if words else None
        self.waited.emit(self._wait)

    def write(self, text: str) -> None:
        """Take a piece of the reply's text."""
        self._pieces.append(text)
        self.wrote.emit(text)

    def ask(
        self,
        question: "Proposal[Any] | Choice[Any]",
        answer: "Callable[[Proposal[Any] | None], None]",
    ) -> None:
        """Wait for the person; `answer` is called at most once."""
        self.question, self._answer = question, answer
        self.asked.emit(question)

    def answer(self, approved: "Proposal[Any] | None") -> None:
        """The person has decided: this may be performed, or nothing."""
        answer = self._answer
        self._approved = self._approved or approved is not None
        self.withdraw()
        if answer is not None:
            answer(approved)

    def withdraw(self) -> None:
        """Nobody waits for an answer any more."""
        self.question = self._answer = None
        self.answered.emit()

    def stop(self) -> None:
        """Ask the run to end."""
        self.stop_wanted.emit()

    def close(
        self,
        reply: Reply,
        remedy: RemedyView | None = None,
        said: str = "",
        spent: "RequestUsage | None" = None,
    ) -> None:
        """Take the reply, what a later planner may read of it, and what models took."""
        plan = self._plans[0] if len(self._plans) == 1 else ""
        steps = tuple(self._record(step) for step in self._steps.values())
        self.turn = replace(
            self.turn, steps=steps, reply=reply, plan=plan, planner_text=said, usage=spent
        )
        self.closed.emit(remedy)

    def _record(self, step: StepView) -> StepRecord:
        """The step as it is kept; one that failed after a yes may have had its effect."""
        may_have = self._approved and step.state is StepState.FAILED
        return StepRecord(step.title, step.state, step.note, step.acted or may_have)
