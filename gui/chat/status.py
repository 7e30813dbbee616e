"""The status of a reply: its icon, its colour and its word, always together."""

from dataclasses import dataclass

from assistant.reply import Reply, Status
from gui.theme import Tokens

WORDS: dict[Status, str] = {
    "success": "Done",
    "partial_success": "Partly done",
    "info": "For your information",
    "error": "Not done",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """An icon in a colour."""

    icon: str
    color: str


def spoken(reply: Reply) -> str:
    """Give a reply as it is read out."""
    return f"{WORDS[reply.status]}. {reply.message}\n{reply.details}".strip()


def mark_of(status: str, tokens: Tokens) -> Mark:
    """Give the icon and colour of a status."""
    marks = {
        "success": Mark("check-circle", tokens.success),
        "partial_success": Mark("alert", tokens.warning),
        "error": Mark("cross-circle", tokens.error),
    }
    return marks.get(status, Mark("info", tokens.accent))
