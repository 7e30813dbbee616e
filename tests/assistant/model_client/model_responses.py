"""Scripted model responses, in the API and manner they were requested in."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.model_client.language_model import ToolCall
from tests.assistant.model_client.loopback import (
    ReceivedRequest,
    ResponseEnd,
    ScriptedResponse,
    json_answer,
)

Event = dict[str, Any]


@dataclass(frozen=True)
class ScriptedCompletion:
    """A completion: `pieces` of text, tool calls, its end and its usage."""

    pieces: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    truncated: bool = False
    usage: tuple[int, int, int] | None = (11, 7, 3)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)


def responds(
    *pieces: str,
    calls: Sequence[ToolCall] = (),
    truncated: bool = False,
    usage: tuple[int, int, int] | None = (11, 7, 3),
    pause: float = 0,
) -> Callable[[ReceivedRequest], ScriptedResponse]:
    """A step of a script: a text in pieces, and calls, as chat or response, streamed if asked for.

    `usage` is prompt, completion and how many of the prompt were cached; None tells nothing.
    `pause` seconds pass before every piece but the first.
    """
    completion = ScriptedCompletion(pieces, tuple(calls), truncated, usage)

    def answer(asked: ReceivedRequest) -> ScriptedResponse:
        chat = asked.path.endswith("/chat/completions")
        if not asked.json.get("stream"):
            return json_answer(chat_completion(completion) if chat else response(completion))
        if chat:
            usage_wanted = (asked.json.get("stream_options") or {}).get("include_usage")
            told = completion if usage_wanted else replace(completion, usage=None)
            return _paused(event_stream(*chat_chunks(told)), pause, before=1)
        return _paused(event_stream(*response_events(completion), done=False), pause, before=2)

    return answer


def _paused(scripted: ScriptedResponse, pause: float, before: int) -> ScriptedResponse:
    """With a pause after each event, but for those that only lead up to the first text."""
    first, rest = scripted.pieces[: before + 1], scripted.pieces[before + 1 :]
    return replace(scripted, pieces=(b"".join(first), *rest), pause=pause)


def rejects(
    status: int, message: str = "", *, code: str | None = None, **headers: str
) -> ScriptedResponse:
    """An error in OpenAI's form; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"message": message, "type": "error", "param": None, "code": code}
    return json_answer({"error": error}, status=status, headers=named)


def event_stream(
    *events: Event | str, done: bool = True, end: ResponseEnd = "whole"
) -> ScriptedResponse:
    """Server-sent events, one a piece; a string is sent as the data that it is."""
    pieces = [_event(event) for event in events] + ([b"data: [DONE]\n\n"] if done else [])
    return ScriptedResponse(200, {"content-type": "text/event-stream"}, tuple(pieces), end=end)


def chat_completion(completion: ScriptedCompletion) -> Event:
    """The answer of Chat Completions."""
    message: Event = {"role": "assistant", "content": completion.text or None}
    if completion.calls:
        message["tool_calls"] = [_chat_call(call) for call in completion.calls]
    whole: Event = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(completion)}],
    }
    return whole | ({"usage": _chat_usage(completion.usage)} if completion.usage else {})


def chat_chunks(completion: ScriptedCompletion) -> list[Event]:
    """The same as it is streamed."""
    deltas: list[Event] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in completion.pieces]
    for index, call in enumerate(completion.calls):
        middle = len(call.arguments) // 2
        opened = {"index": index, **_chat_call(replace(call, arguments=""))}
        deltas.append({"tool_calls": [opened]})
        for part in (call.arguments[:middle], call.arguments[middle:]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    chunks = [chat_chunk(delta) for delta in deltas] + [chat_chunk({}, _finish(completion))]
    if completion.usage:
        chunks.append({**chat_chunk({}), "choices": [], "usage": _chat_usage(completion.usage)})
    return chunks


def chat_chunk(delta: Event, finish: str | None = None) -> Event:
    """One event of a chat that is streamed."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def response(completion: ScriptedCompletion, output: Sequence[Event] | None = None) -> Event:
    """The answer of the Responses API."""
    whole: Event = {
        "id": "resp_1",
        "object": "response",
        "model": "scripted",
        "status": "incomplete" if completion.truncated else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if completion.truncated else None,
        "error": None,
        "output": list(_output(completion) if output is None else output),
    }
    return whole | ({"usage": _response_usage(completion.usage)} if completion.usage else {})


def response_events(completion: ScriptedCompletion) -> list[Event]:
    """The same as it is streamed."""
    events: list[Event] = [
        {"type": "response.created", "response": response(ScriptedCompletion(usage=None), [])}
    ]
    for index, item in enumerate(_output(completion)):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            events += [text_delta(piece, index) for piece in completion.pieces]
        else:
            events += _argument_deltas(item["arguments"], index)
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    ended = "response.incomplete" if completion.truncated else "response.completed"
    return [*events, {"type": ended, "response": response(completion)}]


def text_delta(piece: str, index: int = 0) -> Event:
    """One piece of text of a response that is streamed."""
    return {
        "type": "response.output_text.delta",
        "item_id": "msg_1",
        "output_index": index,
        "content_index": 0,
        "delta": piece,
    }


def half(api: str) -> Event:
    """The first piece of an answer that goes on, as that dialect streams it."""
    return chat_chunk({"content": "half"}) if api == "chat" else text_delta("half")


def _argument_deltas(arguments: str, index: int) -> list[Event]:
    middle = len(arguments) // 2
    return [
        {"type": "response.function_call_arguments.delta", "output_index": index, "delta": part}
        for part in (arguments[:middle], arguments[middle:])
    ]


def _output(completion: ScriptedCompletion) -> list[Event]:
    content = [{"type": "output_text", "text": completion.text, "annotations": []}]
    message: Event = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
    calls = [
        {"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id}
        | {"name": call.name, "arguments": call.arguments}
        for call in completion.calls
    ]
    return ([message] if completion.pieces or not calls else []) + calls


def _chat_call(call: ToolCall) -> Event:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _finish(completion: ScriptedCompletion) -> str:
    if completion.truncated:
        return "length"
    return "tool_calls" if completion.calls else "stop"


def _chat_usage(usage: tuple[int, int, int]) -> Event:
    prompt, completion, cached = usage
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _response_usage(usage: tuple[int, int, int]) -> Event:
    prompt, completion, cached = usage
    return {
        "input_tokens": prompt,
        "output_tokens": completion,
        "total_tokens": prompt + completion,
        "input_tokens_details": {"cached_tokens": cached},
    }


def _event(event: Event | str) -> bytes:
    data = event if isinstance(event, str) else json.dumps(event)
    kind = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
    return f"{kind}data: {data}\n\n".encode()
