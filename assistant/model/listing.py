"""Listing: the models that a server says it has."""

import json
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Any

from assistant.model.address import Address, Timeouts, wire_to
from assistant.model.failures import Failures
from assistant.model.refusal import RefusedError, UnreachedError
from tools.moments import system_clock

_CONTEXT = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
_TIMEOUTS = Timeouts(first=15)


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
    address: Address, *, timeouts: Timeouts = _TIMEOUTS
) -> tuple[ListedModel, ...]:
    """The models that are there, as the server orders them; asked once, whatever happens.

    Raises:
        ModelError: the server did not tell.
    """
    failures = Failures("the list of models", address, timeouts)
    content = b""
    try:
        content = await _listed(address, timeouts)
        return tuple(_model(entry) for entry in _entries(json.loads(content)))
    except UnreachedError as error:
        raise failures.unreached(error.obstacle) from None
    except RefusedError as error:
        raise failures.refused(error, system_clock()) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise failures.not_understood(content) from None


async def _listed(address: Address, timeouts: Timeouts) -> bytes:
    wire = await wire_to(address, timeouts)
    try:
        return await wire.get("/models")
    finally:
        await wire.close()


def _entries(listed: Any) -> list[Any]:
    return list(listed if isinstance(listed, list) else listed["data"] or [])


def _model(entry: Any) -> ListedModel:
    told = {**entry, **(entry.get("meta") or {})}
    context = next((told[key] for key in _CONTEXT if isinstance(told.get(key), int)), None)
    return ListedModel(str(entry["id"]), context)
