"""Answer streaming: one completion, its text shown while it is written."""

import re
from collections.abc import Callable, Collection
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property

from assistant.model_client.language_model import Completion, LanguageModel, ModelError, Prompt
from assistant.planners.planner import PlanningContext
from assistant.planners.stepwise.final_answer import source_references
from assistant.planners.stepwise.tool_calls import calls_in_text
from assistant.runs.events import Event, ProgressChanged, TextStreamed
from tools.prose.markdown_sanitizer import MarkdownSanitizer

_POSSIBLE_CALL = re.compile(r"\A\s*(?:[\[{]|\Z)|`{1,3}\Z|```|<(?:[a-z|]|\Z)")


class AnswerStream:
    """Tells of one answer; what may still turn out to be a printed call is held back.

    `known` gives what the answer may point to; it is asked when there is text.
    """

    def __init__(self, tell: Callable[[Event], None], known: Callable[[], Collection[str]]) -> None:
        self._tell = tell
        self._known = known
        self._text = ""
        self._given = 0

    def take(self, piece: str) -> None:
        """The next piece of text."""
        self._text += piece
        doubt = _POSSIBLE_CALL.search(self._text, self._given)
        self._give(doubt.start() if doubt else len(self._text))

    def end(self) -> None:
        """All of it was the answer."""
        self._give(len(self._text))
        self._write(self._defusing.end())

    def turn(self) -> None:
        """Calls follow instead of more text, which stands as a paragraph of its own."""
        if self._given:
            self._write(f"{self._defusing.end()}\n\n")

    @cached_property
    def _defusing(self) -> MarkdownSanitizer:
        return MarkdownSanitizer(self._known())

    def _give(self, end: int) -> None:
        self._write(self._defusing.take(self._text[self._given : end]))
        self._given = end

    def _write(self, text: str) -> None:
        if text:
            self._tell(TextStreamed(text))


async def stream_completion(
    model: LanguageModel, prompt: Prompt, situation: PlanningContext
) -> Completion:
    """The answer, also with the calls that were printed as text; its text is told as it comes.

    Raises:
        ModelError: there is none.
    """
    telling = AnswerStream(situation.tell, lambda: source_references(situation.done))
    situation.tell(ProgressChanged(f"{model.name} decides the next step"))
    try:
        async with aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    return _finish_stream(_with_printed_calls(piece, len(prompt.messages)), telling)
                telling.take(piece)
    finally:
        situation.tell(ProgressChanged(""))
    raise ModelError(f"{model.name} ended without an answer. Try again.")


def _with_printed_calls(answer: Completion, turn: int) -> Completion:
    calls = () if answer.calls else calls_in_text(answer.text, turn)
    return replace(answer, text="", calls=calls) if calls else answer


def _finish_stream(answer: Completion, telling: AnswerStream) -> Completion:
    if answer.calls:
        telling.turn()
    else:
        telling.end()
    return answer
