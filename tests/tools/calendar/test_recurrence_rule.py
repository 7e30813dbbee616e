"""Recurrence rules: description, shifting and truncation."""

from datetime import datetime, timedelta

import pytest

from tools.calendar.recurrence_rule import RecurrenceRule
from tools.tool_errors import ToolError

DAY = timedelta(days=1)
FIRST, LAST = datetime(2026, 11, 20, 7), datetime(2026, 12, 1, 7)  # noqa: DTZ001 — local time


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=DAILY", "every day"),
        ("freq=weekly;interval=2;byday=mo,fr", "every 2 weeks on Monday and Friday"),
        (
            "FREQ=WEEKLY;BYDAY=MO,FR,SU;COUNT=9",
            "every week on Monday, Friday and Sunday, 9 times in all",
        ),
        ("FREQ=MONTHLY;BYDAY=2TU", "every month on the second Tuesday"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on day 1 and 15"),
        ("FREQ=YEARLY;UNTIL=20301231", "every year, until Tuesday 31 December 2030"),
        ("FREQ=DAILY;UNTIL=20261130T225959Z", "every day, until Monday 30 November 2026"),
        ("FREQ=DAILY;WKST=MO", "every day"),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "by the rule FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"),
        ("FREQ=HOURLY", "by the rule FREQ=HOURLY"),
        ("FREQ=WEEKLY;BYDAY=99MO", "by the rule FREQ=WEEKLY;BYDAY=99MO"),
        ("FREQ=DAILY;UNTIL=soon", "every day"),
        ("[x](http://evil.example)\nFREQ=DAILY", "by the rule "),
    ],
)
def test_a_rule_reads_as_words(rule: str, words: str) -> None:
    assert RecurrenceRule.of(rule).describe() == words


@pytest.mark.parametrize(
    ("rule", "ended"),
    [
        ("FREQ=DAILY", "FREQ=DAILY;UNTIL=20261130"),
        ("FREQ=DAILY;COUNT=9;INTERVAL=2", "FREQ=DAILY;INTERVAL=2;UNTIL=20261130"),
        ("FREQ=DAILY;UNTIL=20271231", "FREQ=DAILY;UNTIL=20261130"),
        ("FREQ=DAILY;UNTIL=20261101", "FREQ=DAILY;UNTIL=20261101"),
        ("FREQ=DAILY;COUNT=3", "FREQ=DAILY;COUNT=3"),
    ],
)
def test_a_truncated_rule_never_ends_later(rule: str, ended: str) -> None:
    assert RecurrenceRule.of(rule).truncated("20261130", FIRST, LAST).text == ended


@pytest.mark.parametrize(
    ("rule", "days", "moved"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,SU", 1, "FREQ=WEEKLY;BYDAY=TU,MO"),
        ("FREQ=WEEKLY;BYDAY=MO,SU", -1, "FREQ=WEEKLY;BYDAY=SU,SA"),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU",
            1,
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,MO;WKST=TU",
        ),
        (
            "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,SU",
            -1,
            "FREQ=WEEKLY;INTERVAL=2;WKST=SA;BYDAY=SU,SA",
        ),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU", 7, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU"),
        ("FREQ=MONTHLY", 3, "FREQ=MONTHLY"),
        ("FREQ=DAILY;UNTIL=20261130", 2, "FREQ=DAILY;UNTIL=20261202"),
        ("FREQ=DAILY;UNTIL=20261130T060000Z", 2, "FREQ=DAILY;UNTIL=20261202T060000Z"),
    ],
)
def test_a_rule_moves_with_its_event(rule: str, days: int, moved: str) -> None:
    assert RecurrenceRule.of(rule).shifted(days * DAY, days).text == moved


@pytest.mark.parametrize(
    "rule",
    [
        *("FREQ=MONTHLY;BYDAY=2TU", "FREQ=MONTHLY;BYMONTHDAY=15", "FREQ=YEARLY;BYMONTH=3"),
        *("FREQ=WEEKLY;BYDAY=XX", "FREQ=DAILY;BYHOUR=9", "FREQ=DAILY;UNTIL=99991231"),
    ],
)
def test_a_rule_that_would_mean_something_else_does_not_move(rule: str) -> None:
    with pytest.raises(ToolError, match="this change would break"):
        RecurrenceRule.of(rule).shifted(DAY, 1)


def test_only_the_hour_moves_where_a_rule_names_days() -> None:
    rule = RecurrenceRule.of("FREQ=MONTHLY;BYDAY=2TU")
    assert rule.shifted(timedelta(hours=2), 0) == rule


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("FREQ=WEEKLY;COUNT=10", "FREQ=WEEKLY;COUNT=8"),
        ("FREQ=WEEKLY", "FREQ=WEEKLY"),
        ("FREQ=WEEKLY;COUNT=2", None),
    ],
)
def test_a_remaining_rule_keeps_its_count(rule: str, left: str | None) -> None:
    found = RecurrenceRule.of(rule).remaining(datetime(2026, 11, 2, 7), datetime(2026, 11, 16, 7))  # noqa: DTZ001 — local time
    assert (found.text if found else None) == left
