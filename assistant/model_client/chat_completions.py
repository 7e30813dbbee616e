"""Chat Completions: request bodies and responses of the API that most servers speak."""

from collections.abc import Sequence
from typing import Any

from assistant.model_client.capabilities import ResponseFormat, ServerCapabilities
from assistant.model_client.dialect import (
    EncodingCache,
    MessageEncoder,
    json_bytes,
    json_members,
    valid_arguments,
)
from assistant.model_client.language_model import Function, Message, Prompt
from assistant.model_client.partial_completion import PartialCompletion, PartialToolCall, read_usage
from assistant.model_client.server_errors import ModelServerError


class ChatCompletions:
    """Prompts and answers as Chat Completions has them, for one model."""

    path = "/chat/completions"

    def __init__(self, model: str) -> None:
        self._model = model
        self._messages = MessageEncoder(_message)
        self._functions = EncodingCache()
        self._form = EncodingCache()

    async def body(self, prompt: Prompt, terms: ServerCapabilities, *, streamed: bool) -> bytes:
        """The JSON to post."""
        fields: dict[str, Any] = {}
        if streamed:
            fields["stream"] = True
            if terms.tells_usage_in_streams:
                fields["stream_options"] = {"include_usage": True}
        if prompt.limit:
            fields[terms.limit] = prompt.limit
        if prompt.temperature is not None and terms.takes_temperature:
            fields["temperature"] = prompt.temperature
        form, functions = terms.form(prompt), prompt.functions
        return b'{"model":%b,"messages":%b%b%b%b}' % (
            json_bytes(self._model),
            await self._messages.of(prompt.messages),
            self._functions.of(functions, lambda: _tools(functions)) if functions else b"",
            self._form.of(form, lambda: _response_format(form)) if form else b"",
            json_members(fields),
        )

    def read(self, answer: Any, told: PartialCompletion) -> None:
        """Takes a whole answer."""
        if answer.get("error"):
            raise ModelServerError(200, {}, json_bytes(answer))
        choice = answer["choices"][0]
        self._finish(choice, told)
        message = choice["message"]
        told.say(_content_text(message.get("content")))
        if message.get("refusal"):
            told.refusal.append(message["refusal"])
        for call in message.get("tool_calls") or ():
            function, calling = call["function"], PartialToolCall()
            calling.add(call.get("id"), function["name"], function.get("arguments"))
            told.calls.append(calling)
        told.usage = _usage(answer)

    def piece(self, event: Any, told: PartialCompletion) -> str:
        """Takes an event of a stream; the text in it comes back."""
        if event.get("error"):
            raise ModelServerError(200, {}, json_bytes(event))
        if event.get("usage"):
            told.usage = _usage(event) or told.usage
        choices = event.get("choices")
        if not choices:
            return ""
        choice = choices[0]
        if choice.get("finish_reason"):
            self._finish(choice, told)
        delta = choice.get("delta") or {}
        for call in delta.get("tool_calls") or ():
            _add_call_delta(call, told.calls)
        if delta.get("refusal"):
            told.refusal.append(delta["refusal"])
        content = delta.get("content")
        return told.say(_content_text(content)) if content else ""

    def _finish(self, choice: Any, told: PartialCompletion) -> None:
        reason = choice.get("finish_reason")
        told.ended = True
        told.cut = reason == "length"
        told.filtered = reason == "content_filter"


def _message(message: Message) -> bytes:
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        fields["content"] = message.content or None
        fields["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": valid_arguments(call)},
            }
            for call in message.calls
        ]
    if message.role == "tool":
        fields["tool_call_id"] = message.answers
    return json_bytes(fields)


def _tools(functions: Sequence[Function]) -> bytes:
    tools = [
        {
            "type": "function",
            "function": {
                "name": function.name,
                "description": function.description,
                "parameters": function.parameters,
            },
        }
        for function in functions
    ]
    return json_members({"tools": tools})


def _response_format(form: ResponseFormat) -> bytes:
    named = {name: value for name, value in form.items() if name != "type"}
    nested = {"type": form["type"]} | ({form["type"]: named} if named else {})
    return json_members({"response_format": nested})


def _usage(answer: Any) -> Any:
    return read_usage(answer.get("usage"), "prompt_tokens", "completion_tokens")


def _content_text(content: Any) -> str:
    if isinstance(content, list):  # as some servers send it: parts, of text and other things
        return "".join(part.get("text") or "" for part in content)
    return content or ""


def _add_call_delta(delta: Any, calls: list[PartialToolCall]) -> None:
    """Adds to the call that is meant; some servers give no index, one for all, or no id."""
    function = delta.get("function") or {}
    id, name, place = delta.get("id"), function.get("name"), delta.get("index")
    call = next((call for call in reversed(calls) if place in (None, call.place)), None)
    if call is None or (id and call.id and id != call.id) or (name and not id and call.is_whole):
        call = PartialToolCall(place)
        calls.append(call)
    call.add(id, name, function.get("arguments"))
