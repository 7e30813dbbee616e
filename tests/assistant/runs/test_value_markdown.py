from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.runs.value_markdown import to_markdown
from tests.assistant.scripted import Note, Notes


@dataclass(frozen=True)
class Trip:
    """A thing without words of its own."""

    first_day: date
    paid: bool
    stops: tuple[str, ...]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("as it is", "as it is"),
        (3, "3"),
        (True, "yes"),
        ([], ""),
        ({}, ""),
        (Path("a") / "b.pdf", str(Path("a") / "b.pdf")),
        (datetime(2026, 11, 5, 14, 5, tzinfo=UTC), "Thu 5 Nov 2026, 14:05"),
        (["one", "two"], "- one\n- two"),
        ({"sender_name": "Sarah", "count": 2}, "- **Sender name**: Sarah\n- **Count**: 2"),
        ([[1, 2], ["three"]], "- - 1\n    - 2\n- - three"),
        ([Notes((Note("Sarah"),), 1), "x"], "- Sarah\n- x"),
        (Notes((Note("Sarah"),), 1), "- Sarah"),
        (
            Trip(date(2026, 11, 5), paid=False, stops=("Oslo", "Bergen")),
            "- **First day**: Thu 5 Nov 2026\n- **Paid**: no\n- **Stops**:\n"
            "    - Oslo\n    - Bergen",
        ),
        (
            [{"a": 1, "b": 2}, {"a": 3, "b": 4}],
            "- **A**: 1; **B**: 2\n- **A**: 3; **B**: 4",
        ),
    ],
)
def test_a_value_reads_as_markdown(value: Any, text: str) -> None:
    assert to_markdown(value) == text
