"""A block: a piece of a conversation that reads the same whatever stands around it."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a block is, and so how it is set."""

    REQUEST = "request"
    STATUS = "status"
    MESSAGE = "message"
    PROSE = "prose"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"
    RULE = "rule"
    WIDGET = "widget"


@dataclass(frozen=True, slots=True)
class Block:
    """One piece: `text` is what is rendered, `source` what was written.

    `level` counts the lists around it, or is the level of a heading. `marker` is the bullet or
    number of a list item, the language of code, the status of a reply.
    """

    kind: Kind
    text: str
    source: str
    level: int = 0
    marker: str = ""
