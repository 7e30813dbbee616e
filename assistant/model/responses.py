"""The Responses API: OpenAI's own newer dialect.

https://platform.openai.com/docs/api-reference/responses
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
from assistant.model.terms import Terms
from assistant.model.told import Calling, Told, read_usage


class Responses:
    """Prompts and answers as the Responses API has them, for one model."""

    path = "/responses"

    def __init__(self, model: str) -> None:
        self._model = model
        self._messages = EncodedMessages(_items)
        self._functions = EncodedValue()
        self._form = EncodedValue()

    async def body(self, prompt: Prompt, terms: Terms, *, streamed: bool) -> bytes:
        """The JSON to post; the server is asked to keep nothing of it."""
        fields: dict[str, Any] = {"store": False}
        if streamed:
            fields["stream"] = True
        if prompt.limit:
            fields["max_output_tokens"] = prompt.limit
        if prompt.temperature is not None and terms.takes_temperature:
            fields["temperature"] = prompt.temperature
        form, functions = terms.form(prompt), prompt.functions
        return b'{"model":%b,"input":%b%b%b%b}' % (
            encoded(self._model),
            await self._messages.of(prompt.messages),
            self._functions.of(functions, lambda: _tools(functions)) if functions else b"",
            self._form.of(form, lambda: members({"text": {"format": form}})) if form else b"",
            members(fields),
        )

    def read(self, answer: Any, told: Told) -> None:
        """Takes a whole answer."""
        if answer.get("error"):
            raise RefusedError(200, {}, encoded(answer))
        self._finish(answer, told)

    def piece(self, event: Any, told: Told) -> str:
        """Takes an event of a stream; the text in it comes back."""
        match event.get("type"):
            case "response.output_text.delta":
                return told.say(event["delta"])
            case "response.refusal.delta":
                told.refusal.append(event["delta"])
            case "response.output_item.done":
                if event["item"].get("type") == "function_call":
                    _take(event["item"], told)
            case "response.completed" | "response.incomplete":
                return self._finish(event["response"], told)
            case "response.failed":
                raise RefusedError(200, {}, encoded(event["response"]))
            case _ if event.get("error") or event.get("type") == "error":
                raise RefusedError(200, {}, encoded(event))
        return ""

    def _finish(self, answer: Any, told: Told) -> str:
        reason = (answer.get("incomplete_details") or {}).get("reason")
        told.ended = True
        told.cut = reason == "max_output_tokens"
        told.filtered = reason == "content_filter"
        told.usage = read_usage(answer.get("usage"), "input_tokens", "output_tokens")
        if told.heard or told.calls or told.refusal:
            return ""
        return "".join(_take(item, told) for item in answer["output"])


def _items(message: Message) -> bytes:
    if message.role == "tool":
        output = {"call_id": message.answers, "output": message.content}
        return encoded({"type": "function_call_output", **output})
    said = [encoded({"role": message.role, "content": message.content})] if message.content else []
    calls = [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": whole_arguments(call),
        }
        for call in message.calls
    ]
    return b",".join([*said, *map(encoded, calls)])


def _tools(functions: Sequence[Function]) -> bytes:
    tools = [
        {
            "type": "function",
            "name": function.name,
            "description": function.description,
            "parameters": function.parameters,
            "strict": False,  # as in Chat Completions; here it would be the default
        }
        for function in functions
    ]
    return members({"tools": tools})


def _take(item: Any, told: Told) -> str:
    """Takes a whole item of the output; the text in it comes back."""
    match item.get("type"):
        case "message":
            return "".join(_said(part, told) for part in item.get("content") or ())
        case "function_call":
            call = Calling()
            call.add(item.get("call_id"), item["name"], item.get("arguments"))
            told.calls.append(call)
    return ""


def _said(part: Any, told: Told) -> str:
    if part.get("type") == "refusal":
        told.refusal.append(part["refusal"])
        return ""
    return told.say(part.get("text") or "")
