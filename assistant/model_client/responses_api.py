"""The Responses API: OpenAI's newer API."""

from collections.abc import Sequence
from typing import Any

from assistant.model_client.capabilities import ServerCapabilities
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


class ResponsesApi:
    """Prompts and answers as the Responses API has them, for one model."""

    path = "/responses"

    def __init__(self, model: str) -> None:
        self._model = model
        self._messages = MessageEncoder(_items)
        self._functions = EncodingCache()
        self._form = EncodingCache()

    async def body(self, prompt: Prompt, terms: ServerCapabilities, *, streamed: bool) -> bytes:
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
            json_bytes(self._model),
            await self._messages.of(prompt.messages),
            self._functions.of(functions, lambda: _tools(functions)) if functions else b"",
            self._form.of(form, lambda: json_members({"text": {"format": form}})) if form else b"",
            json_members(fields),
        )

    def read(self, answer: Any, told: PartialCompletion) -> None:
        """Takes a whole answer."""
        if answer.get("error"):
            raise ModelServerError(200, {}, json_bytes(answer))
        self._finish(answer, told)

    def piece(self, event: Any, told: PartialCompletion) -> str:
        """Takes an event of a stream; the text in it comes back."""
        match event.get("type"):
            case "response.output_text.delta":
                return told.say(event["delta"])
            case "response.refusal.delta":
                told.refusal.append(event["delta"])
            case "response.output_item.done":
                if event["item"].get("type") == "function_call":
                    _add_item(event["item"], told)
            case "response.completed" | "response.incomplete":
                return self._finish(event["response"], told)
            case "response.failed":
                raise ModelServerError(200, {}, json_bytes(event["response"]))
            case _ if event.get("error") or event.get("type") == "error":
                raise ModelServerError(200, {}, json_bytes(event))
        return ""

    def _finish(self, answer: Any, told: PartialCompletion) -> str:
        reason = (answer.get("incomplete_details") or {}).get("reason")
        told.ended = True
        told.cut = reason == "max_output_tokens"
        told.filtered = reason == "content_filter"
        told.usage = read_usage(answer.get("usage"), "input_tokens", "output_tokens")
        if told.heard or told.calls or told.refusal:
            return ""
        return "".join(_add_item(item, told) for item in answer["output"])


def _items(message: Message) -> bytes:
    if message.role == "tool":
        output = {"call_id": message.answers, "output": message.content}
        return json_bytes({"type": "function_call_output", **output})
    said = (
        [json_bytes({"role": message.role, "content": message.content})] if message.content else []
    )
    calls = [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": valid_arguments(call),
        }
        for call in message.calls
    ]
    return b",".join([*said, *map(json_bytes, calls)])


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
    return json_members({"tools": tools})


def _add_item(item: Any, told: PartialCompletion) -> str:
    """Takes a whole item of the output; the text in it comes back."""
    match item.get("type"):
        case "message":
            return "".join(_add_part(part, told) for part in item.get("content") or ())
        case "function_call":
            call = PartialToolCall()
            call.add(item.get("call_id"), item["name"], item.get("arguments"))
            told.calls.append(call)
    return ""


def _add_part(part: Any, told: PartialCompletion) -> str:
    if part.get("type") == "refusal":
        told.refusal.append(part["refusal"])
        return ""
    return told.say(part.get("text") or "")
