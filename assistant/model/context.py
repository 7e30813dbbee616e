"""A context: how many tokens a model takes where it runs now, as its server says in its own way.

What the OpenAI form has no word for. Programs that serve models on a desktop give a model far less
than it could take and cut off what is too much without a word, so that it pays to ask.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from assistant.model.address import Address, Timeouts, wire_to
from assistant.model.refusal import RefusedError, UnreachedError

_PATIENCE = Timeouts(connect=1, first=2, between=2)
_NOT_THERE = (ValueError, TypeError, KeyError, AttributeError, StopIteration)


def _of_ollama(told: Any, id: str) -> Any:
    return next(each["context_length"] for each in told["models"] if each["model"] == id)


def _of_lm_studio(told: Any, id: str) -> Any:
    return next(each["loaded_context_length"] for each in told["data"] if each["id"] == id)


def _of_llama_cpp(told: Any, _id: str) -> Any:
    return told["default_generation_settings"]["n_ctx"]


# https://docs.ollama.com/api/ps, https://lmstudio.ai/docs/developer/rest/endpoints and
# https://github.com/ggml-org/llama.cpp/tree/master/tools/server
_PLACES: tuple[tuple[str, Callable[[Any, str], Any]], ...] = (
    ("/api/ps", _of_ollama),
    ("/api/v0/models", _of_lm_studio),
    ("/props", _of_llama_cpp),
)


async def loaded_context(address: Address, id: str) -> int | None:
    """How many tokens the model `id` takes that was just asked; None where nobody says it."""
    root = Address(address.url.removesuffix("/v1"), address.key)
    wire = await wire_to(root, _PATIENCE)
    try:
        for path, read in _PLACES:
            with suppress(RefusedError, UnreachedError, *_NOT_THERE):
                found = read(json.loads(await wire.get(path)), id)
                if isinstance(found, int) and found > 0:
                    return found
    finally:
        await wire.close()
    return None
