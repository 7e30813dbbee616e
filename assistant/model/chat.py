"""Chat Completions: the dialect that nearly every server speaks.

https://platform.openai.com/docs/api-reference/chat
"""

from collections.abc import Sequence
from typing import Any

from assistant.model.encoding import (
    EncodedMessages,
    EncodedValue,
    encoded,
    members,
    whole_arguments,
)
from assistant.model.prompt import Function, Message, Prompt
from assistant.model.refusal import RefusedError
from assistant.model.terms import Format, Terms
from assistant.model.told import Calling, Told, read_usage


class Chat:
    """Prompts and answers as Chat Completions has them, for one model."""

    path = "/chat/completions"

    def __init__(self, model: str) -> None:
        self._model = model
        self._messages = EncodedMessages(_message)
        self._functions = EncodedValue()
        self._form = EncodedValue()

    async def body(self, prompt: Prompt, terms: Terms, *, streamed: bool) -> bytes:
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
            encoded(self._model),
            await self._messages.of(prompt.messages),
            self._functions.of(functions, lambda: _tools(functions)) if functions else b"",
            self._form.of(form, lambda: _response_format(form)) if form else b"",
            members(fields),
        )

    def read(self, answer: Any, told: Told) -> None:
        """Takes a whole answer."""
        if answer.get("error"):
            raise RefusedError(200, {}, encoded(answer))
        choice = answer["choices"][0]
        self._finish(choice, told)
        message = choice["message"]
        told.say(_text(message.get("content")))
        if message.get("refusal"):
            told.refusal.append(message["refusal"])
        for call in message.get("tool_calls") or ():
            function, calling = call["function"], Calling()
            calling.add(call.get("id"), function["name"], function.get("arguments"))
            told.calls.append(calling)
        told.usage = _usage(answer)

    def piece(self, event: Any, told: Told) -> str:
        """Takes an event of a stream; the text in it comes back."""
        if event.get("error"):
            raise RefusedError(200, {}, encoded(event))
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
            _add_call(call, told.calls)
        if delta.get("refusal"):
            told.refusal.append(delta["refusal"])
        content = delta.get("content")
        return told.say(_text(content)) if content else ""

    def _finish(self, choice: Any, told: Told) -> None:
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
                "function": {"name": call.name, "arguments": whole_arguments(call)},
            }
            for call in message.calls
        ]
    if message.role == "tool":
        fields["tool_call_id"] = message.answers
    return encoded(fields)


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
    return members({"tools": tools})


def _response_format(form: Format) -> bytes:
    named = {name: value for name, value in form.items() if name != "type"}
    nested = {"type": form["type"]} | ({form["type"]: named} if named else {})
    return members({"response_format": nested})


def _usage(answer: Any) -> Any:
    return read_usage(answer.get("usage"), "prompt_tokens", "completion_tokens")


def _text(content: Any) -> str:
    if isinstance(content, list):  # as some servers send it: parts, of text and other things
        return "".join(part.get("text") or "" for part in content)
    return content or ""


def _add_call(delta: Any, calls: list[Calling]) -> None:
    """Adds to the call that is meant; some servers give no index, one for all, or no id."""
    function = delta.get("function") or {}
    id, name, place = delta.get("id"), function.get("name"), delta.get("index")
    call = next((call for call in reversed(calls) if place in (None, call.place)), None)
    if call is None or (id and call.id and id != call.id) or (name and not id and call.is_whole):
        call = Calling(place)
        calls.append(call)
    call.add(id, name, function.get("arguments"))
