"""Approval by the user: questions about effects and their decisions."""

import asyncio
from abc import ABC, abstractmethod
from typing import Any

from tools.proposal import Choice, Proposal

ApprovalQuestion = Proposal[Any] | Choice[Any]
ApprovalDecision = Proposal[Any] | None
"""What may be performed; None for nothing."""


class UserApprover(ABC):
    """Approves by what the person decides; where and how they are asked is another's matter."""

    refusal = "you declined it"

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Show the proposal and wait for the person."""
        return await self._decided(proposal) is proposal

    async def choose(self, choice: Choice[Any]) -> ApprovalDecision:
        """Show the proposals, one at a time, and wait for the person."""
        return await self._decided(choice)

    @abstractmethod
    async def _decided(self, asked: ApprovalQuestion) -> ApprovalDecision:
        """Ask, and wait for the answer."""


def resolve(answer: asyncio.Future[ApprovalDecision], decided: ApprovalDecision) -> None:
    """Give an answer; the first one counts, and none once nobody waits."""
    if not answer.done():
        answer.set_result(decided)
