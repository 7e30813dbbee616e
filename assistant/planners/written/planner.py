"""The written planner: one call, one whole plan; the model sees nothing that a tool gave out."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from datetime import date
from functools import partial

from assistant.events import Waiting, Wrote
from assistant.model.errors import ModelError
from assistant.model.prompt import Answer, LanguageModel, Message, Prompt
from assistant.plan import Plan, PlanError
from assistant.planners.context import earlier_messages, message_tokens
from assistant.planners.planner import Planner, Situation
from assistant.planners.written.form import answer_so_far, as_exchanged
from assistant.planners.written.mending import spoken_plan, written_plan
from assistant.planners.written.opening import Opening, own_tokens
from assistant.planners.written.schema import LOOK_FIRST
from tools.tool import Tool

_LONGEST = 1500  # tokens of a plan


class WrittenPlanner:
    """Has a model write plans.

    Args:
        model: who writes.
        then: takes over where the plan is to look first; without it every plan is whole.
    """

    def __init__(self, model: LanguageModel, then: Planner | None = None) -> None:
        self._model = model
        self._then = then
        self._openings: dict[tuple[tuple[str, ...], date], Opening] = {}

    async def next(self, situation: Situation) -> Plan | None:
        """The whole plan.

        Raises:
            PlanError: what the model wrote is no plan.
            ModelError: there is no answer from the model.
        """
        if situation.done or self._then in situation.memory:
            return await self._then.next(situation) if self._then else None
        text = await self._written(situation)
        if situation.refusal and "{" not in text and text.strip():
            return spoken_plan(text)
        plan = written_plan(text, situation.tools)
        if self._then and any(step.action == LOOK_FIRST for step in plan.steps):
            return await self._then.next(situation)
        return plan

    async def _written(self, situation: Situation) -> str:
        """What the model writes; an answer that needs no steps is told as it comes."""
        prompt = await self._prompt(situation)
        situation.tell(Waiting(f"{self._model.name} plans the steps"))
        text, told = "", ""
        async with aclosing(self._model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    situation.tell(Waiting(""))
                    return _whole(piece)
                text += piece
                answer = answer_so_far(text)
                if len(answer) > len(told):
                    situation.tell(Wrote(answer[len(told) :]))
                    told = answer
        raise ModelError(f"{self._model.name} ended without an answer. Try again.")

    async def _prompt(self, situation: Situation) -> Prompt:
        opening = await self._opening(situation.tools, situation.clock().date())
        last = (Message("user", situation.request.text), *_refused(situation.refusal))
        room = self._model.context - _LONGEST - sum(map(message_tokens, last))
        first = opening.messages(situation.request.text, room)
        room -= sum(map(own_tokens, first))
        history = [as_exchanged(exchange) for exchange in situation.request.history]
        messages = (*first, *earlier_messages(history, room), *last)
        return Prompt(messages, opening.schemas, limit=_LONGEST, temperature=0)

    async def _opening(self, tools: Mapping[str, Tool], today: date) -> Opening:
        """The same objects for the same tools on the same day, so that they are encoded once.

        They are made in a thread, so that nothing else waits for them.
        """
        kept = (tuple(tools), today)
        if kept not in self._openings:
            self._openings = {key: each for key, each in self._openings.items() if key[1] == today}
            looks = self._then is not None
            made = partial(Opening, tools, today, can_look_first=looks)
            self._openings[kept] = await asyncio.to_thread(made)
        return self._openings[kept]


def _refused(why: str) -> tuple[Message, ...]:
    if not why:
        return ()
    return (Message("user", f"Your plan for this was refused: {why} Write the plan again."),)


def _whole(answer: Answer) -> str:
    if answer.cut:
        raise PlanError("The plan is too long and broke off; write a shorter one.")
    return answer.text
