"""Asking the person: what they decide about a proposal or a choice, wherever it is shown."""

import asyncio
from abc import ABC, abstractmethod
from typing import Any

from tools.tool import Choice, Proposal

Asked = Proposal[Any] | Choice[Any]
Decided = Proposal[Any] | None
"""What may be performed; None for nothing."""


class PersonApprover(ABC):
    """Approves by what the person decides; where and how they are asked is another's matter."""

    refusal = "you declined it"

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Show the proposal and wait for the person."""
        return await self._decided(proposal) is proposal

    async def choose(self, choice: Choice[Any]) -> Decided:
        """Show the proposals, one at a time, and wait for the person."""
        return await self._decided(choice)

    @abstractmethod
    async def _decided(self, asked: Asked) -> Decided:
        """Ask, and wait for the answer."""


def settle(answer: asyncio.Future[Decided], decided: Decided) -> None:
    """Give an answer; the first one counts, and none once nobody waits."""
    if not answer.done():
        answer.set_result(decided)
