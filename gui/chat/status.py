"""The status of a reply: its icon, its colour and its word, always together."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.theme import Tokens

if TYPE_CHECKING:
    from assistant.reply import Status as ReplyStatus

WORDS: "dict[ReplyStatus, str]" = {
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


def mark_of(status: str, tokens: Tokens) -> Mark:
    """Give the icon and colour of a status."""
    marks = {
        "success": Mark("check-circle", tokens.success),
        "partial_success": Mark("alert", tokens.warning),
        "error": Mark("cross-circle", tokens.error),
    }
    return marks.get(status, Mark("info", tokens.accent))
