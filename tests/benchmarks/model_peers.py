"""The peers of a stepwise run: each asks the same model, looks up what it asks for, and goes on.

Each imports what it needs when it is made, as each is made in a process of its own.
"""

import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

from tests.benchmarks.instant_server import PAGE

Json = dict[str, Any]

REQUEST = "Look up every page and tell me when you are done."
DESCRIPTION = "Look up a page."
MODEL = "instant"
KEY = "none"
MOST = 100  # calls that a run may take, for those that want to know
SCHEMA: Json = {
    "type": "object",
    "properties": {"page": {"type": "integer", "description": "its number."}},
    "required": ["page"],
}
OFFERED: Json = {"name": "look_up", "description": DESCRIPTION, "parameters": SCHEMA}
Run = Callable[[int], Coroutine[None, None, str]]


async def look_up(page: int) -> str:
    """Look up a page.

    Args:
        page: its number.
    """
    return PAGE.format(page)


def bare_python(_address: str) -> Run:
    """Nothing at all: what a process is before it imports anything."""

    async def run(_calls: int) -> str:
        return "done"

    return run


def httpx_and_json(address: str) -> Run:
    """A request and its answer as JSON, and nothing else."""
    import httpx

    client = httpx.AsyncClient()

    async def ask(body: Json, path: str) -> Json:
        response = await client.post(address + path, content=json.dumps(body))
        answer: Json = json.loads(response.content)
        return answer

    return _by_hand(ask)


