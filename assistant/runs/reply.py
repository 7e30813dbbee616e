"""The reply that ends every run, and the model usage of the run."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath
from typing import Any, Literal

ReplyStatus = Literal["success", "partial_success", "info", "error"]


@dataclass(frozen=True)
class Reply:
    """A reply to the user: `message` is one sentence, `details` Markdown.

    `artifacts` are file paths, URLs or references (`mail:<id>`, `event:<id>`).
    """

    message: str
    details: str = ""
    artifacts: tuple[str, ...] = ()
    status: ReplyStatus = "success"
    type: Literal["reply"] = "reply"

    def wire(self) -> dict[str, Any]:
        """Return the payload of the public contract."""
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
    status: ReplyStatus = "success",
) -> Reply:
    """Write the answer.

    The last step of every plan: the reply to the user.

    Args:
        message: one sentence on what was accomplished.
        details: Markdown with the result; usually a reference such as "$step2.summary".
        artifacts: paths, URLs or references of created things, such as ["$step3.file_path"].
        status: success, partial_success, info or error.
    """
    given = [artifacts] if isinstance(artifacts, str) else artifacts or []
    return Reply(message, details or "", tuple(dict.fromkeys(_flatten(given))), status)


def _flatten(artifacts: Iterable[Any]) -> Iterable[str]:
    for each in artifacts:
        if isinstance(each, Iterable) and not isinstance(each, str | PurePath):
            yield from _flatten(each)
        elif each:
            yield str(each)


@dataclass(frozen=True)
class RequestUsage:
    """Model usage of one request: calls, tokens and US dollars.

    `money` is None if a price is unknown, and 0 for local models only. `estimated` means that a
    server did not report its tokens.
    """

    calls: int
    prompt: int
    completion: int
    money: Decimal | None
    estimated: bool = False
