"""Prompt messages: the request with date and language, and the history within a token budget.

The history never has tool output: only `text`, `plan` and `planner_text` of an exchange.
"""

from collections.abc import Sequence

from assistant.model_client.language_model import Message
from assistant.model_client.token_usage import estimate_tokens
from assistant.runs.request import Exchange, Request
from tools.moments.clock import Clock
from tools.moments.date_format import format_moment

_MESSAGE_OVERHEAD = 8  # tokens of a message besides its content


def request_message(request: Request, clock: Clock) -> Message:
    """Return the request after time and language, both last, so that servers cache the rest."""
    facts = f"Now: {format_moment(clock())}. Answer in the language of the request."
    return Message("user", f"{facts}\n\n{request.text}")


def history_messages(history: Sequence[Exchange], budget: int) -> tuple[Message, ...]:
    """Return the newest exchanges that fit into `budget` tokens, whole and oldest first."""
    messages: tuple[Message, ...] = ()
    for exchange in reversed(history):
        answer = "\n".join(filter(None, (exchange.plan, exchange.planner_text))) or "(answered)"
        messages = (Message("user", exchange.text), Message("assistant", answer), *messages)
        budget -= sum(map(estimate_message_tokens, messages[:2]))
        if budget < 0:
            return messages[2:]
    return messages


def estimate_message_tokens(message: Message) -> int:
    """Estimate the tokens of a message, with its tool calls."""
    calls = sum(
        estimate_tokens(call.name + call.arguments) + _MESSAGE_OVERHEAD
        for call in message.tool_calls
    )
    return estimate_tokens(message.content) + calls + _MESSAGE_OVERHEAD
