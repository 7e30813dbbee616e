"""The fakes of the agent tests: a scripted planner and approver, and tools over a list of notes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from assistant.agent import Agent, await_reply
from assistant.planners.planner import PlanningContext
from assistant.runs.events import Event, Replied
from assistant.runs.plan import Plan, read_plan
from assistant.runs.reply import Reply, reply_to_user
from assistant.runs.request import Request
from tools.moments.clock import fixed_clock
from tools.proposal import Choice, Proposal, ProposalField, Sink
from tools.tool import Effect, Tool
from tools.tool_errors import ToolError

CLOCK = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))


@dataclass(frozen=True)
class Note:
    """A result element with fields."""

    sender: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notes:
    """A result with a list."""

    notes: tuple[Note, ...]
    count: int

    def markdown(self) -> str:
        """Format the notes."""
        return "\n".join(f"- {each.sender}" for each in self.notes) or "No notes today. Sorry."


@dataclass
class NoteTools:
    """Tools over a list of notes; `sent` lists the performed effects."""

    notes: tuple[Note, ...] = (Note("Sarah", ("budget",)), Note("John"))
    sent: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    sending: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(0)
    preparing: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(0)

    async def read_notes(self, count: Annotated[int, Field(ge=1, le=50)] = 10) -> Notes:
        """Read the notes.

        Args:
            count: how many.
        """
        notes = self.notes[:count]
        return Notes(notes, len(notes))

    async def count_words(self, text: str, times: int = 1) -> int:
        """Count words.

        Args:
            text: where.
            times: how often.
        """
        return len(text.split()) * times

    async def join_words(self, words: list[str]) -> str:
        """Join words.

        Args:
            words: which.
        """
        return " ".join(words)

    async def give_back(self, value: Any = None) -> Any:
        """Give back what came.

        Args:
            value: anything.
        """
        return value

    async def fail(self, why: str = "The desk is locked; unlock it.") -> Notes:
        """Fail for a reason.

        Args:
            why: the reason.
        """
        raise ToolError(why)

    async def stumble(self) -> str:
        """Stumble over a bug."""
        raise KeyError("secret words of a mail")

    async def wait(self) -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        return "never"

    async def make_page(self, title: str) -> str:
        """Make a page.

        Args:
            title: its title.
        """
        await self.sending()
        self.made.append(title)
        return title

    async def send_note(self, to: str, body: str) -> Proposal[str]:
        """Send a note.

        Args:
            to: who gets it.
            body: what it says.
        """
        await self.preparing()

        async def perform() -> str:
            await self.sending()
            self.sent.append(f"{to}: {body}")
            return f"sent to {to}"

        shown = (ProposalField("To", (to,), Sink.RECIPIENT),)
        return Proposal("Send this note", "Send", shown, body, perform)

    def tools(self) -> dict[str, Tool]:
        """All of them, and the reply."""
        made = [
            Tool.of(reply_to_user, group="reply"),
            Tool.of(self.read_notes, group="notes", aliases=("readNotes",)),
            Tool.of(self.count_words, group="notes"),
            Tool.of(self.join_words, group="notes"),
            Tool.of(self.give_back, group="notes"),
            Tool.of(self.fail, group="notes"),
            Tool.of(self.stumble, group="notes"),
            Tool.of(self.wait, group="notes"),
            Tool.of(self.make_page, group="notes", effect=Effect.CREATE),
            Tool.of(self.send_note, group="notes", effect=Effect.ACT, sinks={"to": Sink.RECIPIENT}),
        ]
        return {tool.name: tool for tool in made}


@dataclass
class ScriptedPlanner:
    """Gives one written plan after the other; `refusals` are what it was told."""

    plans: list[object]
    refusals: list[str] = field(default_factory=list)

    async def next(self, situation: PlanningContext) -> Plan | None:
        """The next plan of the script."""
        self.refusals.append(situation.rejection)
        written = self.plans.pop(0)
        return None if written is None else read_plan(written)


@dataclass
class ScriptedApprover:
    """Gives one answer to every proposal; `asked` lists them."""

    answer: bool = True
    asked: list[Proposal[Any]] = field(default_factory=list)
    refusal: str = "you declined it"
    choice: int | None = None

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Return the scripted answer."""
        self.asked.append(proposal)
        return self.answer

    async def choose(self, choice: Choice[Any]) -> Proposal[Any] | None:
        """Return the option with the scripted index, if the answer is yes."""
        self.asked += [proposal for _, proposal in choice.options]
        if self.choice is None or not self.answer:
            return None
        return choice.options[self.choice][1]


def step(id: int, action: str, **parameters: Any) -> dict[str, Any]:
    """Create a step in the JSON form of planners."""
    beside: dict[str, Any] = {
        key: parameters.pop(key) for key in ("when", "dependencies") if key in parameters
    }
    return {"id": id, "action": action, "parameters": parameters, **beside}


async def run(
    steps: object, note_tools: NoteTools | None = None, approver: ScriptedApprover | None = None
) -> Reply:
    """Run a plan and return the reply."""
    return (
        await await_reply(_run(steps, note_tools or NoteTools(), approver or ScriptedApprover()))
    ).reply


async def events(
    steps: object, note_tools: NoteTools | None = None, approver: ScriptedApprover | None = None
) -> Sequence[Event]:
    """Run a plan and return its events; the last one is the reply."""
    seen = [
        event
        async for event in _run(steps, note_tools or NoteTools(), approver or ScriptedApprover())
    ]
    assert isinstance(seen[-1], Replied)
    assert sum(isinstance(event, Replied) for event in seen) == 1
    return seen


def _run(steps: object, note_tools: NoteTools, approver: ScriptedApprover) -> Any:
    plans = steps if isinstance(steps, ScriptedPlanner) else ScriptedPlanner([steps, steps])
    return agent(note_tools.tools(), plans).run(Request("do it"), approver)


def agent(tools: Mapping[str, Tool], planner: ScriptedPlanner) -> Agent:
    """An agent over these tools that follows the script."""
    return Agent(tools, planner, CLOCK)
