"""The stepwise planner: a tool-calling loop with a model, one conversation a run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from assistant.model_client.language_model import (
    Completion,
    Function,
    LanguageModel,
    Message,
    ModelError,
    Prompt,
)
from assistant.planners.planner import PlanningContext
from assistant.planners.prompt_messages import (
    estimate_message_tokens,
    history_messages,
    request_message,
)
from assistant.planners.stepwise.answer_stream import stream_completion
from assistant.planners.stepwise.final_answer import FinalAnswer
from assistant.planners.stepwise.run_limits import LimitError, Limits, LoopUsage
from assistant.planners.stepwise.tool_calls import PendingCall, next_step_id, pending_calls
from assistant.runs.plan import REPLY_ACTION, Plan, Step
from tools.tool import Tool
from tools.tool_errors import Remedy

_REFERENCE_HINT = "A reference to what an earlier call gave, such as $step1."


def tool_functions(tools: Mapping[str, Tool]) -> tuple[Function, ...]:
    """Every tool, in their order."""
    return tuple(
        Function(tool.name, tool.description, _parameters(tool)) for tool in tools.values()
    )


def _parameters(tool: Tool) -> Mapping[str, Any]:
    schema = {name: value for name, value in tool.parameters.items() if name != "$defs"}
    properties = schema.get("properties", {})
    return {
        **schema,
        "properties": {name: _compact_parameter(each) for name, each in properties.items()},
    }


def _compact_parameter(parameter: Mapping[str, Any]) -> Mapping[str, Any]:
    """A parameter that takes a whole result takes its name: nobody has to write it out."""
    if "$ref" not in json.dumps(parameter):
        return parameter
    meaning = parameter.get("description", "")
    told = meaning if "$step" in meaning else f"{meaning} {_REFERENCE_HINT}".strip()
    return {"type": "string", "description": told}


_COMPLETION_SHARE = 1 / 4  # of the model's context
_HISTORY_SHARE = 1 / 8
_MAX_COMPLETION = 8_000  # tokens; many servers refuse to be asked for more
_MAX_OUTPUT = 8_000  # tokens of one output: it is sent and paid for again with every round
_MIN_OUTPUT = 150  # tokens; an output of which less can be shown is not worth a call
_FINISH_NOW = "Call nothing more. Answer the user now with what you have, and say what is missing."
_TRUNCATED_NOTE = "*The answer breaks off here: it became longer than the model may write at once.*"


class ToolLoop:
    """Asks a model until it answers; a message stays one object, so that it is encoded once."""

    def __init__(self, model: LanguageModel, limits: Limits, situation: PlanningContext) -> None:
        self._model = model
        self._taken = LoopUsage(limits)
        self._functions = tool_functions(situation.tools)
        self._longest = min(_MAX_COMPLETION, round(model.context * _COMPLETION_SHARE))
        self._room = model.context
        self._opened: tuple[PendingCall, ...] = ()
        history = history_messages(situation.request.history, round(model.context * _HISTORY_SHARE))
        request = request_message(situation.request, situation.clock)
        self._messages = [Message("system", _instructions()), *history, request]

    async def next(self, situation: PlanningContext) -> Plan:
        """The steps that the model asks for, or the reply that ends the run.

        Raises:
            LimitError: it came to no end within the limits.
            ModelError: there is no answer.
        """
        self._answer_calls(situation, situation.refusal)
        while True:
            answer = await self._asked(situation, self._functions)
            if reply := self._reply(answer, situation):
                return Plan((reply,))
            if limit := self._limit():
                return await self._last_words(limit, situation)
            if steps := tuple(each.step for each in self._opened if each.step):
                return Plan(steps, more=True)
            self._answer_calls(situation)

    async def _asked(
        self, situation: PlanningContext, functions: tuple[Function, ...]
    ) -> Completion:
        prompt = Prompt(
            tuple(self._messages), functions=functions, limit=self._longest, temperature=0
        )
        answer = await stream_completion(self._model, prompt, situation)
        self._taken.note(answer)
        self._room = self._model.context - self._longest - _used_tokens(prompt, answer)
        self._messages.append(Message("assistant", answer.text, answer.calls))
        self._opened = pending_calls(answer.calls, situation)
        return answer

    def _answer_calls(self, situation: PlanningContext, otherwise: str = "") -> None:
        """Tell the model what came of its calls, or why nothing did of its last answer."""
        if otherwise and not self._opened and self._messages[-1].role == "assistant":
            self._messages.append(Message("user", otherwise))
        results = {each.step.id: each for each in situation.done}
        room = self._share()
        self._messages += [each.answered(results, room, otherwise) for each in self._opened]
        self._opened = ()

    def _reply(self, answer: Completion, situation: PlanningContext) -> Step | None:
        if not answer.calls:
            return self._written(answer, situation, _TRUNCATED_NOTE if answer.cut else "")
        step = self._opened[0].step
        if step is None or step.action != REPLY_ACTION:
            return None
        return replace(step, parameters=FinalAnswer(situation.done).called(step.parameters))

    def _written(self, answer: Completion, situation: PlanningContext, note: str = "") -> Step:
        if not answer.text.strip():
            raise ModelError(
                f"{self._model.name} had no room left for an answer. "
                "Choose a model with a larger context, or ask for less at once.",
                Remedy.CHOOSE_MODEL,
            )
        id = next_step_id([each.step for each in situation.done])
        return Step(id, REPLY_ACTION, FinalAnswer(situation.done).told(answer.text, note))

    def _limit(self) -> str:
        if limit := self._taken.limit():
            return limit
        if self._share() >= _MIN_OUTPUT:
            return ""
        return f"What was read fills the {self._model.context:,} tokens that the model can hold."

    def _share(self) -> int:
        """The room that each output gets; all together half of what is left, so that some is."""
        return min(_MAX_OUTPUT, self._room // 2 // max(1, len(self._opened)))

    async def _last_words(self, limit: str, situation: PlanningContext) -> Plan:
        self._answer_calls(situation, f"Not done: {limit}")
        self._messages.append(Message("user", _FINISH_NOW))
        try:
            answer = await self._asked(situation, ())
            if answer.calls:
                raise LimitError(limit)
            return Plan((self._written(answer, situation, f"*{limit}*"),))
        except ModelError as error:
            raise LimitError(limit) from error


def _used_tokens(prompt: Prompt, answer: Completion) -> int:
    """How many tokens are taken, by the server's count; some count nothing."""
    told = answer.usage.prompt + answer.usage.completion
    return told or sum(map(estimate_message_tokens, prompt.messages))


@cache
def _instructions() -> str:
    return (files("resources") / "prompts" / "stepwise.md").read_text("utf-8").strip()


@dataclass(frozen=True, eq=False)
class StepwisePlanner:
    """Has a model decide round by round, until it answers or a limit is reached."""

    model: LanguageModel
    limits: Limits = field(default_factory=Limits)

    async def next(self, situation: PlanningContext) -> Plan | None:
        """The calls that the model asks for now, or the reply.

        Raises:
            LimitError: the model came to no end within the limits.
            ModelError: there is no answer from the model.
        """
        talk = situation.memory.get(self)
        if talk is None:
            talk = situation.memory[self] = ToolLoop(self.model, self.limits, situation)
        return await talk.next(situation)
