"""Server capabilities: API, options and response formats, learnt from error responses."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from assistant.model_client.language_model import Prompt
from assistant.model_client.server_errors import ModelServerError

Api = Literal["chat", "responses"]
ResponseFormat = Mapping[str, Any]

_JSON_OBJECT = {"type": "json_object"}
_FORMAT_OPTIONS = (
    "response_format|json_schema|json_object|schema|grammar|text.format|structured|guided"
)
_LIMIT_OPTIONS = "max_tokens|max_completion_tokens"


@dataclass(frozen=True)
class ServerCapabilities:
    """Options that a server supports, as far as known; adapted after every error response.

    Attributes:
        api: The API to use.
        fallback_api: The API to try if the server does not offer `api`; None if both are known.
        limit_field: Name of the token limit in Chat Completions.
        fallback_limit_field: The other name of it, "" if it was tried.
        rejected_schemas: How many of a prompt's schemas were rejected, the strictest first.
        json_object: Whether the response format "json_object" is supported.
        temperature: Whether a temperature may be set.
        stream_usage: Whether usage may be requested for streams.
    """

    api: Api
    fallback_api: Api | None = None
    limit_field: str = "max_tokens"
    fallback_limit_field: str = "max_completion_tokens"
    rejected_schemas: int = 0
    json_object: bool = True
    temperature: bool = True
    stream_usage: bool = True

    def response_format(self, prompt: Prompt) -> ResponseFormat | None:
        """Return the strictest supported format: a schema, any JSON object, or None for text."""
        if not prompt.schemas:
            return None
        if self.rejected_schemas < len(prompt.schemas):
            schema = prompt.schemas[self.rejected_schemas]
            title = re.sub(r"[^a-zA-Z0-9_-]+", "_", str(schema.get("title") or "answer"))[:64]
            return {"type": "json_schema", "name": title, "strict": True, "schema": schema}
        return _JSON_OBJECT if self.json_object else None

    def adapted(self, error: ModelServerError, prompt: Prompt) -> "ServerCapabilities | None":
        """Return capabilities to retry the prompt with; None if the error is final."""
        if error.is_wrong_path and self.fallback_api:
            return replace(self, api=self.fallback_api, fallback_api=None)
        if error.is_wrong_path or error.status not in {400, 422} or error.is_prompt_too_long:
            return None
        return self._without_rejected_option(error, prompt)

    def _without_rejected_option(
        self, error: ModelServerError, prompt: Prompt
    ) -> "ServerCapabilities | None":
        if self.stream_usage and error.mentions("stream_options|include_usage"):
            return replace(self, stream_usage=False)
        if self.temperature and error.mentions("temperature"):
            return replace(self, temperature=False)
        if prompt.max_tokens and self.fallback_limit_field and error.mentions(_LIMIT_OPTIONS):
            return replace(self, limit_field=self.fallback_limit_field, fallback_limit_field="")
        response_format = self.response_format(prompt)
        if response_format is None or not error.mentions(_FORMAT_OPTIONS):
            return None
        if response_format is _JSON_OBJECT:
            return replace(self, json_object=False)
        return replace(self, rejected_schemas=self.rejected_schemas + 1)


def default_capabilities(api: Api | Literal["auto"], *, is_openai: bool) -> ServerCapabilities:
    """Return the most likely capabilities of a server before its first response."""
    apis: tuple[Api, Api] = ("responses", "chat") if is_openai else ("chat", "responses")
    limits = ("max_tokens", "max_completion_tokens")
    if is_openai:
        limits = ("max_completion_tokens", "max_tokens")
    first, fallback = apis if api == "auto" else (api, None)
    return ServerCapabilities(first, fallback, *limits)
