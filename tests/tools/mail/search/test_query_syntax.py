from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.mail.search.query import (
    And,
    Before,
    Contains,
    HasAttachment,
    HasState,
    InFolder,
    MessageId,
    MessageState,
    MinimumSize,
    Not,
    Or,
    Since,
    Term,
    TextField,
    Words,
)
from tools.mail.search.query_syntax import parse_query
from tools.moments.clock import fixed_clock
from tools.tool_errors import ToolError

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 25, 15, 30, tzinfo=BERLIN)  # a Wednesday


def read(text: str) -> Term:
    return parse_query(text, fixed_clock(NOW)).term


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("", And()),
        ("budget", Words("budget")),
        ("quarterly budget", And((Words("quarterly"), Words("budget")))),
        ('"quarterly budget"', Words("quarterly budget")),
        ('"never closed', Words("never closed")),
        ("from:sarah", Contains("sarah", TextField.FROM)),
        ("FROM:Sarah", Contains("Sarah", TextField.FROM)),
        ("from: sarah", Contains("sarah", TextField.FROM)),
        ('from:"Sarah Lee"', Contains("Sarah Lee", TextField.FROM)),
        ("to:bob cc:ann", And((Contains("bob", TextField.TO), Contains("ann", TextField.CC)))),
        ("subject:budget", Words("budget", in_subject=True)),
        ('subject:"the budget"', Words("the budget", in_subject=True)),
        (
            "subject:(budget plan)",
            And((Words("budget", in_subject=True), Words("plan", in_subject=True))),
        ),
        (
            "from:(ann OR bob)",
            Or((Contains("ann", TextField.FROM), Contains("bob", TextField.FROM))),
        ),
        (
            "from:{ann bob}",
            Or((Contains("ann", TextField.FROM), Contains("bob", TextField.FROM))),
        ),
        ("a AND b", And((Words("a"), Words("b")))),
        ("a OR b OR c", Or((Words("a"), Words("b"), Words("c")))),
        ("x a OR b y", And((Words("x"), Or((Words("a"), Words("b"))), Words("y")))),
        ("{a b}", Or((Words("a"), Words("b")))),
        ("-spam", Not(Words("spam"))),
        ("-from:ann", Not(Contains("ann", TextField.FROM))),
        ("-(a b)", Not(And((Words("a"), Words("b"))))),
        ("-{a b}", Not(Or((Words("a"), Words("b"))))),
        ("a) b", And((Words("a"), Words("b")))),
        ("((a", Words("a")),
        ("OR", And()),
        ("OR a OR", Words("a")),
        ("...", And()),
        ("- -...", And()),
        ("re:hello", Words("re:hello")),
        ("https://x.org/a", Words("https://x.org/a")),
        ("is:unread", HasState(MessageState.UNREAD)),
        ("is:Read", HasState(MessageState.READ)),
        ("is:starred", HasState(MessageState.STARRED)),
        ("has:attachment", HasAttachment()),
        ("filename:pdf", Contains("pdf", TextField.FILE_NAME)),
        ("in:inbox", InFolder("inbox")),
        ('label:"To do"', InFolder("To do")),
        ("list:python-dev", Contains("python-dev", TextField.MAILING_LIST)),
        ("rfc822msgid:<a@b>", MessageId("a@b")),
        ("larger:5M", MinimumSize(5 << 20)),
        ("smaller:10k", Not(MinimumSize(10 << 10))),
        ("after:2026/11/20", Since(day(2026, 11, 20))),
        ("after:2026-11-20", Since(day(2026, 11, 20))),
        ("before:2026/1/2", Before(day(2026, 1, 2))),
        ("after:1763640000", Since(datetime.fromtimestamp(1763640000, BERLIN))),
        ("after:today", Since(day(2026, 11, 25))),
        ("after:yesterday", Since(day(2026, 11, 24))),
        ("after:monday", Since(day(2026, 11, 23))),
        ("after:friday", Since(day(2026, 11, 20))),
        ('before:"last monday"', Before(day(2026, 11, 23))),
        ("newer_than:2d", Since(NOW - timedelta(days=2))),
        ("newer_than:1h", Since(NOW - timedelta(hours=1))),
        ("older_than:1y", Before(NOW.replace(year=2025))),
        ("older_than:1m", Before(NOW.replace(month=10, day=25))),
    ],
)
def test_gmail_syntax_has_the_meaning_of_gmail(text: str, term: Term) -> None:
    assert read(text) == term


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("is:unred", "is:unred is invalid: is: takes unread, read or starred"),
        ("has:attachmnt", "takes attachment"),
        ("after:2026/13/45", "after:2026/13/45 is invalid: after: takes a date such as"),
        ("before:whenever", "before: takes a date such as"),
        ("newer_than:2", "takes a number and a unit, such as 12h"),
        ("older_than:99999y", "takes a number and a unit"),
        ("larger:big", "takes a size such as"),
        ("from:", "from: needs something after it"),
        ('subject:""', "subject: needs something after it"),
        ("(" * 50, "nests brackets deeper"),
        ("a " * 500, "at most 200"),
    ],
)
def test_an_invalid_value_is_named_with_a_remedy(text: str, remedy: str) -> None:
    with pytest.raises(ToolError) as refused:
        read(text)
    assert remedy in str(refused.value)


def test_spam_and_trash_are_searched_only_where_they_are_named() -> None:
    clock = fixed_clock(NOW)
    assert not parse_query("invoice in:inbox", clock).includes_hidden
    for text in ("in:spam", "a OR in:trash", "-(x in:Anywhere)"):
        assert parse_query(text, clock).includes_hidden


SYNTAX = st.sampled_from(
    [
        *("from:", "after:", "is:", "older_than:", '"', "(", ")", "{", "}", "-", " ", "OR", "AND"),
        *("9" * 11, "1d", "today", "2026/02/30", ":", "in:", "\x00", "\ud800", "é", "31 february"),
    ]
)


@settings(deadline=None)
@given(st.lists(SYNTAX | st.text(max_size=8), max_size=25).map("".join))
def test_any_text_is_a_query_or_a_tool_error(text: str) -> None:
    try:
        parse_query(text, fixed_clock(NOW))
    except ToolError:
        return


def test_a_too_long_search_is_refused() -> None:
    with pytest.raises(ToolError, match="This search has 400,000 characters; at most 10,000"):
        read("x " * 200_000)
