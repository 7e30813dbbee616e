"""The context: what a planner tells its model besides the request itself.

Of earlier exchanges that is never a word that a tool gave out: only `text`, `plan` and `said`.
"""

from collections.abc import Sequence

from assistant.model.prompt import Message
from assistant.model.tokens import tokens_in
from assistant.request import Exchange, Request
from tools.moments import Clock, in_words

_AROUND = 8  # tokens that a message takes besides its content


def facts(clock: Clock) -> str:
    """What every plan needs to know: the present moment in words, and the user's language."""
    return f"Now: {in_words(clock())}. Answer in the language of the request."


def request_message(request: Request, clock: Clock) -> Message:
    """The request with the facts before it, so that all messages before it stay the same."""
    return Message("user", f"{facts(clock)}\n\n{request.text}")


def earlier_messages(history: Sequence[Exchange], budget: int) -> tuple[Message, ...]:
    """The newest exchanges that fit into `budget` tokens, oldest first; none of them cut."""
    kept: tuple[Message, ...] = ()
    for exchange in reversed(history):
        kept = (*_messages(exchange), *kept)
        budget -= sum(map(message_tokens, kept[:2]))
        if budget < 0:
            return kept[2:]
    return kept


def message_tokens(message: Message) -> int:
    """About how many tokens a message takes."""
    calls = sum(tokens_in(call.name + call.arguments) + _AROUND for call in message.calls)
    return tokens_in(message.content) + calls + _AROUND


def _messages(exchange: Exchange) -> tuple[Message, Message]:
    told = "\n".join(part for part in (exchange.plan, exchange.said) if part)
    return Message("user", exchange.text), Message("assistant", told or "(answered)")
