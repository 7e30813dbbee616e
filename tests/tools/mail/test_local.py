import asyncio
import sqlite3
from pathlib import Path

import pytest

from tests.tools.mail.letters import (
    CLOCK,
    as_mbox,
    fill,
    letter,
    maildir,
    mbox,
    subjects,
)
from tools.mail.local import open_mbox
from tools.mail.mailbox import Contact, Progress
from tools.mail.query import Query
from tools.tool import ToolError

ATTACHED = (
    "--b\nContent-Type: text/plain\n\nSee the plan\n"
    "--b\nContent-Disposition: attachment; filename=Moon-Plan.pdf\n\nx\n--b--"
)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    letters = [
        letter("Quarterly budget", sender="Sarah Lee <sarah@acme.com>", body="The numbers are in."),
        letter(
            "Lunch?", sender="bob@y.org", to="me@x.org, Sarah <sarah@acme.com>", Cc="Cy <c@z.org>"
        ),
        letter("Moon", Content_Type="multipart/mixed; boundary=b", body=ATTACHED),
        letter(
            "Digest", List_Id="Python folk <python-dev.python.org>", body="Grüße vom Straßenfest"
        ),
        letter("Old news", at="2024-02-01T08:00"),
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
async def test_a_search_finds_what_gmail_would(box: Path, query: str, found: set[str]) -> None:
    assert set(await subjects(mbox(box), query)) == found


async def test_a_conversation_is_held_together_by_its_references(tmp_path: Path) -> None:
    letters = [
        letter("Plan", Message_ID="<1@x>", at="2026-11-10T09:00"),
        letter("Re: Plan B", Message_ID="<3@x>", References="<1@x> <2@x>", at="2026-11-12T09:00"),
        letter("Re: Plan", Message_ID="<2@x>", In_Reply_To="<1@x>", at="2026-11-11T09:00"),
        letter("Re: Plan", at="2026-11-13T09:00"),
        letter("Plan", at="2026-11-14T09:00"),
    ]
    (tmp_path / "box").write_bytes(as_mbox(*letters))
    mailbox = mbox(tmp_path / "box")
    emails = {email.date.day: email for email in await mailbox.search(Query(), 10)}
    thread = await mailbox.thread(emails[11].thread_id)
    assert [email.date.day for email in thread] == [10, 11, 12, 13]
    assert emails[14].thread_id != emails[10].thread_id


async def test_two_conversations_become_one_when_a_message_joins_them(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill(
        path,
        {"cur/1:2,": letter("A", Message_ID="<a@x>"), "cur/2:2,": letter("B", Message_ID="<b@x>")},
    )
    mailbox = maildir(path)
    old = {email.subject: email.thread_id for email in await mailbox.search(Query(), 9)}
    assert old["A"] != old["B"]
    fill(path, {"cur/3:2,": letter("C", References="<a@x> <b@x>")})
    for thread_id in old.values():
        assert len(await mailbox.thread(thread_id)) == 3


async def test_people_are_found_by_part_of_name_or_address(box: Path) -> None:
    mailbox = mbox(box)
    assert await mailbox.contacts("sarah", 5) == [Contact("Sarah Lee", "sarah@acme.com", "mail")]
    assert [one.address for one in await mailbox.contacts("z.org", 5)] == ["c@z.org"]
    assert await mailbox.contacts("zoe", 5) == []


async def test_the_own_address_is_the_one_most_mail_goes_to(box: Path) -> None:
    mailbox = mbox(box)
    await mailbox.refresh()
    assert mailbox.address == "me@x.org"


async def test_an_unknown_id_is_a_refusal_in_words(box: Path) -> None:
    with pytest.raises(ToolError, match="not in the mailbox any more"):
        await mbox(box).read("0123")


async def test_a_broken_index_is_made_anew(box: Path, tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"this is no database" * 1_000)
    assert len(await subjects(mbox(box))) == 5


async def test_an_index_that_breaks_while_open_is_made_anew(box: Path, tmp_path: Path) -> None:
    mailbox = mbox(box)
    await mailbox.refresh()
    await mailbox.close()
    content = bytearray((tmp_path / "index.db").read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    (tmp_path / "index.db").write_bytes(content)
    assert len(await subjects(mailbox)) == 5


async def test_an_index_of_an_older_form_is_made_anew(box: Path, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "index.db") as database:
        database.execute("CREATE TABLE messages (something TEXT)")
    database.close()
    assert len(await subjects(mbox(box))) == 5


async def test_progress_is_told_and_a_cancelled_reading_goes_on_later(tmp_path: Path) -> None:
    letters = [letter(f"Letter {n}", at=f"2026-10-{n % 28 + 1:02}T09:00") for n in range(6_000)]
    (tmp_path / "box").write_bytes(as_mbox(*letters))
    told: list[Progress] = []
    loop = asyncio.get_running_loop()
    reached = asyncio.Event()

    def report(progress: Progress) -> None:
        told.append(progress)
        loop.call_soon_threadsafe(reached.set)

    mailbox = open_mbox(
        tmp_path / "box", account="a", index=tmp_path / "index.db", clock=CLOCK, report=report
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
