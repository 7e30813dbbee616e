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
    """Lets a model write whole plans.

    Args:
        model: The model that writes.
        then: Planner that takes over if the plan is to look things up first; without one, every
            plan is whole.
    """

    def __init__(self, model: LanguageModel, then: Planner | None = None) -> None:
        self._model = model
        self._then = then
        self._prompts: dict[tuple[tuple[str, ...], date], PlanningPrompt] = {}

    async def next(self, context: PlanningContext) -> Plan | None:
        """Return the whole plan.

        Raises:
            PlanError: the model wrote no valid plan.
            ModelError: the call of the model failed.
        """
        if context.results or self._then in context.memory:
            return await self._then.next(context) if self._then else None
        text = await self._completion_text(context)
        if context.rejection and "{" not in text and text.strip():
            return plain_text_plan(text)
        plan = parse_plan(text, context.tools)
        if self._then and any(step.action == LOOK_FIRST for step in plan.steps):
            return await self._then.next(context)
        return plan

    async def _completion_text(self, context: PlanningContext) -> str:
        """Return the text of the completion; emit a reply without steps as it arrives."""
        prompt = await self._prompt(context)
        context.emit(ProgressChanged(f"{self._model.name} plans the steps"))
        text, emitted = "", ""
        async with aclosing(self._model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    context.emit(ProgressChanged(""))
                    if piece.truncated:
                        raise PlanError("The plan is too long and broke off; write a shorter one.")
                    return piece.text
                text += piece
                reply = partial_reply(text)
                if len(reply) > len(emitted):
                    context.emit(TextStreamed(reply[len(emitted) :]))
                    emitted = reply
        raise ModelError(f"{self._model.name} ended without an answer. Try again.")

    async def _prompt(self, context: PlanningContext) -> Prompt:
        start = await self._planning_prompt(context.tools, context.clock().date())
        last = [Message("user", context.request.text)]
        if reason := context.rejection:
            refused = f"Your plan for this was refused: {reason} Write the plan again."
            last.append(Message("user", refused))
        budget = self._model.context - _MAX_PLAN_TOKENS - sum(map(estimate_message_tokens, last))
        first = start.messages(context.request.text, budget)
        budget -= sum(map(estimate_own_tokens, first))
        history = [exchange_in_plan_json(exchange) for exchange in context.request.history]
        messages = (*first, *history_messages(history, budget), *last)
        return Prompt(messages, start.schemas, max_tokens=_MAX_PLAN_TOKENS, temperature=0)

    async def _planning_prompt(self, tools: Mapping[str, Tool], today: date) -> PlanningPrompt:
        """Return one prompt for the same tools and day, so that its messages are encoded once.

        It is built in a thread to keep the event loop free.
        """
        key = (tuple(tools), today)
        if key not in self._prompts:
            self._prompts = {old: each for old, each in self._prompts.items() if old[1] == today}
            can_look_first = self._then is not None
            build = partial(PlanningPrompt, tools, today, can_look_first=can_look_first)
            self._prompts[key] = await asyncio.to_thread(build)
        return self._prompts[key]
