"""Finding: the servers of models that run on this computer; nowhere else is looked."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.model.errors import ModelError
from assistant.model.server import Address, ListedModel, Timeouts, list_models

PORTS: Mapping[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""Where each kind of server listens when nobody told it otherwise."""

_PATIENCE = Timeouts(connect=0.5, first=1, between=1)
_LONGEST = 10  # seconds, for one that never ends what it says; loading openai is among them


@dataclass(frozen=True)
class FoundServer:
    """A server on this computer; `kind` is whose port it listens on."""

    kind: str
    address: Address
    models: tuple[ListedModel, ...]


async def find_servers(ports: Mapping[str, int] = PORTS) -> tuple[FoundServer, ...]:
    """Every server that answers with its models within a second or so, in the order of `ports`."""
    looks = (_look(kind, port) for kind, port in ports.items())
    return tuple(found for found in await asyncio.gather(*looks) if found)


async def _look(kind: str, port: int) -> FoundServer | None:
    address = Address(f"http://127.0.0.1:{port}/v1")
    try:
        async with asyncio.timeout(_LONGEST):
            listed = await list_models(address, timeouts=_PATIENCE)
    except (ModelError, TimeoutError):
        return None  # nobody is there, or somebody who has no models
    models = tuple(model for model in listed if "embed" not in model.id.lower())  # they answer
    return FoundServer(kind, address, models) if models else None
