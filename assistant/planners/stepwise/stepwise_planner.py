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
_COMPLETION_SHARE = 1 / 4  # of the model's context
_HISTORY_SHARE = 1 / 8
_MAX_COMPLETION = 8_000  # tokens; many servers reject a higher limit
_MAX_OUTPUT = 8_000  # tokens of one output: it is sent and billed again in every round
_MIN_OUTPUT = 150  # tokens; with less of an output to show, a call is not worthwhile
_FINISH_NOW = "Call nothing more. Answer the user now with what you have, and say what is missing."
_TRUNCATED_NOTE = "*The answer breaks off here: it became longer than the model may write at once.*"


def tool_functions(tools: Mapping[str, Tool]) -> tuple[Function, ...]:
    """Declare the tools as functions of a model, in their order."""
    return tuple(
        Function(tool.name, tool.description, _parameters(tool)) for tool in tools.values()
    )


def _parameters(tool: Tool) -> Mapping[str, Any]:
    schema = {name: value for name, value in tool.parameters.items() if name != "$defs"}
    properties = schema.get("properties", {})
    compact = {name: _compact_parameter(each) for name, each in properties.items()}
    return {**schema, "properties": compact}


def _compact_parameter(parameter: Mapping[str, Any]) -> Mapping[str, Any]:
    """Let a parameter that takes a whole result be a reference, not a copy of the result."""
    if "$ref" not in json.dumps(parameter):
        return parameter
    description = parameter.get("description", "")
    if "$step" not in description:
        description = f"{description} {_REFERENCE_HINT}".strip()
    return {"type": "string", "description": description}


class ToolLoop:
    """The conversation with a model in one run; every message is kept, so it is encoded once."""

    def __init__(self, model: LanguageModel, limits: Limits, context: PlanningContext) -> None:
        self._model = model
        self._usage = LoopUsage(limits)
        self._functions = tool_functions(context.tools)
        self._max_tokens = min(_MAX_COMPLETION, round(model.context * _COMPLETION_SHARE))
        self._free_tokens = model.context
        self._pending: tuple[PendingCall, ...] = ()
        history = history_messages(context.request.history, round(model.context * _HISTORY_SHARE))
        request = request_message(context.request, context.clock)
        self._messages = [Message("system", _instructions()), *history, request]

    async def next(self, context: PlanningContext) -> Plan:
        """Return the steps that the model asks for, or the reply that ends the run.

        Raises:
            LimitError: the model did not answer within the limits.
            ModelError: a call of the model failed.
        """
        self._add_outputs(context, context.rejection)
        while True:
            completion = await self._complete(context, self._functions)
            if reply := self._reply(completion, context):
                return Plan((reply,))
            if limit := self._reached_limit():
                return await self._finish(limit, context)
            if steps := tuple(each.step for each in self._pending if each.step):
                return Plan(steps, more=True)
            self._add_outputs(context)

    async def _complete(
        self, context: PlanningContext, functions: tuple[Function, ...]
    ) -> Completion:
        prompt = Prompt(
            tuple(self._messages), functions=functions, max_tokens=self._max_tokens, temperature=0
        )
        completion = await stream_completion(self._model, prompt, context)
        self._usage.add(completion)
        used = completion.usage.prompt + completion.usage.completion
        used = used or sum(map(estimate_message_tokens, prompt.messages))  # some servers report 0
        self._free_tokens = self._model.context - self._max_tokens - used
        self._messages.append(Message("assistant", completion.text, completion.tool_calls))
        self._pending = pending_calls(completion.tool_calls, context)
        return completion

    def _add_outputs(self, context: PlanningContext, not_run: str = "") -> None:
        """Add the outputs of the pending calls; `not_run` is the reason for those without one."""
        if not_run and not self._pending and self._messages[-1].role == "assistant":
            self._messages.append(Message("user", not_run))
        results = {each.step.id: each for each in context.results}
        limit = self._output_limit()
        self._messages += [each.output_message(results, limit, not_run) for each in self._pending]
        self._pending = ()

    def _reply(self, completion: Completion, context: PlanningContext) -> Step | None:
        if not completion.tool_calls:
            note = _TRUNCATED_NOTE if completion.truncated else ""
            return self._text_reply(completion, context, note)
        step = self._pending[0].step
        if step is None or step.action != REPLY_ACTION:
            return None
        return replace(step, parameters=FinalAnswer(context.results).from_call(step.parameters))

    def _text_reply(self, completion: Completion, context: PlanningContext, note: str = "") -> Step:
        if not completion.text.strip():
            raise ModelError(
                f"{self._model.name} had no tokens left for an answer. "
                "Choose a model with a larger context, or ask for less at once.",
                Remedy.CHOOSE_MODEL,
            )
        id = next_step_id([each.step for each in context.results])
        return Step(id, REPLY_ACTION, FinalAnswer(context.results).from_text(completion.text, note))

    def _reached_limit(self) -> str:
        if limit := self._usage.reached_limit():
            return limit
        if self._output_limit() >= _MIN_OUTPUT:
            return ""
        return f"The outputs fill the {self._model.context:,} tokens of the model's context."

    def _output_limit(self) -> int:
        """Return the tokens for each output; all of them get half of the free context."""
        return min(_MAX_OUTPUT, self._free_tokens // 2 // max(1, len(self._pending)))

    async def _finish(self, limit: str, context: PlanningContext) -> Plan:
        self._add_outputs(context, f"Not done: {limit}")
        self._messages.append(Message("user", _FINISH_NOW))
        try:
            completion = await self._complete(context, ())
            if completion.tool_calls:
                raise LimitError(limit)
            return Plan((self._text_reply(completion, context, f"*{limit}*"),))
        except ModelError as error:
            raise LimitError(limit) from error


@cache
def _instructions() -> str:
    return (files("resources") / "prompts" / "stepwise.md").read_text("utf-8").strip()


@dataclass(frozen=True, eq=False)
class StepwisePlanner:
    """Lets a model call tools round by round, until it answers or a limit is reached."""

    model: LanguageModel
    limits: Limits = field(default_factory=Limits)

    async def next(self, context: PlanningContext) -> Plan | None:
        """Return the calls that the model asks for now, or the reply.

        Raises:
            LimitError: the model did not answer within the limits.
            ModelError: a call of the model failed.
        """
        loop = context.memory.get(self)
        if loop is None:
            loop = context.memory[self] = ToolLoop(self.model, self.limits, context)
        return await loop.next(context)
