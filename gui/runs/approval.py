"""Approval by the user: asks before an effect, and waits for the answer."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from gui.chat.approval_card import ApprovalRequest
from gui.runs.open_turn import OpenTurn
from tools.proposal import Choice, Proposal

ApprovalDecision = Proposal[Any] | None
"""The proposal that may be performed; None for none."""


class UserApprover(ABC):
    """Approves effects by asking the user; subclasses show the request."""

    refusal = "you declined it"

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Ask about a proposal; return whether it may be performed."""
        return await self._ask(ApprovalRequest(proposal)) is proposal

    async def choose(self, choice: Choice[Any]) -> ApprovalDecision:
        """Ask about several proposals; return the one that may be performed."""
        return await self._ask(ApprovalRequest(choice))

    @abstractmethod
    async def _ask(self, request: ApprovalRequest) -> ApprovalDecision:
        """Show the request and wait for its answer."""


class ChatApprover(UserApprover):
    """Asks by the card in the chat, one request at a time."""

    def __init__(self, turn: OpenTurn) -> None:
        self._turn = turn
        self._lock = asyncio.Lock()

    async def _ask(self, request: ApprovalRequest) -> ApprovalDecision:
        async with self._lock:
            return await show_and_wait(request, self._turn.set_approval)


async def show_and_wait(
    request: ApprovalRequest, show: Callable[[ApprovalRequest], None]
) -> ApprovalDecision:
    """Show a request and return its answer; withdraw it if the wait is cancelled."""
    answer: asyncio.Future[ApprovalDecision] = asyncio.get_running_loop().create_future()

    def set_answer(approved: ApprovalDecision) -> None:
        if not answer.done():  # cancelled
            answer.set_result(approved)

    request.closed.connect(set_answer)
    try:
        show(request)
        return await answer
    finally:
        request.withdraw()
