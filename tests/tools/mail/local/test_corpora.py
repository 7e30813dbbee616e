"""Real mail: every message parses, and searching agrees with the standard library."""

import email
import os
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from tests import corpora
from tests.tools.mail.message.test_parsing import read_everything
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.local.mbox import MboxStore
from tools.mail.mail_reading import MailReading
from tools.mail.message.parsing import parse
from tools.mail.search.query_syntax import parse_query
from tools.moments.clock import fixed_clock

pytestmark = pytest.mark.corpus
CLOCK = fixed_clock(datetime(2026, 11, 20, 12, tzinfo=UTC))
LONGEST = 2.0  # seconds of this thread's own time for one message; a cap on hostile mail
ALL = 10_000


def fetched(fetch: Callable[[], list[Path]]) -> list[Path]:
    try:
        return fetch()
    except corpora.MissingCorpusError as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def messages() -> list[Path]:
    found = fetched(corpora.spam_assassin)
    assert len(found) == 6_046
    return found


@pytest.fixture(scope="module")
def independent(messages: list[Path]) -> list[Message]:
    return [email.message_from_bytes(path.read_bytes()) for path in messages]


@pytest.fixture(scope="module", params=["maildir", "mbox"])
def mailbox(
    request: pytest.FixtureRequest, messages: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> LocalMailbox:
    folder = tmp_path_factory.mktemp("real")
    if request.param == "maildir":
        path = corpora.as_maildir(messages, folder / "mail")
        return LocalMailbox(
            MaildirStore(path), account="real", index=folder / "index.db", clock=CLOCK
        )
    path = corpora.as_mbox((path.read_bytes() for path in messages), folder / "mail.mbox")
    return LocalMailbox(MboxStore(path), account="real", index=folder / "index.db", clock=CLOCK)


CORPORA: dict[str, Callable[[], list[Path]]] = {
    "spam-assassin": corpora.spam_assassin,
    "python": corpora.python_test_emails,
    "mail-parser": lambda: corpora.source_messages("mail-parser"),
    "flufl.bounce": lambda: corpora.source_messages("flufl.bounce"),
}


@pytest.mark.parametrize("name", CORPORA)
def test_every_real_message_can_be_read_in_time(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    paths = fetched(CORPORA[name])
    assert len(paths) > 20
    slowest = max((time_to_read(path.read_bytes()), path.name) for path in paths)
    record_property("slowest", slowest)
    assert slowest[0] < LONGEST


def time_to_read(raw: bytes) -> float:
    begin = time.thread_time()
    read_everything(parse(raw))
    return time.thread_time() - begin


async def found_by(mailbox: LocalMailbox, query: str) -> set[str]:
    """The Message-IDs of all that a search finds."""
    emails = await mailbox.search(parse_query(query, CLOCK), ALL)
    sources = [email.message_from_bytes(await mailbox.source(found.id)) for found in emails]
    return set(map(id_of, sources))


def id_of(message: Message) -> str:
    return "".join(str(message["Message-ID"]).split())


def having(messages: list[Message], matches: Callable[[Message], bool]) -> set[str]:
    return {id_of(message) for message in messages if matches(message)}


def one_line(message: Message, field: str) -> str:
    return " ".join(str(message.get(field, "")).split())


async def test_all_messages_are_indexed(mailbox: LocalMailbox) -> None:
    assert len(await mailbox.search(parse_query("", CLOCK), ALL)) == 6_046


@pytest.mark.parametrize("part", ["tim.one@comcast.net", "justin mason", "KRE@", "guardian"])
async def test_searching_by_sender_agrees(
    mailbox: LocalMailbox, independent: list[Message], part: str
) -> None:
    expected = having(independent, lambda m: part.lower() in one_line(m, "From").lower())
    assert expected
    assert await found_by(mailbox, f'from:"{part}"') == expected
    by_tool = await MailReading(mailbox, CLOCK).read_emails_by_sender(part, 50)
    assert by_tool.count == min(len(expected), 50)


@pytest.mark.parametrize("word", ["sequences", "linux", "razor", "viagra"])
async def test_searching_by_subject_agrees(
    mailbox: LocalMailbox, independent: list[Message], word: str
) -> None:
    expected = having(
        independent, lambda m: word in re.findall(r"[a-z0-9]+", one_line(m, "Subject").lower())
    )
    assert expected
    assert await found_by(mailbox, f"subject:{word}") == expected


@pytest.mark.parametrize("name", ["exmh-workers", "ilug.linux.ie", "razor-users"])
async def test_searching_by_list_agrees(
    mailbox: LocalMailbox, independent: list[Message], name: str
) -> None:
    expected = having(
        independent,
        lambda m: name in f"{one_line(m, 'List-Id')} {one_line(m, 'List-Post')}".lower(),
    )
    assert expected
    assert await found_by(mailbox, f"list:{name}") == expected


async def test_searching_by_date_agrees(mailbox: LocalMailbox, independent: list[Message]) -> None:
    begin, end = datetime(2002, 8, 20, tzinfo=UTC), datetime(2002, 9, 1, tzinfo=UTC)
    dates = {id_of(message): believable_date(message) for message in independent}
    expected = {name for name, date in dates.items() if date and begin <= date < end}
    found = await found_by(mailbox, "after:2002/8/20 before:2002/9/1")
    assert {name for name in found if dates[name]} == expected
    assert len(expected) > 500


def believable_date(message: Message) -> datetime | None:
    """The date in the header, unless it is missing or implausible."""
    try:
        moment = parsedate_to_datetime(one_line(message, "Date"))
    except (ValueError, TypeError):
        return None
    aware = moment.replace(tzinfo=moment.tzinfo or UTC)
    return aware if 1980 <= aware.year <= 2026 else None


async def test_the_newest_come_first(mailbox: LocalMailbox) -> None:
    latest = await MailReading(mailbox, CLOCK).read_latest_emails(50)
    dates = [found.date for found in latest.emails]
    assert dates == sorted(dates, reverse=True)
    assert latest.count == 50
