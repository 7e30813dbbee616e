"""A calendar file and a clock that stands still."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.calendar.ics import IcsCalendar
from tools.moments import Clock, fixed_clock

BERLIN = ZoneInfo("Europe/Berlin")
Written = Callable[..., IcsCalendar]


@pytest.fixture
def clock() -> Clock:
    return fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=BERLIN))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calendar.ics"


@pytest.fixture
def written(path: Path, clock: Clock) -> Written:
    """Writes components into the file and opens it."""

    def write(*components: str) -> IcsCalendar:
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//EN", *components, "END:VCALENDAR"]
        text = "\n".join(line.strip() for part in lines for line in part.strip().splitlines())
        path.write_bytes(text.replace("\n", "\r\n").encode() + b"\r\n")
        return IcsCalendar(path, "Personal", clock)

    return write
