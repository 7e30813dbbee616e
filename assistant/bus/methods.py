"""Methods: what others can ask of the assistant, by the names of the public contract."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assistant.agent import Agent, Run, outcome
from assistant.bus.errors import FAILED, INVALID_REQUEST, METHOD_NOT_FOUND, BusError
from assistant.bus.tool_request import read_tool_request
from assistant.events import Outcome
from assistant.plan import Plan, Step
from assistant.planners.given import GivenPlan
from assistant.request import Approver, Request
from tools.tool import Tool, ToolError, to_wire

LONGEST_REQUEST = 20_000  # characters of plain words, or of a plan as text
MOST_STEPS = 200


@dataclass(frozen=True)
class Bus:
    """The methods over one agent; `approver` answers for effects that a caller asks for."""

    agent: Agent
    approver: Approver

    async def call(self, method: str, params: Any) -> Any:
        """The JSON result of a method.

        Raises:
            BusError: there is no such method, the payload is not what it takes, or it failed.
        """
        methods: Mapping[str, Callable[[Any], Awaitable[Any]]] = {
            "tools/execute": self._execute,
            "tools/list": self._tools,
            "agents": self._request,
            "agents/plan": self._plan,
            "agents/gmail/read": self._read_mail,
            "agents/news": self._news,
            "agents/news/read": self._news,
        }
        if method not in methods:
            raise BusError(METHOD_NOT_FOUND, f"method not found: {method}")
        return await methods[method](params)

    async def _execute(self, params: Any) -> dict[str, Any]:
        asked = read_tool_request(params)
        tool = self._tool(asked.tool, asked.action)
        try:
            output = await self._output(tool, asked.args_json)
        except ToolError as error:
            return asdict(asked.failed(str(error)))
        return asdict(asked.done(json.dumps(output, ensure_ascii=False)))

    async def _tools(self, params: Any) -> list[dict[str, Any]]:
        del params
        return [describe(tool) for tool in self.agent.tools.values()]

    async def _request(self, params: Any) -> dict[str, Any]:
        text = params.get("text") if isinstance(params, Mapping) else params
        if not isinstance(text, str) or not text.strip():
            raise BusError(INVALID_REQUEST, 'agents takes {"text": "a request in plain words"}')
        return await _payload(self.agent.run(Request(_short(text)), self.approver))

    async def _plan(self, params: Any) -> dict[str, Any]:
        if not isinstance(params, Mapping | list | str):
            raise BusError(INVALID_REQUEST, "agents/plan takes a plan: an object or a list")
        steps = params.get("steps") if isinstance(params, Mapping) else params
        if isinstance(steps, str):
            _short(steps)
        elif isinstance(steps, list) and len(steps) > MOST_STEPS:
            raise BusError(INVALID_REQUEST, f"agents/plan takes at most {MOST_STEPS} steps")
        return await _payload(self.agent.run(Request(""), self.approver, GivenPlan(params)))

    async def _read_mail(self, params: Any) -> str:
        mail = await self._output_of("gmail", "read_latest", params)
        named = {"From": "from", "Subject": "subject", "Date": "date", "Snippet": "snippet"}
        return "\n".join(f"{name}: {mail[field]}" for name, field in named.items())

    async def _news(self, params: Any) -> Any:
        return await self._output_of("newsmail_aggregator", "get", params)

    async def _output_of(self, group: str, action: str, params: Any) -> Any:
        """What a tool gives out, in its wire form."""
        if not isinstance(params, Mapping | None):
            raise BusError(INVALID_REQUEST, "the arguments must be an object")
        tool = self._tool(group, action)
        try:
            return await self._output(tool, dict(params or {}))
        except ToolError as error:
            raise BusError(FAILED, str(error)) from error

    def _tool(self, group: str, action: str) -> Tool:
        for tool in self.agent.tools.values():
            if tool.group == group and action in {tool.name, *tool.aliases}:
                return tool
        raise BusError(METHOD_NOT_FOUND, f"tool/action not found: {group}/{action}")

    async def _output(self, tool: Tool, arguments: object) -> Any:
        """The wire form of what a tool gives out, by a run of that one step.

        Raises:
            ToolError: the arguments do not fit, or the tool failed or was not allowed to.
        """
        given = tool.unwrapped(arguments)
        tool.check(given)
        plan = Plan((Step(1, tool.name, given, literal=True),))
        run = self.agent.run(Request(""), self.approver, GivenPlan(plan))
        reply, _ = await outcome(run)
        result = run.results.get(1)
        if result is None or result.outcome not in {Outcome.DONE, Outcome.FAILED}:
            raise ToolError(reply.message)
        if result.outcome is Outcome.FAILED:
            raise ToolError(result.note, result.remedy)
        return to_wire(result.output)


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


def _short(text: str) -> str:
    if len(text) > LONGEST_REQUEST:
        raise BusError(INVALID_REQUEST, f"a text may have {LONGEST_REQUEST:,} characters")
    return text
