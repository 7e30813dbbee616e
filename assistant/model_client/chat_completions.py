"""Chat Completions: request bodies and responses of the API that most servers speak.

https://platform.openai.com/docs/api-reference/chat
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assistant.model_client.capabilities import ResponseFormat
from assistant.model_client.dialect import Dialect, json_bytes, json_members, valid_arguments
from assistant.model_client.language_model import Message
from assistant.model_client.partial_completion import PartialCompletion, PartialToolCall, read_usage


class ChatCompletions(Dialect):
    """The dialect of Chat Completions."""

    path = "/chat/completions"
    _messages_field = b"messages"
    _usage_options: ClassVar[Mapping[str, Any]] = {"stream_options": {"include_usage": True}}

    def read_response(self, response: Any, partial: PartialCompletion) -> None:
        """Add a whole response to the completion."""
        choice = response["choices"][0]
        _finish(choice, partial)
        message = choice["message"]
        partial.add_text(_content_text(message.get("content")))
        if message.get("refusal"):
            partial.refusal.append(message["refusal"])
        for item in message.get("tool_calls") or ():
            function = item["function"]
            partial.add_call(item.get("id"), function["name"], function.get("arguments"))
        partial.usage = _usage(response)

    def read_event(self, event: Any, partial: PartialCompletion) -> str:
        """Add an event of a stream to the completion; return the text in it."""
        if event.get("usage"):
            partial.usage = _usage(event) or partial.usage
        choices = event.get("choices")
        if not choices:
            return ""
        choice = choices[0]
        if choice.get("finish_reason"):
            _finish(choice, partial)
        delta = choice.get("delta") or {}
        for call in delta.get("tool_calls") or ():
            _add_call_delta(call, partial.tool_calls)
        if delta.get("refusal"):
            partial.refusal.append(delta["refusal"])
        content = delta.get("content")
        return partial.add_text(_content_text(content)) if content else ""

    def _encode_message(self, message: Message) -> bytes:
        fields: dict[str, Any] = {"role": message.role, "content": message.content}
        if message.tool_calls:
            fields["content"] = message.content or None
            fields["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": valid_arguments(call)},
                }
                for call in message.tool_calls
            ]
        if message.role == "tool":
            fields["tool_call_id"] = message.tool_call_id
        return json_bytes(fields)

    def _encode_format(self, response_format: ResponseFormat) -> bytes:
        kind = response_format["type"]
        options = {name: value for name, value in response_format.items() if name != "type"}
        nested = {"type": kind} | ({kind: options} if options else {})
        return json_members({"response_format": nested})

    def _tool(self, function: dict[str, Any]) -> dict[str, Any]:
        return {"type": "function", "function": function}


def _finish(choice: Any, partial: PartialCompletion) -> None:
    reason = choice.get("finish_reason")
    partial.finished = True
    partial.truncated = reason == "length"
    partial.filtered = reason == "content_filter"


def _usage(response: Any) -> Any:
    return read_usage(response.get("usage"), "prompt_tokens", "completion_tokens")


def _content_text(content: Any) -> str:
    if isinstance(content, list):  # some servers send a list of parts
        return "".join(part.get("text") or "" for part in content)
    return content or ""


def _add_call_delta(delta: Any, calls: list[PartialToolCall]) -> None:
    """Add to the call in question; some servers send no index, one index for all, or no id."""
    function = delta.get("function") or {}
    id, name, index = delta.get("id"), function.get("name"), delta.get("index")
    call = next((call for call in reversed(calls) if index in (None, call.index)), None)
    if call is None or (id and call.id and id != call.id) or (name and not id and call.is_complete):
        call = PartialToolCall(index)
        calls.append(call)
    call.add(id, name, function.get("arguments"))
