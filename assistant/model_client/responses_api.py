"""The Responses API: OpenAI's newer API.

https://platform.openai.com/docs/api-reference/responses
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assistant.model_client.capabilities import ResponseFormat
from assistant.model_client.dialect import Dialect, json_bytes, json_members, valid_arguments
from assistant.model_client.language_model import Message
from assistant.model_client.partial_completion import PartialCompletion, read_usage
from assistant.model_client.server_errors import ModelServerError


class ResponsesApi(Dialect):
    """The dialect of the Responses API; the server is told to store nothing."""

    path = "/responses"
    _messages_field = b"input"
    _options: ClassVar[Mapping[str, Any]] = {"store": False}
    _limit_field = "max_output_tokens"

    def read_response(self, response: Any, partial: PartialCompletion) -> None:
        """Add a whole response to the completion."""
        _finish(response, partial)

    def read_event(self, event: Any, partial: PartialCompletion) -> str:
        """Add an event of a stream to the completion; return the text in it."""
        match event.get("type"):
            case "response.output_text.delta":
                return partial.add_text(event["delta"])
            case "response.refusal.delta":
                partial.refusal.append(event["delta"])
            case "response.output_item.done":
                if event["item"].get("type") == "function_call":
                    _add_item(event["item"], partial)
            case "response.completed" | "response.incomplete":
                return _finish(event["response"], partial)
            case "response.failed":
                raise ModelServerError(200, {}, json_bytes(event["response"]))
        return ""

    def _encode_message(self, message: Message) -> bytes:
        if message.role == "tool":
            output = {"call_id": message.tool_call_id, "output": message.content}
            return json_bytes({"type": "function_call_output", **output})
        text = {"role": message.role, "content": message.content}
        calls = [
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": valid_arguments(call),
            }
            for call in message.tool_calls
        ]
        return b",".join(map(json_bytes, [*([text] if message.content else []), *calls]))

    def _encode_format(self, response_format: ResponseFormat) -> bytes:
        return json_members({"text": {"format": response_format}})

    def _tool(self, function: dict[str, Any]) -> dict[str, Any]:
        # Not strict, as in Chat Completions; the default is strict here.
        return {"type": "function", **function, "strict": False}


def _finish(response: Any, partial: PartialCompletion) -> str:
    reason = (response.get("incomplete_details") or {}).get("reason")
    partial.finished = True
    partial.truncated = reason == "max_output_tokens"
    partial.filtered = reason == "content_filter"
    partial.usage = read_usage(response.get("usage"), "input_tokens", "output_tokens")
    if partial.has_text or partial.tool_calls or partial.refusal:
        return ""
    return "".join(_add_item(item, partial) for item in response["output"])


def _add_item(item: Any, partial: PartialCompletion) -> str:
    """Add a whole output item to the completion; return the text in it."""
    match item.get("type"):
        case "message":
            return "".join(_add_part(part, partial) for part in item.get("content") or ())
        case "function_call":
            partial.add_call(item.get("call_id"), item["name"], item.get("arguments"))
    return ""


def _add_part(part: Any, partial: PartialCompletion) -> str:
    if part.get("type") == "refusal":
        partial.refusal.append(part["refusal"])
        return ""
    return partial.add_text(part.get("text") or "")
