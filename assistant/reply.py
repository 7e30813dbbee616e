"""A reply: what every run ends with."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

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

    def wire(self) -> dict[str, Any]:
        """The payload as other programs read it."""
        return {
            "type": self.type,
            "message": self.message,
            "details": self.details,
            "artifacts": list(self.artifacts),
            "status": self.status,
        }


async def reply_to_user(
    message: str,
    details: str | None = "",
    artifacts: list[Any] | str | None = None,
    status: Status = "success",
) -> Reply:
    """Write the answer.

    The last step of every plan: what the user is told.

    Args:
        message: one sentence on what was accomplished.
        details: Markdown with what was found or made; usually a reference such as
            "$step2.summary".
        artifacts: paths, URLs or references of what was made, such as ["$step3.file_path"].
        status: success, partial_success, info or error.
    """
    given = [artifacts] if isinstance(artifacts, str) else artifacts or []
    return Reply(message, details or "", tuple(dict.fromkeys(_flat(given))), status)


def _flat(artifacts: Iterable[Any]) -> Iterable[str]:
    for each in artifacts:
        if isinstance(each, Iterable) and not isinstance(each, str | PurePath):
            yield from _flat(each)
        elif each:
            yield str(each)
