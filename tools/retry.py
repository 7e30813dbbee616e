"""Retry policy: exponential backoff with jitter that honours `Retry-After`."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from random import SystemRandom

from tools.moments.clock import Clock, system_clock


class RequestFailure:
    """Mixin for the exceptions of a request that may be sent again."""

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed later."""
        return True

    def retry_after(self, _now: datetime) -> float | None:
        """Return the seconds that the server asked to wait, None where it did not."""
        return None


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential backoff with full jitter, in seconds.

    The delay is up to `initial_delay`, then up to twice as long each time. A server's own
    `Retry-After` is used instead; one above `max_delay` ends the attempts.
    """

    max_attempts: int = 4
    initial_delay: float = 0.5
    max_delay: float = 30
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = SystemRandom().random
    clock: Clock = system_clock

    async def wait(self, attempts: int, *failures: RequestFailure) -> bool:
        """Sleep until the next attempt; return False at once if there is to be none.

        Args:
            attempts: the number of attempts so far.
            failures: the errors of the last one, all of which must be transient.
        """
        if attempts >= self.max_attempts or not all(each.is_transient for each in failures):
            return False
        now = self.clock()
        requested = [seconds for each in failures if (seconds := each.retry_after(now)) is not None]
        delay = max(requested, default=self._backoff(attempts))
        if delay > self.max_delay:
            return False
        await self.sleep(delay)
        return True

    def _backoff(self, attempts: int) -> float:
        return self.random() * min(self.max_delay, self.initial_delay * 2.0 ** (attempts - 1))


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until a server accepts requests again; None where it does not say.

    Args:
        headers: those of its response, by lower-case name.
        now: the current time, aware.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    except (ValueError, TypeError):  # not a date, or one without a zone
        return None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d+)?", text.strip()) else None
