"""A talk: what is said to and by a model in one run, which only grows."""

from dataclasses import replace
from functools import cache
from importlib.resources import files

from assistant.model.errors import ModelError
from assistant.model.prompt import Answer, Function, LanguageModel, Message, Prompt
from assistant.plan import REPLY, Plan, Step
from assistant.planners.context import earlier_messages, message_tokens, request_message
from assistant.planners.planner import Situation
from assistant.planners.stepwise.asking import asked
from assistant.planners.stepwise.ending import Ending
from assistant.planners.stepwise.functions import functions_of
from assistant.planners.stepwise.limits import LimitError, Limits, Taken
from assistant.planners.stepwise.opened import Opened, next_id, opened
from tools.remedy import Remedy

_ANSWER = 1 / 4  # of the model's context
_HISTORY = 1 / 8
_LONGEST_ANSWER = 8_000  # tokens; many servers refuse to be asked for more
_MOST = 8_000  # tokens of one output: it is sent and paid for again with every round
_LEAST = 150  # tokens; an output of which less can be shown is not worth a call
_LAST = "Call nothing more. Answer the user now with what you have, and say what is missing."
_BROKEN_OFF = "*The answer breaks off here: it became longer than the model may write at once.*"


class Talk:
    """Asks a model until it answers; a message stays one object, so that it is encoded once."""

    def __init__(self, model: LanguageModel, limits: Limits, situation: Situation) -> None:
        self._model = model
        self._taken = Taken(limits)
        self._functions = functions_of(situation.tools)
        self._longest = min(_LONGEST_ANSWER, round(model.context * _ANSWER))
        self._room = model.context
        self._opened: tuple[Opened, ...] = ()
        history = earlier_messages(situation.request.history, round(model.context * _HISTORY))
        request = request_message(situation.request, situation.clock)
        self._messages = [Message("system", _instructions()), *history, request]

    async def next(self, situation: Situation) -> Plan:
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

    async def _asked(self, situation: Situation, functions: tuple[Function, ...]) -> Answer:
        prompt = Prompt(
            tuple(self._messages), functions=functions, limit=self._longest, temperature=0
        )
        answer = await asked(self._model, prompt, situation)
        self._taken.note(answer)
        self._room = self._model.context - self._longest - _tokens(prompt, answer)
        self._messages.append(Message("assistant", answer.text, answer.calls))
        self._opened = opened(answer.calls, situation)
        return answer

    def _answer_calls(self, situation: Situation, otherwise: str = "") -> None:
        """Tell the model what came of its calls, or why nothing did of its last answer."""
        if otherwise and not self._opened and self._messages[-1].role == "assistant":
            self._messages.append(Message("user", otherwise))
        results = {each.step.id: each for each in situation.done}
        room = self._share()
        self._messages += [each.answered(results, room, otherwise) for each in self._opened]
        self._opened = ()

    def _reply(self, answer: Answer, situation: Situation) -> Step | None:
        if not answer.calls:
            return self._written(answer, situation, _BROKEN_OFF if answer.cut else "")
        step = self._opened[0].step
        if step is None or step.action != REPLY:
            return None
        return replace(step, parameters=Ending(situation.done).called(step.parameters))

    def _written(self, answer: Answer, situation: Situation, note: str = "") -> Step:
        if not answer.text.strip():
            raise ModelError(
                f"{self._model.name} had no room left for an answer. "
                "Choose a model with a larger context, or ask for less at once.",
                Remedy.CHOOSE_MODEL,
            )
        id = next_id([each.step for each in situation.done])
        return Step(id, REPLY, Ending(situation.done).told(answer.text, note))

    def _limit(self) -> str:
        if limit := self._taken.limit():
            return limit
        if self._share() >= _LEAST:
            return ""
        return f"What was read fills the {self._model.context:,} tokens that the model can hold."

    def _share(self) -> int:
        """The room that each output gets; all together half of what is left, so that some is."""
        return min(_MOST, self._room // 2 // max(1, len(self._opened)))

    async def _last_words(self, limit: str, situation: Situation) -> Plan:
        self._answer_calls(situation, f"Not done: {limit}")
        self._messages.append(Message("user", _LAST))
        try:
            answer = await self._asked(situation, ())
            if answer.calls:
                raise LimitError(limit)
            return Plan((self._written(answer, situation, f"*{limit}*"),))
        except ModelError as error:
            raise LimitError(limit) from error


def _tokens(prompt: Prompt, answer: Answer) -> int:
    """How many tokens are taken, by the server's count; some count nothing."""
    told = answer.usage.prompt + answer.usage.completion
    return told or sum(map(message_tokens, prompt.messages))


@cache
def _instructions() -> str:
    return (files("resources") / "prompts" / "stepwise.md").read_text("utf-8").strip()
