"""The written planner: one completion, one whole plan, without tool outputs."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from datetime import date
from functools import partial

from assistant.model_client.language_model import (
    Completion,
    LanguageModel,
    Message,
    ModelError,
    Prompt,
)
from assistant.planners.planner import Planner, PlanningContext
from assistant.planners.prompt_messages import estimate_message_tokens, history_messages
from assistant.planners.written.plan_json import (
    exchange_in_plan_json,
    parse_plan,
    partial_reply,
    plain_text_plan,
)
from assistant.planners.written.plan_schema import LOOK_FIRST
from assistant.planners.written.planning_prompt import PlanningPrompt, estimate_own_tokens
from assistant.runs.events import ProgressChanged, TextStreamed
from assistant.runs.plan import Plan, PlanError
from tools.tool import Tool

_MAX_PLAN_TOKENS = 1500  # tokens of a plan


class WrittenPlanner:
    """Has a model write plans.

    Args:
        model: who writes.
        then: takes over where the plan is to look first; without it every plan is whole.
    """

    def __init__(self, model: LanguageModel, then: Planner | None = None) -> None:
        self._model = model
        self._then = then
        self._openings: dict[tuple[tuple[str, ...], date], PlanningPrompt] = {}

    async def next(self, situation: PlanningContext) -> Plan | None:
        """The whole plan.

        Raises:
            PlanError: what the model wrote is no plan.
            ModelError: there is no answer from the model.
        """
        if situation.done or self._then in situation.memory:
            return await self._then.next(situation) if self._then else None
        text = await self._written(situation)
        if situation.refusal and "{" not in text and text.strip():
            return plain_text_plan(text)
        plan = parse_plan(text, situation.tools)
        if self._then and any(step.action == LOOK_FIRST for step in plan.steps):
            return await self._then.next(situation)
        return plan

    async def _written(self, situation: PlanningContext) -> str:
        """What the model writes; an answer that needs no steps is told as it comes."""
        prompt = await self._prompt(situation)
        situation.tell(ProgressChanged(f"{self._model.name} plans the steps"))
        text, told = "", ""
        async with aclosing(self._model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    situation.tell(ProgressChanged(""))
                    return _completed_text(piece)
                text += piece
                answer = partial_reply(text)
                if len(answer) > len(told):
                    situation.tell(TextStreamed(answer[len(told) :]))
                    told = answer
        raise ModelError(f"{self._model.name} ended without an answer. Try again.")

    async def _prompt(self, situation: PlanningContext) -> Prompt:
        opening = await self._opening(situation.tools, situation.clock().date())
        last = (Message("user", situation.request.text), *_refusal_messages(situation.refusal))
        room = self._model.context - _MAX_PLAN_TOKENS - sum(map(estimate_message_tokens, last))
        first = opening.messages(situation.request.text, room)
        room -= sum(map(estimate_own_tokens, first))
        history = [exchange_in_plan_json(exchange) for exchange in situation.request.history]
        messages = (*first, *history_messages(history, room), *last)
        return Prompt(messages, opening.schemas, limit=_MAX_PLAN_TOKENS, temperature=0)

    async def _opening(self, tools: Mapping[str, Tool], today: date) -> PlanningPrompt:
        """The same objects for the same tools on the same day, so that they are encoded once.

        They are made in a thread, so that nothing else waits for them.
        """
        kept = (tuple(tools), today)
        if kept not in self._openings:
            self._openings = {key: each for key, each in self._openings.items() if key[1] == today}
            looks = self._then is not None
            made = partial(PlanningPrompt, tools, today, can_look_first=looks)
            self._openings[kept] = await asyncio.to_thread(made)
        return self._openings[kept]


def _refusal_messages(why: str) -> tuple[Message, ...]:
    if not why:
        return ()
    return (Message("user", f"Your plan for this was refused: {why} Write the plan again."),)


def _completed_text(answer: Completion) -> str:
    if answer.cut:
        raise PlanError("The plan is too long and broke off; write a shorter one.")
    return answer.text
