"""The request: plain words with their conversation history, and the approver of effects."""

from dataclasses import dataclass
from typing import Any, Protocol

from assistant.runs.reply import Reply
from tools.proposal import Choice, Proposal


@dataclass(frozen=True)
class Exchange:
    """An earlier request of the same conversation and its reply.

    `plan` is the JSON of the steps and `planner_text` the text of the reply that planners may
    read. Both were written before any tool output was read; otherwise they are empty.
    """

    text: str
    reply: Reply
    plan: str = ""
    planner_text: str = ""


@dataclass(frozen=True)
class Request:
    """A request in plain words, and the earlier exchanges of its conversation, oldest first."""

    text: str
    history: tuple[Exchange, ...] = ()


class Approver(Protocol):
    """Approves or declines proposals: by a card, at a prompt, or by rule."""

    @property
    def refusal(self) -> str:
        """Reason shown when declined, after "was not done: ", such as "you declined it"."""

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Whether exactly this proposal may be performed."""

    async def choose(self, choice: Choice[Any]) -> Proposal[Any] | None:
        """Return the approved proposal; None if all are declined."""
