import asyncio
import os
import sqlite3
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.mail.message.test_parsing import PIECES
from tests.tools.mail.raw_messages import (
    CLOCK,
    as_mbox,
    fill_maildir,
    maildir,
    mbox,
    raw_message,
    subjects,
)
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.mbox import MboxStore
from tools.mail.local.message_store import IndexingStoppedError
from tools.mail.mailbox import Contact, IndexingProgress
from tools.mail.search.query import (
    ADDRESS_FIELDS,
    And,
    Contains,
    InFolder,
    MessageId,
    Not,
    Or,
    Query,
    Term,
    TextField,
    Words,
)
from tools.tool_errors import ToolError

ATTACHED = (
    "--b\nContent-Type: text/plain\n\nSee the plan\n"
    "--b\nContent-Disposition: attachment; filename=Moon-Plan.pdf\n\nx\n--b--"
)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    letters = [
        raw_message(
            "Quarterly budget", sender="Sarah Lee <sarah@acme.com>", body="The numbers are in."
        ),
        raw_message(
            "Lunch?", sender="bob@y.org", to="me@x.org, Sarah <sarah@acme.com>", Cc="Cy <c@z.org>"
        ),
        raw_message("Moon", Content_Type="multipart/mixed; boundary=b", body=ATTACHED),
        raw_message(
            "Digest", List_Id="Python folk <python-dev.python.org>", body="Grüße vom Straßenfest"
        ),
        raw_message("Old news", at="2024-02-01T08:00"),
    ]
    (tmp_path / "box").write_bytes(as_mbox(*letters))
    return tmp_path / "box"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("from:SARAH", {"Quarterly budget"}),
        ("from:acme.com", {"Quarterly budget"}),
        ("from:y.o", {"Lunch?"}),
        ("to:sarah", {"Lunch?"}),
        ("cc:cy", {"Lunch?"}),
        ("from:bob OR cc:nobody", {"Lunch?"}),
        ("subject:budget", {"Quarterly budget"}),
        ("subject:numbers", set()),
        ("numbers", {"Quarterly budget"}),
        ('"numbers are"', {"Quarterly budget"}),
        ('"are numbers"', set()),
        ("Gruße STRAßENFEST", {"Digest"}),
        ("sarah", {"Quarterly budget", "Lunch?"}),
        ("sarah -lunch", {"Quarterly budget"}),
        ("has:attachment", {"Moon"}),
        ("filename:pdf", {"Moon"}),
        ("filename:moon-plan", {"Moon"}),
        ("list:python-dev", {"Digest"}),
        ("{moon digest}", {"Moon", "Digest"}),
        ("before:2025/1/1", {"Old news"}),
        ("after:2024/2/1 before:2024/2/2", {"Old news"}),
        ("older_than:1y", {"Old news"}),
        ("newer_than:2d subject:moon", {"Moon"}),
        ("larger:10M", set()),
        ("in:inbox subject:moon", {"Moon"}),
        ("in:nowhere", set()),
        ("from:me", set()),
        ("to:me subject:moon", {"Moon"}),
    ],
)
async def test_a_search_finds_the_same_as_gmail(box: Path, query: str, found: set[str]) -> None:
    assert set(await subjects(mbox(box), query)) == found


async def test_a_thread_is_formed_by_its_references(tmp_path: Path) -> None:
    letters = [
        raw_message("Plan", Message_ID="<1@x>", at="2026-11-10T09:00"),
        raw_message(
            "Re: Plan B", Message_ID="<3@x>", References="<1@x> <2@x>", at="2026-11-12T09:00"
        ),
        raw_message("Re: Plan", Message_ID="<2@x>", In_Reply_To="<1@x>", at="2026-11-11T09:00"),
        raw_message("Re: Plan", at="2026-11-13T09:00"),
        raw_message("Plan", at="2026-11-14T09:00"),
    ]
    (tmp_path / "box").write_bytes(as_mbox(*letters))
    mailbox = mbox(tmp_path / "box")
    emails = {email.date.day: email for email in await mailbox.search(Query(), 10)}
    thread = await mailbox.thread(emails[11].thread_id)
    assert [email.date.day for email in thread] == [10, 11, 12, 13]
    assert emails[14].thread_id != emails[10].thread_id


