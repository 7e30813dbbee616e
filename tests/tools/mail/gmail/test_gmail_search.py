"""A query is written completely in Gmail's syntax, and its text is never read as syntax."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.google import search
from tests.tools.mail.raw_messages import BERLIN, CLOCK
from tools.mail.gmail.gmail_labels import GmailLabels
from tools.mail.gmail.gmail_search import ListRequest, list_request, widen
from tools.mail.search.query import (
    ADDRESS_FIELDS,
    And,
    Contains,
    InFolder,
    MessageId,
    MinimumSize,
    Not,
    Or,
    Query,
    Term,
    TextField,
    Words,
)
from tools.mail.search.query_syntax import parse_query

TEXT_TERMS: Sequence[Callable[[str], Term]] = (
    Words,
    partial(Contains, field=TextField.FILE_NAME),
    partial(Contains, field=TextField.MAILING_LIST),
    MessageId,
    InFolder,
)
LABELS = GmailLabels({"Label_1": "Work/To do", "Label_2": 'Odd "name" {x}'})


def asked(term: Term, known: Sequence[str] = ()) -> ListRequest:
    return list_request(Query(term), LABELS, lambda _part: known)


def test_the_addresses_of_a_name_are_looked_up_once() -> None:
    looked_up = list[str]()

    def known(part: str) -> Sequence[str]:
        looked_up.append(part)
        return ["ann@x.org"]

    anywhere = Or(tuple(Contains("ann", field) for field in ADDRESS_FIELDS))
    found = list_request(Query(anywhere), LABELS, known)
    assert found.text.count("ann@x.org") == len(ADDRESS_FIELDS)
    assert looked_up == ["ann"]


@pytest.mark.parametrize(
    ("words", "text", "labels"),
    [
        ("", "", ()),
        ("budget", '"budget"', ()),
        ('"the numbers" -lunch', '"the numbers" -"lunch"', ()),
        ("subject:budget from:ann", "subject:budget from:ann", ()),
        ("{ann bob} to:me", '{"ann" "bob"} to:me', ()),
        ("-{ann bob}", '(-"ann" -"bob")', ()),
        ("-(ann bob)", '{-"ann" -"bob"}', ()),
        ("in:inbox is:unread", "", ("INBOX", "UNREAD")),
        ("is:read label:work-to-do", "is:read", ("Label_1",)),
        ("-in:inbox", "-in:inbox", ()),
        ("{in:sent label:work/to-do}", "{in:sent label:work-to-do}", ()),
        ("in:archive", "in:archive", ()),
        ("{is:starred in:important}", "{is:starred is:important}", ()),
        ("-in:promotions", "-category:promotions", ()),
        ("in:anywhere", "in:anywhere", ()),
        ("has:attachment filename:pdf", "has:attachment filename:pdf", ()),
        ("list:python-dev", "list:python-dev", ()),
        ("rfc822msgid:<a@x.org>", "rfc822msgid:a@x.org", ()),
        ("larger:5M smaller:1K", "larger:5242879 -larger:1023", ()),
        ("after:1763712000 before:1763798400", "after:1763711999 before:1763798401", ()),
        ("-after:1763712000", "before:1763712001", ()),
    ],
)
def test_a_query_is_written_in_gmails_syntax(
    words: str, text: str, labels: tuple[str, ...]
) -> None:
    found = list_request(parse_query(words, CLOCK), LABELS, lambda _part: ())
    assert (found.text, found.label_ids) == (text, labels)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Words('a" OR in:trash "'), '"a OR in:trash"'),
        (Contains('x"} -{in:sent', TextField.FROM), 'from:"x } -{in:sent"'),
        (Words("OR", in_subject=True), 'subject:"OR"'),
        (Contains("a\nb\0c", TextField.FILE_NAME), 'filename:"a b c"'),
        (Contains('x" OR y', TextField.MAILING_LIST), 'list:"x OR y"'),
        (MessageId('a@x" in:trash'), 'rfc822msgid:"a@x in:trash"'),
        (Not(InFolder('x" OR {in:trash}')), "-label:x--or--in:trash-"),
    ],
)
def test_search_text_is_never_read_as_syntax(term: Term, text: str) -> None:
    assert asked(term).text == text


@settings(deadline=None)
@given(st.text(min_size=1), st.sampled_from(TEXT_TERMS))
def test_no_text_adds_a_term(text: str, text_term: Callable[[str], Term]) -> None:
    found = asked(Not(text_term(text))).text
    tokens = search._TOKEN.findall(found)
    assert len(tokens) == 1, found
    assert found.startswith("-")


def test_a_label_with_syntax_in_its_name_is_searched_by_its_id() -> None:
    assert asked(InFolder('odd "name" {x}')).label_ids == ("Label_2",)
    assert asked(Not(InFolder('odd "name" {x}'))).text == "-label:odd--name---x-"


def test_parts_of_names_are_searched_by_known_addresses() -> None:
    found = asked(Contains("sar", TextField.FROM), ["sarah@acme.com"])
    assert found.text == "{from:sar from:sarah@acme.com}"
    assert asked(Not(Contains("sar", TextField.FROM)), ["sarah@acme.com"]).text == f"-{found.text}"


def test_the_path_has_all_parameters() -> None:
    moment = datetime(2026, 11, 20, 12, tzinfo=BERLIN)
    found = list_request(
        parse_query("in:spam ann&bob=c#d", lambda: moment), LABELS, lambda _part: ()
    )
    path = urlsplit(found.path(600, "next page"))
    assert path.path == "/gmail/v1/users/me/messages"
    assert parse_qs(path.query) == {
        "maxResults": ["500"],
        "q": ['"ann&bob=c#d"'],
        "labelIds": ["SPAM"],
        "includeSpamTrash": ["true"],
        "pageToken": ["next page"],
    }


@pytest.mark.parametrize(
    ("term", "wider"),
    [
        (And((Contains("sar", TextField.FROM), Words("x"))), And((And(), Words("x")))),
        (Contains("sarah@acme.com", TextField.FROM), Contains("sarah@acme.com", TextField.FROM)),
        (
            Or((Contains("a", TextField.TO), Words("x"))),
            Or((Contains("a", TextField.TO), Words("x"))),
        ),
        (Or((Contains("a", TextField.TO), InFolder("Sent"))), Or((And(), InFolder("Sent")))),
        (MinimumSize(5), MinimumSize(5)),
    ],
)
def test_only_terms_that_can_be_filtered_locally_are_widened(term: Term, wider: Term) -> None:
    assert widen(Query(term)).term == wider
