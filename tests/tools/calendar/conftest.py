"""A calendar file and a fixed clock."""

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
WriteCalendar = Callable[..., IcsCalendar]
T = TypeVar("T")


def only_proposal(result: Proposal[T] | Choice[T]) -> Proposal[T]:
    """Return the proposal; fail if there is a choice."""
    assert isinstance(result, Proposal)
    return result


def fields_of(result: Proposal[T] | Choice[T]) -> dict[str, tuple[str, ...]]:
    """Return the fields of the only proposal."""
    return {line.label: line.values for line in only_proposal(result).fields}


@pytest.fixture
def clock() -> Clock:
    return fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=BERLIN))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calendar.ics"


@pytest.fixture
def write_calendar(path: Path, clock: Clock) -> WriteCalendar:
    """Write components into the file, and open it."""

    def write(*components: str) -> IcsCalendar:
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//EN", *components, "END:VCALENDAR"]
        text = "\n".join(line.strip() for part in lines for line in part.strip().splitlines())
        path.write_bytes(text.replace("\n", "\r\n").encode() + b"\r\n")
        return IcsCalendar(path, "Personal", clock)

    return write