async def test_two_threads_are_merged_by_a_connecting_message(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(
        path,
        {
            "cur/1:2,": raw_message("A", Message_ID="<a@x>"),
            "cur/2:2,": raw_message("B", Message_ID="<b@x>"),
        },
    )
    mailbox = maildir(path)
    old = {email.subject: email.thread_id for email in await mailbox.search(Query(), 9)}
    assert old["A"] != old["B"]
    fill_maildir(path, {"cur/3:2,": raw_message("C", References="<a@x> <b@x>")})
    for thread_id in old.values():
        assert len(await mailbox.thread(thread_id)) == 3


async def test_people_are_found_by_part_of_name_or_address(box: Path) -> None:
    mailbox = mbox(box)
    assert await mailbox.contacts("sarah", 5) == [Contact("Sarah Lee", "sarah@acme.com", "mail")]
    assert [one.address for one in await mailbox.contacts("z.org", 5)] == ["c@z.org"]
    assert await mailbox.contacts("zoe", 5) == []


async def test_the_own_address_is_the_most_frequent_recipient(box: Path) -> None:
    mailbox = mbox(box)
    await mailbox.refresh()
    assert mailbox.address == "me@x.org"


async def test_an_unknown_id_is_refused(box: Path) -> None:
    with pytest.raises(ToolError, match="not in the mailbox any more"):
        await mbox(box).read("0123")


async def test_a_corrupt_index_is_rebuilt(box: Path, tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"this is no database" * 1_000)
    assert len(await subjects(mbox(box))) == 5


async def test_an_index_with_corrupt_pages_is_rebuilt(box: Path, tmp_path: Path) -> None:
    mailbox = mbox(box)
    await mailbox.refresh()
    content = bytearray((tmp_path / "index.db").read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    (tmp_path / "index.db").write_bytes(content)
    assert len(await subjects(mailbox)) == 5


async def test_an_index_of_an_older_version_is_rebuilt(box: Path, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "index.db") as database:
        database.execute("CREATE TABLE messages (something TEXT)")
    database.close()
    assert len(await subjects(mbox(box))) == 5


@pytest.mark.slow
async def test_progress_is_reported_and_a_cancelled_update_resumes(tmp_path: Path) -> None:
    letters = [
        raw_message(f"Letter {n}", at=f"2026-10-{n % 28 + 1:02}T09:00") for n in range(6_000)
    ]
    (tmp_path / "box").write_bytes(as_mbox(*letters))
    told: list[IndexingProgress] = []
    loop = asyncio.get_running_loop()
    reached = asyncio.Event()

    def report(progress: IndexingProgress) -> None:
        told.append(progress)
        loop.call_soon_threadsafe(reached.set)

    mailbox = LocalMailbox(
        MboxStore(tmp_path / "box"),
        account="a",
        index=tmp_path / "index.db",
        clock=CLOCK,
        report=report,
    )
    reading = asyncio.create_task(mailbox.refresh())
    await reached.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await mailbox.refresh()
    assert told[0].total == told[-1].done == 6_000
    assert len(await mailbox.search(Query(), 7_000)) == 6_000


async def test_several_searches_at_once_agree(box: Path) -> None:
    mailbox = mbox(box)
    answers = await asyncio.gather(*(subjects(mailbox) for _ in range(8)))
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.slow
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=30), max_size=20).map(b"".join))
def test_any_bytes_in_a_mailbox_are_listed(tmp_path: Path, raw: bytes) -> None:
    async def check() -> None:
        with TemporaryDirectory(dir=tmp_path) as name:
            folder = Path(name)
            fill_maildir(folder / "mail", {"cur/1:2,": raw, "cur/2:2,": raw_message("Fine")})
            (folder / "box").write_bytes(as_mbox(raw, raw_message("Fine")))
            for path, mailbox in ((folder / "mail", maildir), (folder / "box", mbox)):
                assert "Fine" in await subjects(mailbox(path), "in:anywhere")
                (folder / "index.db").unlink()

    asyncio.run(check())


@pytest.mark.slow
@given(st.text(max_size=40))
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_can_be_searched(tmp_path: Path, text: str) -> None:
    (tmp_path / "box").write_bytes(as_mbox(raw_message("Fine")))
    mailbox = mbox(tmp_path / "box")
    terms: list[Term] = [
        Words(text),
        Words(text, in_subject=True),
        InFolder(text),
        Contains(text, TextField.MAILING_LIST),
    ]
    terms += [Contains(text, field) for field in ADDRESS_FIELDS]
    terms += [Contains(text, TextField.FILE_NAME), MessageId(text), Not(Or((Words(text), And())))]

    async def check() -> None:
        for term in terms:
            await mailbox.search(Query(term), 1)
        await mailbox.contacts(text, 1)
        with pytest.raises(ToolError):
            await mailbox.read(text)

    asyncio.run(check())


async def test_lone_surrogates_in_names_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(path, {"cur/1:2,": raw_message("Fine", sender="=?utf-7?Q?+2AA-?= <a@x.org>")})
    (path / "cur" / os.fsdecode(b"2\xff:2,S")).write_bytes(raw_message("Strange"))
    fill_maildir(path / os.fsdecode(b".Odd\xff"), {"cur/1:2,": raw_message("Odd")})
    emails = await maildir(path).search(Query(), 5)
    assert {email.subject for email in emails} == {"Fine", "Strange", "Odd"}
    assert all(email.content == "Hello." for email in emails)


async def test_a_file_with_an_absurd_date_is_listed(tmp_path: Path) -> None:
    fill_maildir(tmp_path / "mail", {"cur/1:2,": b"Subject: Undated\n\n"})
    os.utime(tmp_path / "mail/cur/1:2,", (2**33, 2**33))
    assert await subjects(maildir(tmp_path / "mail")) == ["Undated"]


async def test_missing_mail_is_an_error_and_not_an_empty_mailbox(box: Path) -> None:
    mailbox = mbox(box)
    await mailbox.refresh()
    box.unlink()
    with pytest.raises(ToolError, match="cannot be read"):
        await mailbox.search(Query(), 1)


async def test_a_stopped_update_ends_its_thread_with_an_ordinary_error(box: Path) -> None:
    """Threads of some event loops die of any other error, and awaiting them hangs."""
    stopped = threading.Event()
    stopped.set()
    with pytest.raises(IndexingStoppedError):
        await asyncio.to_thread(mbox(box)._run_locked, lambda index: index.labels(), stopped)
