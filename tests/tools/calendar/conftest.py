"""A calendar file and a clock that stands still."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

import pytest

from tools.calendar.ics.ics_calendar import IcsCalendar
from tools.moments.clock import Clock, fixed_clock
from tools.proposal import Choice, Proposal

BERLIN = ZoneInfo("Europe/Berlin")
Written = Callable[..., IcsCalendar]
T = TypeVar("T")


def only(made: Proposal[T] | Choice[T]) -> Proposal[T]:
    """The proposal, where there is nothing to choose."""
    assert isinstance(made, Proposal)
    return made


def shown(made: Proposal[T] | Choice[T]) -> dict[str, tuple[str, ...]]:
    """The lines of the one proposal."""
    return {line.label: line.values for line in only(made).fields}


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
