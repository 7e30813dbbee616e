"""Model discovery: models of a server, their loaded context, and servers on this computer."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Any

from assistant.model_client.endpoint import Endpoint, Timeouts, open_client
from assistant.model_client.language_model import ModelError
from assistant.model_client.model_errors import ModelErrors
from assistant.model_client.server_errors import ModelConnectionError, ModelServerError
from tools.moments.clock import system_clock

_CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
_LISTING_TIMEOUTS = Timeouts(first=15)


@dataclass(frozen=True)
class ListedModel:
    """A model by the id that the server gives it; `context` in tokens, None where not told."""

    id: str
    context: int | None = None

    @property
    def title(self) -> str:
        """What to call it: the id, or of the path of a model file the name alone."""
        is_file = self.id.lower().endswith(".gguf")
        return PureWindowsPath(self.id).stem if is_file else self.id  # takes both kinds of slash


async def list_models(
    address: Endpoint, *, timeouts: Timeouts = _LISTING_TIMEOUTS
) -> tuple[ListedModel, ...]:
    """The models that are there, as the server orders them; asked once, whatever happens.

    Raises:
        ModelError: the server did not tell.
    """
    failures = ModelErrors("the list of models", address, timeouts)
    content = b""
    try:
        content = await _fetch_models(address, timeouts)
        return tuple(_listed_model(entry) for entry in _entries(json.loads(content)))
    except ModelConnectionError as error:
        raise failures.unreached(error.obstacle) from None
    except ModelServerError as error:
        raise failures.refused(error, system_clock()) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise failures.not_understood(content) from None


async def _fetch_models(address: Endpoint, timeouts: Timeouts) -> bytes:
    wire = await open_client(address, timeouts)
    try:
        return await wire.get("/models")
    finally:
        await wire.close()


def _entries(listed: Any) -> list[Any]:
    return list(listed if isinstance(listed, list) else listed["data"] or [])


def _listed_model(entry: Any) -> ListedModel:
    told = {**entry, **(entry.get("meta") or {})}
    context = next((told[key] for key in _CONTEXT_KEYS if isinstance(told.get(key), int)), None)
    return ListedModel(str(entry["id"]), context)


_CONTEXT_TIMEOUTS = Timeouts(connect=1, first=2, between=2)
_LOOKUP_ERRORS = (ValueError, TypeError, KeyError, AttributeError, StopIteration)


def _ollama_context(told: Any, id: str) -> Any:
    return next(each["context_length"] for each in told["models"] if each["model"] == id)


def _lm_studio_context(told: Any, id: str) -> Any:
    return next(each["loaded_context_length"] for each in told["data"] if each["id"] == id)


def _llama_cpp_context(told: Any, _id: str) -> Any:
    return told["default_generation_settings"]["n_ctx"]


# https://docs.ollama.com/api/ps, https://lmstudio.ai/docs/developer/rest/endpoints and
# https://github.com/ggml-org/llama.cpp/tree/master/tools/server
_CONTEXT_PATHS: tuple[tuple[str, Callable[[Any, str], Any]], ...] = (
    ("/api/ps", _ollama_context),
    ("/api/v0/models", _lm_studio_context),
    ("/props", _llama_cpp_context),
)


async def loaded_context(address: Endpoint, id: str) -> int | None:
    """How many tokens the model `id` takes that was just asked; None where nobody says it."""
    root = Endpoint(address.url.removesuffix("/v1"), address.key)
    wire = await open_client(root, _CONTEXT_TIMEOUTS)
    try:
        for path, read in _CONTEXT_PATHS:
            with suppress(ModelServerError, ModelConnectionError, *_LOOKUP_ERRORS):
                found = read(json.loads(await wire.get(path)), id)
                if isinstance(found, int) and found > 0:
                    return found
    finally:
        await wire.close()
    return None


PORTS: Mapping[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""Where each kind of server listens when nobody told it otherwise."""

_SCAN_TIMEOUTS = Timeouts(connect=0.5, first=1, between=1)
_SCAN_TIMEOUT = 10  # seconds, for one that never ends what it says; loading openai is among them


@dataclass(frozen=True)
class FoundServer:
    """A server on this computer; `kind` is whose port it listens on."""

    kind: str
    address: Endpoint
    models: tuple[ListedModel, ...]


async def find_servers(ports: Mapping[str, int] = PORTS) -> tuple[FoundServer, ...]:
    """Every server that answers with its models within a second or so, in the order of `ports`."""
    looks = (_probe_port(kind, port) for kind, port in ports.items())
    return tuple(found for found in await asyncio.gather(*looks) if found)


async def _probe_port(kind: str, port: int) -> FoundServer | None:
    address = Endpoint(f"http://127.0.0.1:{port}/v1")
    try:
        async with asyncio.timeout(_SCAN_TIMEOUT):
            listed = await list_models(address, timeouts=_SCAN_TIMEOUTS)
    except (ModelError, TimeoutError):
        return None  # nobody is there, or somebody who has no models
    models = tuple(model for model in listed if "embed" not in model.id.lower())  # they answer
    return FoundServer(kind, address, models) if models else None
