"""Exchange history: the tool for earlier replies, and the reply text planners may read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.runs.plan import REPLY_ACTION, Plan, PlanError
from assistant.runs.reference import resolve_references
from assistant.runs.reply import Reply
from assistant.runs.request import Exchange
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class EarlierReply:
    """An earlier reply; `text` is all of it as Markdown."""

    request: str
    message: str
    details: str
    text: str
    artifacts: tuple[str, ...]

    def markdown(self) -> str:
        """Return the reply."""
        return self.text


@dataclass(frozen=True)
class EarlierReplies:
    """The earlier replies of a conversation."""

    history: Sequence[Exchange]

    async def earlier_reply(self, back: int = 1) -> EarlierReply:
        """Take an earlier reply of this conversation.

        Use it when the request refers to an earlier answer: "make that a PDF", "send it to me".
        Gives text (all of it), message, details and artifacts (paths of documents and the like).

        Args:
            back: Which one: 1 is the last reply, 2 the one before it.
        """
        if not 1 <= back <= len(self.history):
            raise ToolError(
                f"There is no reply {back} back in this conversation; it has {len(self.history)}."
            )
        exchange = self.history[-back]
        reply = exchange.reply
        text = "\n\n".join(part for part in (reply.message, reply.details) if part)
        return EarlierReply(exchange.text, reply.message, reply.details, text, reply.artifacts)


_REDACTED = "…"
_TEXT_PREFIX = ">"  # makes a lone reference become text


def planner_visible_text(plan: Plan, reply: Reply, outputs: Mapping[int, Any]) -> str:
    """Return the planner's own words, preceded by the status unless it is success.

    References in them resolve to numbers only; other tool output is left out.
    """
    last = plan.steps[-1]
    words = last.parameters.get("message", "") if last.action == REPLY_ACTION else plan.goal
    try:
        resolved = resolve_references(f"{_TEXT_PREFIX}{words}", outputs, _number_or_redacted)
        text = str(resolved).removeprefix(_TEXT_PREFIX)
    except PlanError:  # a referenced step was not done
        text = ""
    return text if text and reply.status == "success" else f"{reply.status}: {text}".rstrip(": ")


def _number_or_redacted(value: Any) -> str:
    return str(value) if isinstance(value, int | float) else _REDACTED
