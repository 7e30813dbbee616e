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
    """Emits the text of one answer as it arrives; a possible tool call in it is held back.

    `known` returns the references that may stay live; it is called when text arrives.
    """

    def __init__(self, emit: Callable[[Event], None], known: Callable[[], Collection[str]]) -> None:
        self._emit = emit
        self._known = known
        self._text = ""
        self._emitted = 0

    def add(self, piece: str) -> None:
        """Add the next piece of text."""
        self._text += piece
        possible_call = _POSSIBLE_CALL.search(self._text, self._emitted)
        self._emit_until(possible_call.start() if possible_call else len(self._text))

    def end(self, *, before_calls: bool) -> None:
        """Emit the rest; before tool calls, end the text emitted so far as a paragraph."""
        if not before_calls:
            self._emit_until(len(self._text))
            self._write(self._sanitizer.finish())
        elif self._emitted:
            self._write(f"{self._sanitizer.finish()}\n\n")

    @cached_property
    def _sanitizer(self) -> MarkdownSanitizer:
        return MarkdownSanitizer(self._known())

    def _emit_until(self, end: int) -> None:
        self._write(self._sanitizer.feed(self._text[self._emitted : end]))
        self._emitted = end

    def _write(self, text: str) -> None:
        if text:
            self._emit(TextStreamed(text))


async def stream_completion(
    model: LanguageModel, prompt: Prompt, context: PlanningContext
) -> Completion:
    """Return the completion, with calls written as text parsed; emit its text as it arrives.

    Raises:
        ModelError: the call failed.
    """
    stream = AnswerStream(context.emit, lambda: source_references(context.results))
    context.emit(ProgressChanged(f"{model.name} decides the next step"))
    try:
        async with aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    stream.add(piece)
                    continue
                calls = () if piece.tool_calls else calls_in_text(piece.text, len(prompt.messages))
                completion = replace(piece, text="", tool_calls=calls) if calls else piece
                stream.end(before_calls=bool(completion.tool_calls))
                return completion
    finally:
        context.emit(ProgressChanged(""))
    raise ModelError(f"{model.name} ended without an answer. Try again.")
