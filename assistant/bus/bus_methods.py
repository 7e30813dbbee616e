"""The bus methods of the public contract: tools, plans and plain requests."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
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

MAX_TEXT_LENGTH = 20_000  # characters of a plain request, or of a plan as text
MAX_PLAN_STEPS = 200


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ToolRequest:
    """Parameters of `tools/execute`: a tool by group and name, and its arguments as JSON.

    `channel_id` and `session_id` are accepted for callers that send them, and not used.
    """

    tool: str
    action: str
    args_json: str
    channel_id: str
    session_id: str | None = None


def parse_tool_request(params: Any) -> ToolRequest:
    """Validate the parameters of `tools/execute`.

    Raises:
        JsonRpcError: names the field at fault.
    """
    if not isinstance(params, dict):
        raise JsonRpcError(INVALID_REQUEST, "tools/execute takes an object")
    try:
        return TypeAdapter(ToolRequest).validate_python(params)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise JsonRpcError(INVALID_REQUEST, f"tools/execute: {field!r}: {first['msg']}") from error


@dataclass(frozen=True)
class Bus:
    """The bus methods over one agent; `approver` approves the effects of callers."""

    agent: Agent
    approver: Approver

    async def call(self, method: str, params: Any) -> Any:
        """Call a method and return its JSON result.

        Raises:
            JsonRpcError: unknown method, invalid parameters, or the method failed.
        """
        methods: Mapping[str, Callable[[Any], Awaitable[Any]]] = {
            "tools/execute": self._execute_tool,
            "tools/list": self._list_tools,
            "agents": self._run_request,
            "agents/plan": self._run_plan,
            "agents/gmail/read": self._read_mail,
            "agents/news": self._read_news,
            "agents/news/read": self._read_news,
        }
        if method not in methods:
            raise JsonRpcError(METHOD_NOT_FOUND, f"method not found: {method}")
        return await methods[method](params)

    async def _execute_tool(self, params: Any) -> dict[str, Any]:
        request = parse_tool_request(params)
        tool = self._find_tool(request.tool, request.action)
        response: dict[str, Any] = {"tool": request.tool, "action": request.action}
        try:
            output = await self._run_tool(tool, request.args_json)
        except ToolError as error:
            return response | {"ok": False, "data_json": None, "error": str(error)}
        data = json.dumps(output, ensure_ascii=False)
        return response | {"ok": True, "data_json": data, "error": None}

    async def _list_tools(self, _params: Any) -> list[dict[str, Any]]:
        return [describe_tool(tool) for tool in self.agent.tools.values()]

    async def _run_request(self, params: Any) -> dict[str, Any]:
        text = params.get("text") if isinstance(params, Mapping) else params
        if not isinstance(text, str) or not text.strip():
            raise JsonRpcError(INVALID_REQUEST, 'agents takes {"text": "a request in plain words"}')
        _refuse_long_text(text)
        return await _reply_payload(self.agent.run(Request(text), self.approver))

    async def _run_plan(self, params: Any) -> dict[str, Any]:
        if not isinstance(params, Mapping | list | str):
            raise JsonRpcError(INVALID_REQUEST, "agents/plan takes a plan: an object or a list")
        steps = params.get("steps") if isinstance(params, Mapping) else params
        if isinstance(steps, str):
            _refuse_long_text(steps)
        elif isinstance(steps, list) and len(steps) > MAX_PLAN_STEPS:
            raise JsonRpcError(INVALID_REQUEST, f"agents/plan takes at most {MAX_PLAN_STEPS} steps")
        run = self.agent.run(Request(""), self.approver, FixedPlanner(params))
        return await _reply_payload(run)

    async def _read_mail(self, params: Any) -> str:
        mail = await self._call_tool("gmail", "read_latest", params)
        headers = {"From": "from", "Subject": "subject", "Date": "date", "Snippet": "snippet"}
        return "\n".join(f"{name}: {mail[field]}" for name, field in headers.items())

    async def _read_news(self, params: Any) -> Any:
        return await self._call_tool("newsmail_aggregator", "get", params)

    async def _call_tool(self, group: str, action: str, params: Any) -> Any:
        if not isinstance(params, Mapping | None):
            raise JsonRpcError(INVALID_REQUEST, "the arguments must be an object")
        tool = self._find_tool(group, action)
        try:
            return await self._run_tool(tool, dict(params or {}))
        except ToolError as error:
            raise JsonRpcError(SERVER_ERROR, str(error)) from error

    def _find_tool(self, group: str, action: str) -> Tool:
        for tool in self.agent.tools.values():
            if tool.group == group and action in {tool.name, *tool.aliases}:
                return tool
        raise JsonRpcError(METHOD_NOT_FOUND, f"tool/action not found: {group}/{action}")

    async def _run_tool(self, tool: Tool, arguments: object) -> Any:
        """Run a plan of one step and return the tool's output in its wire form.

        Raises:
            ToolError: invalid arguments, a failed tool, or a declined effect.
        """
        parameters = tool.unwrap(arguments)
        tool.check_arguments(parameters)
        plan = Plan((Step(1, tool.name, parameters, literal=True),))
        run = self.agent.run(Request(""), self.approver, FixedPlanner(plan))
        reply = (await await_reply(run)).reply
        result = run.results.get(1)
        if result is None or result.outcome not in {StepOutcome.DONE, StepOutcome.FAILED}:
            raise ToolError(reply.message)
        if result.outcome is StepOutcome.FAILED:
            raise ToolError(result.note, result.remedy)
        return to_wire(result.output)


def describe_tool(tool: Tool) -> dict[str, Any]:
    """Describe a tool for other programs; `origin` is the group of its outputs."""
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
    reply = (await await_reply(run)).reply
    return reply.wire()


def _refuse_long_text(text: str) -> None:
    if len(text) > MAX_TEXT_LENGTH:
        raise JsonRpcError(INVALID_REQUEST, f"a text may have {MAX_TEXT_LENGTH:,} characters")
