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

    def end(self) -> None:
        """Emit the rest: all of it was text."""
        self._emit_until(len(self._text))
        self._write(self._sanitizer.finish())

    def end_paragraph(self) -> None:
        """End the text emitted so far as a paragraph; tool calls follow."""
        if self._emitted:
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
                if isinstance(piece, Completion):
                    return _finish(stream, _with_calls_in_text(piece, len(prompt.messages)))
                stream.add(piece)
    finally:
        context.emit(ProgressChanged(""))
    raise ModelError(f"{model.name} ended without an answer. Try again.")


def _with_calls_in_text(completion: Completion, turn: int) -> Completion:
    calls = () if completion.tool_calls else calls_in_text(completion.text, turn)
    return replace(completion, text="", tool_calls=calls) if calls else completion


def _finish(stream: AnswerStream, completion: Completion) -> Completion:
    if completion.tool_calls:
        stream.end_paragraph()
    else:
        stream.end()
    return completion
