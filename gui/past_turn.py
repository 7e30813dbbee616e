"""A past turn: one that is over, from the store to what the chat shows of it."""

from assistant.conversation import Turn
from assistant.reply import Reply
from gui.chat.turn import RemedyView, StepState, StepView, TurnView
from gui.spent_words import spent_words
from gui.words import SUGGESTIONS

CONNECT_MODEL = "connect_model"
"""The remedy of a request that nobody understood, which is offered others in its place."""

_LOST = Reply(
    "Deskhand was closed before this was answered.",
    "Ask again to have it done.",
    status="error",
)


def view_of(turn: Turn, remedy: RemedyView | None) -> TurnView:
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
        turn.reply or _LOST,
        remedy,
        SUGGESTIONS if not_understood else (),
        spent=spent_words(turn.spent),
        acted=turn.acted,
    )
