"""An open turn: a request on its way to its reply, as the window follows it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from assistant.conversation import StepRecord, Turn
from assistant.reply import Reply
from gui.chat.turn import RemedyView, StepState, StepView, TurnView

if TYPE_CHECKING:
    from tools.tool import Proposal


class OpenTurn(QObject):
    """Told by whoever runs the request; tells whoever shows it.

    Signals:
        planned: The steps are known: a list of StepView.
        stepped: A step began or ended: its StepView.
        asked: A proposal waits for an answer.
        answered: Nothing waits for an answer any more.
        stop_wanted: The run should end.
        closed: The reply is there: Reply, and RemedyView or None.
    """

    planned = Signal(object)
    stepped = Signal(object)
    asked = Signal(object)
    answered = Signal()
    stop_wanted = Signal()
    closed = Signal(object, object)

    def __init__(self, turn: Turn, parent: QObject) -> None:
        super().__init__(parent)
        self.turn = turn
        self.proposal: Proposal[Any] | None = None
        self._steps: dict[int, StepView] = {}
        self._answer: Callable[[bool], None] | None = None

    @property
    def view(self) -> TurnView:
        """The turn as it stands."""
        return TurnView(self.turn.text, self.turn.asked, tuple(self._steps.values()))

    @property
    def records(self) -> tuple[StepRecord, ...]:
        """The steps as they are kept."""
        steps = self._steps.values()
        return tuple(StepRecord(step.title, step.state, step.note) for step in steps)

    def plan(self, steps: Iterable[StepView]) -> None:
        """Take the steps of the plan."""
        self._steps = {step.id: step for step in steps}
        self.planned.emit(list(self._steps.values()))

    def step(self, id: int, state: StepState, note: str = "") -> None:
        """Note where a step stands; the reply itself is no step."""
        if id in self._steps:
            self._steps[id] = replace(self._steps[id], state=state, note=note)
            self.stepped.emit(self._steps[id])

    def ask(self, proposal: "Proposal[Any]", answer: Callable[[bool], None]) -> None:
        """Wait for the person; `answer` is called at most once."""
        self.proposal, self._answer = proposal, answer
        self.asked.emit(proposal)

    def answer(self, *, approved: bool) -> None:
        """The person has decided."""
        answer = self._answer
        self.withdraw()
        if answer is not None:
            answer(approved)

    def withdraw(self) -> None:
        """Nobody waits for an answer any more."""
        self.proposal = self._answer = None
        self.answered.emit()

    def stop(self) -> None:
        """Ask the run to end."""
        self.stop_wanted.emit()

    def close(self, reply: Reply, remedy: RemedyView | None) -> None:
        """Take the reply."""
        self.closed.emit(reply, remedy)
