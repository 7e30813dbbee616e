"""Faults: injected failures of requests that would have succeeded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.google.message import Answered, Asked
from tests.google.refusal import RefusalError, refused

End = Literal["answered", "refused", "lost", "closed", "hanging", "broken", "empty"]
Match = str | Callable[[Asked], bool]


@dataclass(frozen=True)
class Fault:
    """A failure instead of the response, `wait` seconds later than without it.

    "answered": no failure; "refused": not carried out, with an error response; "lost": carried out,
    but the connection is closed without a response; "closed": not carried out, and closed;
    "hanging": not carried out, without any response; "broken": carried out, with a response that is
    not JSON; "empty": carried out, with a response that lacks the expected content.
    """

    end: End = "answered"
    status: int = 0
    reason: str = ""
    words: str = ""
    retry_after: str = ""
    wait: float = 0.0

    def refusal(self, api: str) -> Answered:
        """The answer of one that refuses."""
        headers = {"retry-after": self.retry_after} if self.retry_after else {}
        return refused(RefusalError(self.status, self.reason, self.words, headers=headers), api)


def refusing(status: int, reason: str, *, words: str = "", retry_after: str = "") -> Fault:
    """An answer that says no, such as 429 "rateLimitExceeded" or 403 "accessNotConfigured"."""
    return Fault("refused", status, reason, words, retry_after)


WELL = Fault()
LOST_REPLY = Fault("lost")
CLOSED = Fault("closed")
HANGING = Fault("hanging")
BROKEN = Fault("broken")
EMPTY = Fault("empty")


def slow(seconds: float) -> Fault:
    """An answer that comes late."""
    return Fault(wait=seconds)


@dataclass
class Planned:
    """A fault that waits for its request."""

    match: Match
    fault: Fault
    times: int

    def fits(self, asked: Asked) -> bool:
        """Whether this is its request."""
        if self.times <= 0:
            return False
        if not isinstance(self.match, str):
            return self.match(asked)
        verb, _, part = self.match.rpartition(" ")
        return part in asked.target and verb in {"", asked.method}


class Faults:
    """The faults to come; the oldest that fits is taken first."""

    def __init__(self) -> None:
        self._planned: list[Planned] = []

    def plan(self, match: Match, fault: Fault, times: int) -> None:
        """Let a fault happen to the next requests that fit."""
        self._planned.append(Planned(match, fault, times))

    def take(self, asked: Asked) -> Fault | None:
        """The fault of this request."""
        for planned in self._planned:
            if planned.fits(asked):
                planned.times -= 1
                return planned.fault
        return None

    def clear(self) -> None:
        """Let everything go well again."""
        self._planned.clear()
