"""Retry policy: exponential backoff with jitter that honours `Retry-After`."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from random import SystemRandom

from tools.moments.clock import Clock, system_clock


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential backoff with full jitter, in seconds.

    `tries` is how often a server is asked in all. The pause is up to `shortest`, then up to twice
    as long each time; a server that says how long it wants to be left alone is believed, up to
    `longest`.
    """

    tries: int = 4
    shortest: float = 0.5
    longest: float = 30
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = SystemRandom().random
    clock: Clock = system_clock

    def pause(self, tried: int, wished: float | None = None) -> float | None:
        """Seconds until the next try after so many; None when there is none.

        Args:
            tried: how often the server was asked already.
            wished: the seconds that it wants to be left alone.
        """
        if tried >= self.tries:
            return None
        if wished is not None:
            return wished if wished <= self.longest else None
        return self.random() * min(self.longest, self.shortest * 2.0 ** (tried - 1))


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds until a server wants to be asked again; None where it does not say.

    Args:
        headers: those of its answer, by lower-case name.
        now: the present moment, with its zone.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    told = headers.get("retry-after", "")
    seconds = _number(told)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(told) - now).total_seconds())
    except (ValueError, TypeError):  # not a date, or one without a zone
        return None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d+)?", text.strip()) else None
