"""Asking: one call of the model, heard while it answers."""

from contextlib import aclosing
from dataclasses import replace

from assistant.events import Waiting
from assistant.model.errors import ModelError
from assistant.model.prompt import Answer, LanguageModel, Prompt
from assistant.planners.planner import Situation
from assistant.planners.stepwise.printed_calls import printed_calls
from assistant.planners.stepwise.sources import sources
from assistant.planners.stepwise.telling import Telling


async def asked(model: LanguageModel, prompt: Prompt, situation: Situation) -> Answer:
    """The answer, also with the calls that were printed as text; its text is told as it comes.

    Raises:
        ModelError: there is none.
    """
    telling = Telling(situation.tell, lambda: sources(situation.done))
    situation.tell(Waiting(f"{model.name} decides the next step"))
    try:
        async with aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    return _told(_with_printed_calls(piece, len(prompt.messages)), telling)
                telling.take(piece)
    finally:
        situation.tell(Waiting(""))
    raise ModelError(f"{model.name} ended without an answer. Try again.")


def _with_printed_calls(answer: Answer, turn: int) -> Answer:
    calls = () if answer.calls else printed_calls(answer.text, turn)
    return replace(answer, text="", calls=calls) if calls else answer


def _told(answer: Answer, telling: Telling) -> Answer:
    if answer.calls:
        telling.turn()
    else:
        telling.end()
    return answer
