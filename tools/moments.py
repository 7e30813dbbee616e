"""Moments: words to time, and the only place that does date arithmetic."""

from collections.abc import Callable
from datetime import datetime, tzinfo

import tzlocal

Clock = Callable[[], datetime]
"""Gives the present moment, aware, in the user's zone. Passed in wherever time matters."""


def system_clock() -> datetime:
    """The present moment in the system's own zone (an IANA zone, so that it knows its rules)."""
    return datetime.now(tzlocal.get_localzone())


def fixed_clock(moment: datetime) -> Clock:
    """A clock that stands still, for trying and testing.

    Args:
        moment: what it shows; without an offset it is read in the system's zone.
    """
    zone: tzinfo = moment.tzinfo or tzlocal.get_localzone()
    still = moment.replace(tzinfo=zone)
    return lambda: still
