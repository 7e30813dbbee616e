"""The request: plain words with their conversation history, and the approver of effects."""

from dataclasses import dataclass
from typing import Any, Protocol

from assistant.runs.reply import Reply
from tools.proposal import Choice, Proposal


@dataclass(frozen=True)
class Exchange:
    """An earlier request of the same conversation with the reply it got.

    `plan` is the JSON of the steps and `said` what of the reply a planner may read: both were
    written before anything a tool gave out was read, or are empty.
    """

    text: str
    reply: Reply
    plan: str = ""
    said: str = ""


@dataclass(frozen=True)
class Request:
    """Plain words, with what was said before them, oldest first."""

    text: str
    history: tuple[Exchange, ...] = ()


class Approver(Protocol):
    """Somebody who can say yes or no to a proposal: a card, a prompt, or nobody."""

    @property
    def refusal(self) -> str:
        """Why a no is a no, after "was not done: ", such as "you declined it"."""

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Whether exactly this proposal may be performed."""

    async def choose(self, choice: Choice[Any]) -> Proposal[Any] | None:
        """The one of these proposals that may be performed; None for none of them."""
