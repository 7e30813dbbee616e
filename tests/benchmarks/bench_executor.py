"""The executor's own time per tool step, beside bare awaits and other runners of the same plan.

The plan is a chain: each step takes the number the step before it gave, and adds one.
"""

import asyncio
import statistics
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from assistant.agent import Agent, await_reply
from assistant.planners.planner import FixedPlanner
from assistant.runs.reply import reply_to_user
from assistant.runs.request import Request
from tests.assistant.scripted import CLOCK, ScriptedApprover
from tools.tool import Tool

STEPS = 50
ROUNDS = 40
WARM_UP_ROUNDS = 3


async def add_one(number: int) -> int:
    """Add one.

    Args:
        number: to what.
    """
    return number + 1


async def _bare() -> int:
    number = 0
    for _ in range(STEPS):
        number = await add_one(number)
    return number


def _deskhand() -> Callable[[], Awaitable[int]]:
    steps: list[dict[str, Any]] = [
        {"id": 1, "action": "add_one", "parameters": {"number": 0}},
        *(
            {"id": id, "action": "add_one", "parameters": {"number": f"$step{id - 1}"}}
            for id in range(2, STEPS + 1)
        ),
        {"id": STEPS + 1, "action": "reply_to_user", "parameters": {"message": f"$step{STEPS}"}},
    ]
    tools = [Tool.of(add_one, group="bench"), Tool.of(reply_to_user, group="reply")]
    deque((tool.parameters for tool in tools), maxlen=0)  # as the window does while it loads
    agent = Agent({tool.name: tool for tool in tools}, FixedPlanner(steps), CLOCK)

    async def run() -> int:
        reply = (await await_reply(agent.run(Request("count"), ScriptedApprover()))).reply
        return int(reply.message)

    return run


class _State(TypedDict):
    number: int


def _langgraph() -> Callable[[], Awaitable[int]]:
    async def node(state: _State) -> _State:
        return {"number": await add_one(state["number"])}

    graph = StateGraph(_State)
    names = [f"step{number}" for number in range(STEPS)]
    for name in names:
        graph.add_node(name, node)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    compiled = graph.compile()

    async def run() -> int:
        result = await compiled.ainvoke({"number": 0}, {"recursion_limit": STEPS + 5})
        return int(result["number"])

    return run


def _pydantic_ai() -> Callable[[], Awaitable[int]]:
    def plan(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        number = len(messages) // 2
        if number < STEPS:
            return ModelResponse(parts=[ToolCallPart("add_one", {"number": number})])
        return ModelResponse(parts=[TextPart(str(number))])

    agent = PydanticAgent(FunctionModel(plan), tools=[add_one])

    async def run() -> int:
        result = await agent.run("count", usage_limits=UsageLimits(request_limit=None))
        return int(result.output)

    return run


async def _microseconds_per_step(run: Callable[[], Awaitable[int]]) -> float:
    start = time.perf_counter()
    counted = await run()
    taken = time.perf_counter() - start
    if counted != STEPS:
        raise RuntimeError(f"counted {counted} instead of {STEPS}")
    return taken / STEPS * 1e6


async def _measure() -> None:
    """Run all runners in every round, so that load on the machine hits all of them."""
    runners = {
        "deskhand": _deskhand(),
        "bare await": _bare,
        "pydantic-ai": _pydantic_ai(),
        "langgraph": _langgraph(),
    }
    rounds = [
        {name: await _microseconds_per_step(run) for name, run in runners.items()}
        for _ in range(WARM_UP_ROUNDS + ROUNDS)
    ][WARM_UP_ROUNDS:]
    for name in runners:
        ratios = [each[name] / each["deskhand"] for each in rounds]
        low, *_, high = statistics.quantiles(ratios, n=10)
        print(
            f"{name:12} {statistics.median(each[name] for each in rounds):8.1f} µs a step"
            f"   {statistics.median(ratios):6.2f} × deskhand   ({low:.2f} to {high:.2f})"
        )


def main() -> None:
    """Measure and print; in brackets the range of 80 % of the rounds."""
    asyncio.run(_measure())


if __name__ == "__main__":
    main()
