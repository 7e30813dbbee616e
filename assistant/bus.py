"""The bus: the methods by which others reach the assistant, as JSON-RPC 2.0 names them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assistant.agent import Agent, Run, outcome
from assistant.planners.given import GivenPlan
from assistant.request import Approver, Request
from tools.tool import Tool

METHOD_NOT_FOUND = -32601
INVALID_REQUEST = -32600


class BusError(Exception):
    """A call that cannot be answered, with its JSON-RPC code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code

    def wire(self) -> dict[str, Any]:
        """The error object of JSON-RPC."""
        return {"code": self.code, "message": str(self)}


@dataclass(frozen=True)
class Bus:
    """The methods over one agent; `approver` answers for effects that a caller asks for."""

    agent: Agent
    approver: Approver

    async def call(self, method: str, params: Any) -> Any:
        """The JSON result of a method.

        Raises:
            BusError: there is no such method, or the payload is not what it takes.
        """
        methods: Mapping[str, Callable[[Any], Awaitable[Any]]] = {
            "agents": self._request,
            "agents/plan": self._plan,
            "tools/list": self._tools,
        }
        if method not in methods:
            raise BusError(METHOD_NOT_FOUND, f"method not found: {method}")
        return await methods[method](params)

    async def _request(self, params: Any) -> dict[str, Any]:
        text = params.get("text") if isinstance(params, Mapping) else params
        if not isinstance(text, str) or not text.strip():
            raise BusError(INVALID_REQUEST, 'agents takes {"text": "a request in plain words"}')
        return await _payload(self.agent.run(Request(text), self.approver))

    async def _plan(self, params: Any) -> dict[str, Any]:
        if not isinstance(params, Mapping | list | str):
            raise BusError(INVALID_REQUEST, "agents/plan takes a plan: an object or a list")
        given = GivenPlan(params)
        return await _payload(self.agent.run(Request(""), self.approver, given))

    async def _tools(self, params: Any) -> list[dict[str, Any]]:
        del params
        return [describe(tool) for tool in self.agent.tools.values()]


def describe(tool: Tool) -> dict[str, Any]:
    """A tool as others see it: schema, effect, sinks and where its output comes from."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "effect": str(tool.effect),
        "sinks": {name: str(sink) for name, sink in tool.sinks.items()},
        "aliases": list(tool.aliases),
        "origin": tool.group,
    }


async def _payload(run: Run) -> dict[str, Any]:
    reply, _ = await outcome(run)
    return reply.wire()
