"""A reply: what every run ends with, and how values read in it."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["success", "partial_success", "info", "error"]


@dataclass(frozen=True)
class Reply:
    """What the user is told: `message` is one sentence, `details` Markdown.

    `artifacts` are file paths, URLs or references (`mail:<id>`, `event:<id>`).
    """

    message: str
    details: str = ""
    artifacts: tuple[str, ...] = ()
    status: Status = "success"
    type: Literal["reply"] = "reply"
