"""Time parsing: English words, clock changes and errors."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.moments.clock import add_duration, fixed_clock, resolve_local_time, start_of_day
from tools.moments.date_format import format_moment
from tools.moments.time_parsing import parse_duration, parse_moment, parse_past_moment, parse_start
from tools.tool_errors import ToolError

BERLIN = ZoneInfo("Europe/Berlin")
SATURDAY = fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=BERLIN))
ZONES = st.sampled_from(
    [ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata")]
)
MOMENTS = st.builds(
    lambda local, zone: local.replace(tzinfo=UTC).astimezone(zone),
    st.datetimes(datetime(2000, 1, 1), datetime(2099, 1, 1)),  # noqa: DTZ001 — zoned just above
    ZONES,
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("now", "2026-11-21T10:30"),
        ("2026-11-26", "2026-11-26T00:00"),
        ("20261126", "2026-11-26T00:00"),
        ("2026/11/3", "2026-11-03T00:00"),
        ("2026-11-26T12:00", "2026-11-26T12:00"),
        ("2026-11-26 12:00:30", "2026-11-26T12:00:30"),
        ("2026-11-26T12:00Z", "2026-11-26T13:00"),
        ("2026-11-26T12:00+05:30", "2026-11-26T07:30"),
        ("today", "2026-11-21T00:00"),
        ("Tonight", "2026-11-21T20:00"),
        ("tonight at 9", "2026-11-21T21:00"),
        ("tomorrow", "2026-11-22T00:00"),
        ("yesterday at 17:00", "2026-11-20T17:00"),
        ("the day after tomorrow at 8 o'clock", "2026-11-23T08:00"),
        ("tomorrow morning", "2026-11-22T09:00"),
        ("this evening", "2026-11-21T19:00"),
        ("monday", "2026-11-23T00:00"),
        ("saturday", "2026-11-28T00:00"),
        ("saturday at noon", "2026-11-21T12:00"),
        ("saturday at 9", "2026-11-28T09:00"),
        ("this saturday", "2026-11-21T00:00"),
        ("this monday", "2026-11-23T00:00"),
        ("next saturday", "2026-11-28T00:00"),
        ("next monday", "2026-11-23T00:00"),
        ("monday of next week", "2026-11-23T00:00"),
        ("last saturday", "2026-11-14T00:00"),
        ("in 2 hours", "2026-11-21T12:30"),
        ("in two hours and 30 minutes", "2026-11-21T13:00"),
        ("in half an hour", "2026-11-21T11:00"),
        ("3 days ago", "2026-11-18T10:30"),
        ("a week from now", "2026-11-28T10:30"),
        ("3 months ago", "2026-08-21T10:30"),
        ("start of this week", "2026-11-16T00:00"),
        ("end of the week", "2026-11-23T00:00"),
        ("end of today", "2026-11-22T00:00"),
        ("end of saturday", "2026-11-22T00:00"),
        ("start of last month", "2026-10-01T00:00"),
        ("the end of next month", "2027-01-01T00:00"),
        ("next year", "2027-01-01T00:00"),
        ("at 9", "2026-11-22T09:00"),
        ("11am", "2026-11-21T11:00"),
        ("12 am", "2026-11-22T00:00"),
        ("midnight", "2026-11-22T00:00"),
        ("9:30 pm", "2026-11-21T21:30"),
        ("half past nine", "2026-11-22T09:30"),
        ("quarter to 11", "2026-11-21T10:45"),
        ("9am on friday", "2026-11-27T09:00"),
        ("on Monday, at half past 2 pm.", "2026-11-23T14:30"),
        ("3 march", "2027-03-03T00:00"),
        ("March 3rd, 2028 at 4 pm", "2028-03-03T16:00"),
        ("29 february", "2028-02-29T00:00"),
    ],
)
def test_words_name_a_moment_to_come(words: str, expected: str) -> None:
    assert parse_moment(words, SATURDAY).isoformat()[: len(expected)] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("saturday", "2026-11-21T00:00"),
        ("monday", "2026-11-16T00:00"),
        ("this monday", "2026-11-16T00:00"),
        ("9:30", "2026-11-21T09:30"),
        ("at noon", "2026-11-20T12:00"),
        ("3 march", "2026-03-03T00:00"),
        ("tomorrow", "2026-11-22T00:00"),
    ],
)
def test_words_name_a_moment_gone_by(words: str, expected: str) -> None:
    assert parse_past_moment(words, SATURDAY).isoformat()[: len(expected)] == expected


@pytest.mark.parametrize(
    "words",
    ["", "9", "banana", "25:00", "13pm", "next week at 9", "tonight at 12", "in a while", "friday"],
)
def test_words_that_are_not_understood_are_quoted_with_examples(words: str) -> None:
    text = f"{words} or so"
    with pytest.raises(ToolError, match=r"(?s)or so\".*tomorrow at noon"):
        parse_moment(text, SATURDAY)


@pytest.mark.parametrize("words", ["2026-02-30", "31 february", "2026-13-01", "2026-11-26T25:00"])
def test_a_date_that_does_not_exist_is_refused_with_the_reason(words: str) -> None:
    with pytest.raises(ToolError, match=f'no such time as "{words}": .+'):
        parse_moment(words, SATURDAY)


def test_an_amount_beyond_all_calendars_is_refused() -> None:
    with pytest.raises(ToolError, match="no such time"):
        parse_moment("in 99999 years", SATURDAY)
    with pytest.raises(ToolError, match="too far away: the year 9990"):
        parse_moment("9990-12-31", SATURDAY)


def test_a_local_time_that_the_clock_leaves_out_is_refused_with_the_reason() -> None:
    with pytest.raises(ToolError, match=r"02:30 does not exist on Sunday 29 March 2026.*forward"):
        parse_moment("2026-03-29T02:30", SATURDAY)


def test_a_local_time_that_comes_twice_means_the_first() -> None:
    moment = parse_moment("2026-10-25T02:30", SATURDAY)
    assert moment.astimezone(UTC).hour == 0
    assert format_moment(moment) == "Sunday 25 October 2026, 02:30 (Europe/Berlin, UTC+02:00)"


def test_hours_are_exact_and_days_keep_the_time_on_the_wall() -> None:
    evening_before_the_change = fixed_clock(datetime(2026, 3, 28, 20, tzinfo=BERLIN))
    assert parse_moment("in 24 hours", evening_before_the_change).hour == 21
    assert parse_moment("in 1 day", evening_before_the_change).hour == 20


def test_a_day_without_midnight_starts_at_its_first_moment() -> None:
    beirut = ZoneInfo("Asia/Beirut")
    clock = fixed_clock(datetime(2026, 3, 28, 12, tzinfo=beirut))
    assert parse_moment("tomorrow", clock).isoformat() == "2026-03-29T01:00:00+03:00"


def test_a_moment_reads_with_weekday_and_zone() -> None:
    moment = datetime(2026, 11, 26, 12, tzinfo=BERLIN)
    assert format_moment(moment) == "Thursday 26 November 2026, 12:00 (Europe/Berlin)"
    assert format_moment(moment.astimezone(UTC)) == "Thursday 26 November 2026, 11:00 (UTC)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PT1H", timedelta(hours=1)),
        ("pt90m", timedelta(minutes=90)),
        ("P1DT2H", timedelta(hours=26)),
        ("P1W", timedelta(days=7)),
    ],
)
def test_a_length_of_time_is_read(text: str, expected: timedelta) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize("text", ["", "P", "PT", "P1M", "1 hour", "PT1H30", "-PT1H"])
def test_durations_without_a_fixed_length_are_refused(text: str) -> None:
    with pytest.raises(ToolError, match="not a length of time"):
        parse_duration(text)


@settings(deadline=None)
@given(MOMENTS)
def test_iso_times_are_parsed(moment: datetime) -> None:
    assert parse_moment(moment.isoformat(), fixed_clock(moment)) == moment


@settings(deadline=None)
@given(MOMENTS, st.integers(0, 99_999), st.sampled_from(["second", "minute", "hour"]))
def test_exact_amounts_are_exactly_that_far(moment: datetime, count: int, unit: str) -> None:
    clock = fixed_clock(moment)
    later = parse_moment(f"in {count} {unit}s", clock)
    assert later.timestamp() - moment.timestamp() == pytest.approx(
        timedelta(**{f"{unit}s": count}).total_seconds()
    )
    assert later == add_duration(moment, timedelta(**{f"{unit}s": count}))


@settings(deadline=None)
@given(MOMENTS, st.sampled_from(["monday", "wed", "sunday", "noon", "at 7", "friday at 18:00"]))
def test_recurring_words_mean_the_next_or_the_last_one(moment: datetime, words: str) -> None:
    clock = fixed_clock(moment)
    assert parse_moment(words, clock).timestamp() >= moment.timestamp()
    assert parse_past_moment(words, clock).timestamp() <= moment.timestamp()


@settings(deadline=None)
@given(MOMENTS, st.sampled_from(["today", "tomorrow", "this week", "next month", "last year"]))
def test_a_period_ends_where_the_next_begins(moment: datetime, words: str) -> None:
    clock = fixed_clock(moment)
    start, end = (parse_moment(f"{edge} of {words}", clock) for edge in ("start", "end"))
    assert start.timestamp() < end.timestamp()
    assert end == start_of_day(end.date(), end.tzinfo or UTC)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_understood_or_refused_in_words(text: str) -> None:
    try:
        assert parse_moment(text, SATURDAY).tzinfo is not None
    except ToolError as error:
        assert str(error).endswith(".")  # noqa: PT017 — both outcomes are right


@settings(deadline=None)
@given(st.datetimes(datetime(2000, 1, 1), datetime(2099, 1, 1)), ZONES)  # noqa: DTZ001 — local
def test_a_local_moment_keeps_its_local_time_or_is_refused(local: datetime, zone: ZoneInfo) -> None:
    try:
        moment = resolve_local_time(local, zone)
    except ToolError:
        assert local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).hour != local.hour
    else:
        assert moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local


def test_a_date_may_be_todays_whichever_way_one_looks_at_it() -> None:
    for parse in (parse_moment, parse_past_moment):
        assert parse("21 november", SATURDAY).date().isoformat() == "2026-11-21"
        assert parse("end of 21 november", SATURDAY).date().isoformat() == "2026-11-22"


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("start of tomorrow afternoon", "2026-11-21T12:00:00+00:00"),
        ("end of tomorrow afternoon", "2026-11-21T18:00:00+00:00"),
        ("start of monday morning", "2026-11-23T06:00:00+00:00"),
        ("start of this evening", "2026-11-20T18:00:00+00:00"),
        ("end of this evening", "2026-11-21T00:00:00+00:00"),
    ],
)
def test_a_part_of_a_day_has_a_start_and_an_end(words: str, moment: str) -> None:
    friday = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    assert parse_moment(words, friday) == datetime.fromisoformat(moment)


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("tomorrow afternoon", "2026-11-21T12:00:00+00:00"),
        ("start of tomorrow afternoon", "2026-11-21T12:00:00+00:00"),
        ("end of tomorrow afternoon", "2026-11-21T18:00:00+00:00"),
        ("tomorrow at 3pm", "2026-11-21T15:00:00+00:00"),
        ("tomorrow", "2026-11-21T00:00:00+00:00"),
        ("now", "2026-11-20T09:00:00+00:00"),
    ],
)
def test_a_period_starts_with_its_part_of_the_day(words: str, moment: str) -> None:
    friday = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    assert parse_start(words, friday) == datetime.fromisoformat(moment)


@pytest.mark.parametrize("words", ["in 2 " * 100_000, "monday and " * 50_000, "9 " * 200_000])
def test_a_time_without_end_is_refused(words: str) -> None:
    with pytest.raises(ToolError, match="I do not understand the time"):
        parse_moment(words, SATURDAY)