def openai_post(address: str) -> Run:
    """The openai client's generic request."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=address, api_key=KEY)

    async def ask(body: Json, path: str) -> Json:
        answer = await client.post(address + path, body=body, cast_to=object)
        return cast("Json", answer)

    return _by_hand(ask)


def openai_create(address: str) -> Run:
    """The openai client as its own documentation uses it."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=address, api_key=KEY)

    async def run(calls: int) -> str:
        here = client.with_options(base_url=f"{address}/run/{calls}/text/v1")
        messages: list[Any] = [{"role": "user", "content": REQUEST}]
        tools: Any = [{"type": "function", "function": OFFERED}]
        while True:
            answer = await here.chat.completions.create(model=MODEL, messages=messages, tools=tools)
            message: Any = answer.choices[0].message
            if not message.tool_calls:
                return str(message.content)
            messages.append(message)
            for call in message.tool_calls:
                found = await look_up(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": found})

    return run


def _by_hand(ask: Callable[[Json, str], Awaitable[Json]]) -> Run:
    async def run(calls: int) -> str:
        messages: list[Json] = [{"role": "user", "content": REQUEST}]
        tools = [{"type": "function", "function": OFFERED}]
        while True:
            body = {"model": MODEL, "messages": messages, "tools": tools}
            answer = await ask(body, f"/run/{calls}/text/v1/chat/completions")
            message = answer["choices"][0]["message"]
            if not message.get("tool_calls"):
                return str(message["content"])
            messages.append(message)
            for call in message["tool_calls"]:
                found = await look_up(**json.loads(call["function"]["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": found})

    return run


def smolagents(address: str) -> Run:
    """Its agent that calls tools; it knows no asyncio."""
    from smolagents import LogLevel, OpenAIModel, Tool, ToolCallingAgent

    class LookUp(Tool):  # type: ignore[misc]
        name, description, output_type = "look_up", DESCRIPTION, "string"
        inputs = SCHEMA["properties"]

        def forward(self, page: int) -> str:
            return PAGE.format(page)

    def agent(calls: int) -> Any:
        model = OpenAIModel(MODEL, f"{address}/run/{calls}/final_answer/v1", KEY)
        return ToolCallingAgent([LookUp()], model, verbosity_level=LogLevel.OFF, max_steps=MOST)

    return _made_once(agent, lambda agent: _at_once(str(agent.run(REQUEST))))


def openai_agents(address: str) -> Run:
    """OpenAI's agents, without the tracing that would call home."""
    from agents import (
        Agent,
        OpenAIChatCompletionsModel,
        Runner,
        function_tool,
        set_tracing_disabled,
    )
    from openai import AsyncOpenAI

    set_tracing_disabled(disabled=True)

    def agent(calls: int) -> Any:
        client = AsyncOpenAI(base_url=f"{address}/run/{calls}/text/v1", api_key=KEY)
        model = OpenAIChatCompletionsModel(MODEL, client)
        return Agent("bench", model=model, tools=[function_tool(look_up)])

    async def run(agent: Any) -> str:
        return str((await Runner.run(agent, REQUEST, max_turns=MOST)).final_output)

    return _made_once(agent, run)


def langgraph(address: str) -> Run:
    """A graph of a model and its tools, over langchain-openai."""
    from langchain_openai import ChatOpenAI
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    def agent(calls: int) -> Any:
        model = ChatOpenAI(model=MODEL, base_url=f"{address}/run/{calls}/text/v1", api_key=KEY)
        bound = model.bind_tools([look_up])

        async def call_model(state: Any) -> Any:
            return {"messages": [await bound.ainvoke(state["messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node("model", call_model)
        graph.add_node("tools", ToolNode([look_up]))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")
        return graph.compile()

    async def run(agent: Any) -> str:
        asked = {"messages": [("user", REQUEST)]}
        state = await agent.ainvoke(asked, {"recursion_limit": 2 * MOST})
        return str(state["messages"][-1].content)

    return _made_once(agent, run)


def pydantic_ai(address: str) -> Run:
    """Its agent, over its OpenAI chat model."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.usage import UsageLimits

    def agent(calls: int) -> Any:
        provider = OpenAIProvider(base_url=f"{address}/run/{calls}/text/v1", api_key=KEY)
        return Agent(OpenAIChatModel(MODEL, provider=provider), tools=[look_up])

    async def run(agent: Any) -> str:
        return str((await agent.run(REQUEST, usage_limits=UsageLimits(request_limit=MOST))).output)

    return _made_once(agent, run)


def _made_once(make: Callable[[int], Any], run: Callable[[Any], Awaitable[str]]) -> Run:
    """One agent for each number of calls, as its address says how many; made at its first run."""
    made: dict[int, Any] = {}

    async def again(calls: int) -> str:
        made[calls] = made.get(calls) or make(calls)
        return await run(made[calls])

    return again


async def _at_once(answer: str) -> str:
    return answer


def deskhand_client(address: str) -> Run:
    """Our client alone."""
    from assistant.model_client.endpoint import Endpoint
    from assistant.model_client.language_model import Function, Message, Prompt
    from assistant.model_client.server_model import ServerModel

    functions = (Function("look_up", DESCRIPTION, SCHEMA),)

    def model(calls: int) -> ServerModel:
        where = Endpoint(f"{address}/run/{calls}/text/v1", KEY)
        return ServerModel(where, model=MODEL, name=MODEL, context=1_000_000)

    async def run(model: ServerModel) -> str:
        messages: tuple[Message, ...] = (Message("user", REQUEST),)
        while True:
            answer = await model.complete(Prompt(messages, functions=functions))
            if not answer.tool_calls:
                return answer.text
            messages += (Message("assistant", answer.text, answer.tool_calls),)
            for call in answer.tool_calls:
                found = await look_up(**json.loads(call.arguments))
                messages += (Message("tool", found, tool_call_id=call.id),)

    return _made_once(model, run)


def deskhand(address: str) -> Run:
    """A whole request, as a user makes it: planned, checked, executed and answered."""
    from assistant.agent import Agent, await_reply
    from assistant.model_client.endpoint import Endpoint
    from assistant.model_client.server_model import ServerModel
    from assistant.planners.stepwise import Limits, StepwisePlanner
    from assistant.runs.reply import reply_to_user
    from assistant.runs.request import Request
    from tests.assistant.scripted import CLOCK, ScriptedApprover
    from tools.tool import Tool

    tools = [Tool.of(look_up, group="bench"), Tool.of(reply_to_user, group="reply")]

    def agent(calls: int) -> Agent:
        where = Endpoint(f"{address}/run/{calls}/reply_to_user/v1", KEY)
        model = ServerModel(where, model=MODEL, name=MODEL, context=1_000_000)
        planner = StepwisePlanner(model, Limits(rounds=MOST, calls=MOST))
        return Agent({tool.name: tool for tool in tools}, planner, CLOCK)

    async def run(agent: Agent) -> str:
        reply = (await await_reply(agent.run(Request(REQUEST), ScriptedApprover()))).reply
        return reply.message

    return _made_once(agent, run)


PEERS: dict[str, Callable[[str], Run]] = {
    peer.__name__: peer
    for peer in (
        bare_python,
        httpx_and_json,
        openai_post,
        openai_create,
        smolagents,
        openai_agents,
        langgraph,
        pydantic_ai,
        deskhand_client,
        deskhand,
    )
}
