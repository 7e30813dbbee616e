"""The bus methods of the public contract: tools, plans and plain requests."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from assistant.agent import Agent, AgentRun, await_reply
from assistant.bus.jsonrpc import INVALID_REQUEST, METHOD_NOT_FOUND, SERVER_ERROR, JsonRpcError
from assistant.planners.planner import FixedPlanner
from assistant.runs.events import StepOutcome
from assistant.runs.plan import Plan, Step
from assistant.runs.request import Approver, Request
from tools.tool import Tool, to_wire
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class ToolResponse:
    """What came of it: `data_json` is the JSON of the output, or `error` says why there is none."""

    tool: str
    action: str
    ok: bool
    data_json: str | None
    error: str | None


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ToolRequest:
    """A tool by group and name, its arguments as JSON, and where the caller wants it for."""

    tool: str
    action: str
    args_json: str
    channel_id: str
    session_id: str | None = None

    def done(self, data_json: str) -> ToolResponse:
        """The response with an output."""
        return ToolResponse(self.tool, self.action, ok=True, data_json=data_json, error=None)

    def failed(self, error: str) -> ToolResponse:
        """The response with a reason."""
        return ToolResponse(self.tool, self.action, ok=False, data_json=None, error=error)


def parse_tool_request(params: Any) -> ToolRequest:
    """The request in a payload.

    Raises:
        BusError: names the field at fault.
    """
    if not isinstance(params, dict):
        raise JsonRpcError(INVALID_REQUEST, "tools/execute takes an object")
    try:
        return TypeAdapter(ToolRequest).validate_python(params)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise JsonRpcError(INVALID_REQUEST, f"tools/execute: {where!r}: {first['msg']}") from error


MAX_TEXT_LENGTH = 20_000  # characters of plain words, or of a plan as text
MAX_PLAN_STEPS = 200


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
            raise JsonRpcError(METHOD_NOT_FOUND, f"method not found: {method}")
        return await methods[method](params)

    async def _execute(self, params: Any) -> dict[str, Any]:
        asked = parse_tool_request(params)
        tool = self._tool(asked.tool, asked.action)
        try:
            output = await self._output(tool, asked.args_json)
        except ToolError as error:
            return asdict(asked.failed(str(error)))
        return asdict(asked.done(json.dumps(output, ensure_ascii=False)))

    async def _tools(self, params: Any) -> list[dict[str, Any]]:
        del params
        return [describe_tool(tool) for tool in self.agent.tools.values()]

    async def _request(self, params: Any) -> dict[str, Any]:
        text = params.get("text") if isinstance(params, Mapping) else params
        if not isinstance(text, str) or not text.strip():
            raise JsonRpcError(INVALID_REQUEST, 'agents takes {"text": "a request in plain words"}')
        return await _reply_payload(self.agent.run(Request(_refuse_long_text(text)), self.approver))

    async def _plan(self, params: Any) -> dict[str, Any]:
        if not isinstance(params, Mapping | list | str):
            raise JsonRpcError(INVALID_REQUEST, "agents/plan takes a plan: an object or a list")
        steps = params.get("steps") if isinstance(params, Mapping) else params
        if isinstance(steps, str):
            _refuse_long_text(steps)
        elif isinstance(steps, list) and len(steps) > MAX_PLAN_STEPS:
            raise JsonRpcError(INVALID_REQUEST, f"agents/plan takes at most {MAX_PLAN_STEPS} steps")
        return await _reply_payload(
            self.agent.run(Request(""), self.approver, FixedPlanner(params))
        )

    async def _read_mail(self, params: Any) -> str:
        mail = await self._output_of("gmail", "read_latest", params)
        named = {"From": "from", "Subject": "subject", "Date": "date", "Snippet": "snippet"}
        return "\n".join(f"{name}: {mail[field]}" for name, field in named.items())

    async def _news(self, params: Any) -> Any:
        return await self._output_of("newsmail_aggregator", "get", params)

    async def _output_of(self, group: str, action: str, params: Any) -> Any:
        """What a tool gives out, in its wire form."""
        if not isinstance(params, Mapping | None):
            raise JsonRpcError(INVALID_REQUEST, "the arguments must be an object")
        tool = self._tool(group, action)
        try:
            return await self._output(tool, dict(params or {}))
        except ToolError as error:
            raise JsonRpcError(SERVER_ERROR, str(error)) from error

    def _tool(self, group: str, action: str) -> Tool:
        for tool in self.agent.tools.values():
            if tool.group == group and action in {tool.name, *tool.aliases}:
                return tool
        raise JsonRpcError(METHOD_NOT_FOUND, f"tool/action not found: {group}/{action}")

    async def _output(self, tool: Tool, arguments: object) -> Any:
        """The wire form of what a tool gives out, by a run of that one step.

        Raises:
            ToolError: the arguments do not fit, or the tool failed or was not allowed to.
        """
        given = tool.unwrapped(arguments)
        tool.check(given)
        plan = Plan((Step(1, tool.name, given, literal=True),))
        run = self.agent.run(Request(""), self.approver, FixedPlanner(plan))
        reply, _ = await await_reply(run)
        result = run.results.get(1)
        if result is None or result.outcome not in {StepOutcome.DONE, StepOutcome.FAILED}:
            raise ToolError(reply.message)
        if result.outcome is StepOutcome.FAILED:
            raise ToolError(result.note, result.remedy)
        return to_wire(result.output)


def describe_tool(tool: Tool) -> dict[str, Any]:
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


async def _reply_payload(run: AgentRun) -> dict[str, Any]:
    reply, _ = await await_reply(run)
    return reply.wire()


def _refuse_long_text(text: str) -> str:
    if len(text) > MAX_TEXT_LENGTH:
        raise JsonRpcError(INVALID_REQUEST, f"a text may have {MAX_TEXT_LENGTH:,} characters")
    return text
