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
    """What a server is known to take; every refusal that can be met makes other terms.

    `untried` is the dialect to change to when this one is not spoken; `schemas_refused` how many
    of a prompt's schemas it does not take, the strictest first; `limit` how it calls the most
    tokens of an answer, `other_limit` how else it may be called.
    """

    api: Api
    untried: Api | None = None
    limit: str = "max_tokens"
    other_limit: str = "max_completion_tokens"
    schemas_refused: int = 0
    takes_json: bool = True
    takes_temperature: bool = True
    tells_usage_in_streams: bool = True

    def form(self, prompt: Prompt) -> ResponseFormat | None:
        """The form that the answer has to take: a schema, any JSON, or free text (None)."""
        if not prompt.schemas:
            return None
        if self.schemas_refused < len(prompt.schemas):
            return _schema_format(prompt.schemas[self.schemas_refused])
        return _JSON_OBJECT if self.takes_json else None

    def after(self, refusal: ModelServerError, prompt: Prompt) -> "ServerCapabilities | None":
        """Terms under which the same prompt may be taken; None where the refusal stands."""
        if refusal.is_about_path:
            return replace(self, api=self.untried, untried=None) if self.untried else None
        if refusal.status not in {400, 422} or refusal.is_about_length:
            return None
        return self._without_what_is_named(refusal, prompt)

    def _without_what_is_named(
        self, refusal: ModelServerError, prompt: Prompt
    ) -> "ServerCapabilities | None":
        if self.tells_usage_in_streams and refusal.speaks_of("stream_options|include_usage"):
            return replace(self, tells_usage_in_streams=False)
        if self.takes_temperature and refusal.speaks_of("temperature"):
            return replace(self, takes_temperature=False)
        if prompt.limit and self.other_limit and refusal.speaks_of(_LIMIT_OPTIONS):
            return replace(self, limit=self.other_limit, other_limit="")
        form = self.form(prompt)
        if form is None or not refusal.speaks_of(_FORMAT_OPTIONS):
            return None
        if form is _JSON_OBJECT:
            return replace(self, takes_json=False)
        return replace(self, schemas_refused=self.schemas_refused + 1)


def default_capabilities(api: Api | Literal["auto"], *, at_openai: bool) -> ServerCapabilities:
    """What a server that was never asked will take, most likely."""
    dialects: tuple[Api, Api] = ("responses", "chat") if at_openai else ("chat", "responses")
    limit, other_limit = "max_tokens", "max_completion_tokens"
    if at_openai:
        limit, other_limit = other_limit, limit
    if api != "auto":
        return ServerCapabilities(api, None, limit, other_limit)
    return ServerCapabilities(*dialects, limit, other_limit)


def _schema_format(schema: Mapping[str, Any]) -> ResponseFormat:
    title = re.sub(r"[^a-zA-Z0-9_-]+", "_", str(schema.get("title") or "answer"))[:64]
    return {"type": "json_schema", "name": title, "strict": True, "schema": schema}
