"""Model discovery: models of a server, their loaded context, and servers on this computer."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Any

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.language_model import ModelError
from assistant.model_client.model_errors import ModelErrors
from assistant.model_client.server_connection import ServerConnection
from assistant.model_client.server_errors import ModelConnectionError, ModelServerError
from tools.moments.clock import system_clock

PORTS: Mapping[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""Default ports of the known kinds of servers."""

_CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
_LISTING_TIMEOUTS = Timeouts(first_byte=15)
_CONTEXT_TIMEOUTS = Timeouts(connect=1, first_byte=2, between_chunks=2)
_SCAN_TIMEOUTS = Timeouts(connect=0.5, first_byte=1, between_chunks=1)
_SCAN_TIMEOUT = 10  # seconds in all for one port, with the import of openai
_LOOKUP_ERRORS = (ValueError, TypeError, KeyError, AttributeError, StopIteration)


@dataclass(frozen=True)
class ListedModel:
    """A model by its id at the server; `context` in tokens, None if the server reports none."""

    id: str
    context: int | None = None

    @property
    def title(self) -> str:
        """The id, or the stem of a model file's path."""
        is_file = self.id.lower().endswith(".gguf")
        return PureWindowsPath(self.id).stem if is_file else self.id  # accepts both slashes


@dataclass(frozen=True)
class FoundServer:
    """A server on this computer; `kind` is the program that uses its port by default."""

    kind: str
    endpoint: Endpoint
    models: tuple[ListedModel, ...]


async def find_servers(ports: Mapping[str, int] = PORTS) -> tuple[FoundServer, ...]:
    """Return the servers on these local ports that list a model, in the order of `ports`."""
    scans = (_scan_port(kind, port) for kind, port in ports.items())
    return tuple(found for found in await asyncio.gather(*scans) if found)


async def list_models(
    endpoint: Endpoint, *, timeouts: Timeouts = _LISTING_TIMEOUTS
) -> tuple[ListedModel, ...]:
    """Return the models of a server in its order, without retries.

    Raises:
        ModelError: the server did not return a list of models.
    """
    errors = ModelErrors("the list of models", endpoint, timeouts)
    content = b""
    try:
        async with aclosing(ServerConnection(endpoint, timeouts)) as connection:
            content = await (await connection.client()).get("/models")
        listed = json.loads(content)
        entries = listed if isinstance(listed, list) else listed["data"] or []
        return tuple(_listed_model(entry) for entry in entries)
    except ModelConnectionError as error:
        raise errors.from_connection(error.failure) from None
    except ModelServerError as error:
        raise errors.from_response(error, system_clock()) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise errors.malformed(content) from None


async def loaded_context(endpoint: Endpoint, id: str) -> int | None:
    """Return the context length of a loaded model in tokens; None if the server reports none.

    Desktop servers load models with much less context than they support, and truncate longer
    prompts silently; the OpenAI API has no field for it.
    """
    root = Endpoint(endpoint.url.removesuffix("/v1"), endpoint.key)
    async with aclosing(ServerConnection(root, _CONTEXT_TIMEOUTS)) as connection:
        client = await connection.client()
        for path, read in _CONTEXT_PATHS:
            with suppress(ModelServerError, ModelConnectionError, *_LOOKUP_ERRORS):
                found = read(json.loads(await client.get(path)), id)
                if isinstance(found, int) and found > 0:
                    return found
    return None


async def _scan_port(kind: str, port: int) -> FoundServer | None:
    endpoint = Endpoint(f"http://127.0.0.1:{port}/v1")
    try:
        async with asyncio.timeout(_SCAN_TIMEOUT):
            listed = await list_models(endpoint, timeouts=_SCAN_TIMEOUTS)
    except (ModelError, TimeoutError):
        return None  # no server, or one without models
    models = tuple(model for model in listed if "embed" not in model.id.lower())
    return FoundServer(kind, endpoint, models) if models else None


def _listed_model(entry: Any) -> ListedModel:
    fields = {**entry, **(entry.get("meta") or {})}
    context = next((fields[key] for key in _CONTEXT_KEYS if isinstance(fields.get(key), int)), None)
    return ListedModel(str(entry["id"]), context)


def _model(key: str, id: str, models: Any) -> Any:
    return next(each for each in models if each[key] == id)


# https://docs.ollama.com/api/ps, https://lmstudio.ai/docs/developer/rest/endpoints and
# https://github.com/ggml-org/llama.cpp/tree/master/tools/server
_CONTEXT_PATHS: tuple[tuple[str, Callable[[Any, str], Any]], ...] = (
    ("/api/ps", lambda body, id: _model("model", id, body["models"])["context_length"]),
    ("/api/v0/models", lambda body, id: _model("id", id, body["data"])["loaded_context_length"]),
    ("/props", lambda body, _id: body["default_generation_settings"]["n_ctx"]),
)
