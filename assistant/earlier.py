"""Earlier replies: the tool that brings back what a conversation has already given."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.request import Exchange
from tools.tool import ToolError


@dataclass(frozen=True)
class EarlierReply:
    """A reply of this conversation; `text` is all of it as Markdown."""

    request: str
    message: str
    details: str
    text: str
    artifacts: tuple[str, ...]

    def markdown(self) -> str:
        """The reply."""
        return self.text


@dataclass(frozen=True)
class EarlierReplies:
    """What was answered in a conversation so far."""

    history: Sequence[Exchange]

    async def earlier_reply(self, back: int = 1) -> EarlierReply:
        """Take an earlier reply of this conversation.

        Use it when the request speaks of what was answered before: "make that a PDF", "send it to
        me". Gives text (all of it), message, details and artifacts (paths of documents and the
        like).

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
