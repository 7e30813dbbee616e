import asyncio
import gc
import sqlite3
import stat
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.google.faults import BROKEN, LOST_REPLY, Fault, refusing
from tests.google.google import Google
from tests.tools.mail.gmail.gmail_account import GmailTestAccount
from tests.tools.mail.raw_messages import BERLIN, raw_message
from tools.accounts.google.api_response import ApiResponse, GoogleApiError
from tools.mail.gmail.gmail_message import GmailMessage
from tools.mail.gmail.message_cache import CachedMessage, MessageCache
from tools.mail.gmail.message_fetcher import FetchedMessages
from tools.mail.message.emails import Attachment
from tools.mail.search.query import InFolder, Query
from tools.tool_errors import ToolError

GET = "GET /gmail/v1/users/me/messages/"


def fill(rig: GmailTestAccount, count: int) -> list[str]:
    """Let so many messages arrive, a minute apart; their subjects, newest first."""
    subjects = [f"Mail {number}" for number in range(count)]
    for number, subject in enumerate(subjects):
        hour, minute = divmod(number, 60)
        rig.google.add_mail(raw_message(subject, at=f"2026-11-19T{hour:02}:{minute:02}"))
    return subjects[::-1]


async def test_a_first_reading_is_one_request_for_the_list_and_one_for_every_fifty(
    rig: GmailTestAccount,
) -> None:
    subjects = fill(rig, 100)
    assert await rig.subjects("in:inbox", 100) == subjects
    assert rig.asked() == ["POST /batch"] * 3


async def test_a_second_reading_with_nothing_new_is_one_request(rig: GmailTestAccount) -> None:
    subjects = fill(rig, 3)
    assert await rig.subjects() == subjects
    rig.asked()
    assert await rig.subjects() == subjects
    assert rig.asked() == ["POST /batch"]


async def test_only_what_is_new_is_fetched_also_after_a_restart(rig: GmailTestAccount) -> None:
    fill(rig, 3)
    await rig.subjects()
    await rig.reopen()
    rig.google.add_mail(raw_message("New", at="2026-11-20T09:00"))
    before = len(rig.google.requests)
    assert (await rig.subjects())[0] == "New"
    opening, get = rig.google.requests[before:]
    assert len(opening.parts) == 2
    assert get.method == "GET"


async def test_an_email_says_everything_that_a_reader_sees(rig: GmailTestAccount) -> None:
    message = EmailMessage()
    message["From"] = '"Möller, Jürgen" <jm@example.org>'
    message["To"] = "Anna <anna.berg@example.com>, bob@y.org"
    message["Subject"] = "Grüße aus Köln"
    message["Date"] = "Thu, 19 Nov 2026 23:30:00 +0000"
    message["List-Id"] = "Harbour news <harbour.example.org>"
    message.set_content("Schöne Grüße\n\n-- \nJürgen", charset="iso-8859-1")
    message.add_alternative("<p>Schöne <b>Grüße</b></p>", subtype="html")
    pdf = b"%PDF-1.7" * 100
    message.add_attachment(pdf, maintype="application", subtype="pdf", filename="Änderung.pdf")
    arrived = rig.google.add_mail(message)
    (email,) = await rig.mailbox.search(Query(), 5)
    assert (email.id, email.thread_id, email.account) == (arrived.id, arrived.thread_id, "work")
    assert email.sender == "Möller, Jürgen <jm@example.org>"
    assert email.to == ("Anna <anna.berg@example.com>", "bob@y.org")
    assert email.subject == "Grüße aus Köln"
    assert email.date.isoformat() == "2026-11-20T00:30:00+01:00"
    assert email.date.tzinfo is BERLIN
    assert email.content == email.content_preview == "Schöne Grüße"
    assert email.unread
    assert email.attachments == (Attachment("Änderung.pdf", "application/pdf", len(pdf)),)
    assert email.mailing_list == "Harbour news <harbour.example.org>"
    assert not email.problem
    assert not [each for each in rig.google.requests if "attachments" in each.target]


async def test_marks_made_elsewhere_are_seen(rig: GmailTestAccount) -> None:
    fill(rig, 2)
    first, second = await rig.mailbox.search(Query(), 5)
    rig.google.mailbox.modify(rig.google.messages[first.id], ["STARRED"], ["UNREAD"])
    rig.google.mailbox.remove(second.id)
    (left,) = await rig.mailbox.search(Query(), 5)
    assert (left.id, left.unread) == (first.id, False)
    assert await rig.subjects("is:starred") == [first.subject]
    rig.asked()
    with pytest.raises(ToolError, match="not in the mailbox"):
        await rig.mailbox.read(second.id)


async def test_a_history_that_is_gone_begins_anew(rig: GmailTestAccount) -> None:
    fill(rig, 2)
    first, _ = await rig.mailbox.search(Query(), 5)
    rig.google.mailbox.modify(rig.google.messages[first.id], [], ["UNREAD"])
    rig.google.mailbox.forget_history()
    found = await rig.mailbox.search(Query(), 5)
    assert [email.unread for email in found] == [False, True]
    rig.google.mailbox.modify(rig.google.messages[first.id], ["UNREAD"], [])
    assert (await rig.mailbox.search(Query(), 5))[0].unread


async def test_a_long_history_is_followed_page_by_page(rig: GmailTestAccount) -> None:
    fill(rig, 1)
    (email,) = await rig.mailbox.search(Query(), 5)
    message = rig.google.messages[email.id]
    for _ in range(600):
        rig.google.mailbox.modify(message, ["STARRED"], [])
        rig.google.mailbox.modify(message, [], ["STARRED"])
    rig.google.mailbox.modify(message, [], ["UNREAD"])
    rig.asked()
    (again,) = await rig.mailbox.search(Query(), 5)
    assert not again.unread
    assert rig.asked()[1:] == ["GET /gmail/v1/users/me/history"] * 2


async def test_an_email_that_cannot_be_had_is_listed_and_spoils_nothing(
    rig: GmailTestAccount,
) -> None:
    fill(rig, 3)
    newest, middle, oldest = sorted(rig.google.messages.values(), key=lambda each: -each.date)
    rig.google.fail(f"messages/{middle.id}", refusing(403, "forbidden", words="No <b>"), 1)
    found = await rig.mailbox.search(Query(), 5)
    assert [email.id for email in found] == [newest.id, middle.id, oldest.id]
    assert found[0].date >= found[1].date >= found[2].date
    assert "No" in found[1].problem
    assert not found[0].problem
    assert (await rig.subjects())[1] == "Mail 1"


async def test_an_email_that_is_thrown_away_meanwhile_is_left_out(rig: GmailTestAccount) -> None:
    fill(rig, 3)
    gone = next(iter(rig.google.messages))
    rig.google.fail(f"messages/{gone}", refusing(404, "notFound"))
    assert await rig.subjects() == ["Mail 2", "Mail 1"]


@pytest.mark.parametrize("fault", [refusing(429, "rateLimitExceeded"), BROKEN])
async def test_parts_that_may_pass_are_asked_for_again_without_the_rest(
    rig: GmailTestAccount, fault: Fault
) -> None:
    subjects = fill(rig, 6)
    busy = set(list(rig.google.messages)[:2])
    rig.google.fail(lambda asked: asked.path.rpartition("/")[2] in busy, fault, 2)
    assert await rig.subjects() == subjects
    *_, gets, again = rig.google.requests
    assert (len(gets.parts), len(again.parts)) == (6, 2)
    assert len(rig.slept) == 1


async def test_nothing_is_shown_where_nothing_could_be_had(rig: GmailTestAccount) -> None:
    fill(rig, 3)
    rig.google.fail(GET, refusing(503, "backendError"), 1000)
    with pytest.raises(GoogleApiError, match="503"):
        await rig.subjects()


async def test_where_batches_are_refused_messages_are_read_one_by_one_at_once(
    rig: GmailTestAccount,
) -> None:
    subjects = fill(rig, 30)
    rig.google.refuse_batch()
    assert await rig.subjects() == subjects
    assert rig.asked().count("POST /batch") == 1
    assert await rig.subjects() == subjects
    assert "POST /batch" not in rig.asked()


async def test_a_token_that_ends_between_list_and_messages_is_renewed(
    rig: GmailTestAccount,
) -> None:
    subjects = fill(rig, 60)
    rig.google.fail("format=full", refusing(401, "authError"), 1)
    assert await rig.subjects("", 60) == subjects
    assert "POST /oauth2/token" in rig.asked()


async def test_a_reply_that_is_lost_is_asked_for_again(rig: GmailTestAccount) -> None:
    subjects = fill(rig, 2)
    rig.google.fail("/batch", LOST_REPLY, 2)
    assert await rig.subjects() == subjects


async def test_a_thread_is_read_oldest_first(rig: GmailTestAccount) -> None:
    first = rig.google.add_mail(raw_message("Plan", Message_ID="<1@x>", at="2026-11-10T09:00"))
    for day in (12, 11):
        rig.google.add_mail(
            raw_message(
                "Re: Plan", Message_ID=f"<{day}@x>", References="<1@x>", at=f"2026-11-{day}T09"
            )
        )
    rig.google.add_mail(raw_message("Another"))
    thread = await rig.mailbox.thread(first.thread_id)
    assert [email.date.day for email in thread] == [10, 11, 12]
    assert await rig.mailbox.thread("ffff0000") == []
    assert await rig.mailbox.thread("no id?/&#") == []


async def test_one_email_is_read_and_its_source_given_as_it_is_stored(
    rig: GmailTestAccount,
) -> None:
    raw = raw_message("Source", body="Grüße")
    arrived = rig.google.add_mail(raw)
    assert (await rig.mailbox.read(arrived.id)).subject == "Source"
    assert await rig.mailbox.source(arrived.id) == raw
    for id in ("ffff0000", "../labels", "no id?"):
        with pytest.raises(ToolError, match="not in the mailbox"):
            await rig.mailbox.read(id)
        with pytest.raises(ToolError, match="not in the mailbox"):
            await rig.mailbox.source(id)


async def test_the_cache_is_for_its_owner_alone_and_holds_no_token(rig: GmailTestAccount) -> None:
    fill(rig, 2)
    await rig.subjects()
    session = await rig.account.authorized_session(next(iter(rig.account.status.granted)))
    await rig.mailbox.close()
    for file in rig.cache.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert session.credentials.token.encode() not in file.read_bytes()


@pytest.mark.parametrize("content", [b"", b"broken" * 5_000, b"SQLite format 3\0" + b"x" * 8_000])
async def test_a_broken_cache_is_begun_anew(rig: GmailTestAccount, content: bytes) -> None:
    subjects = fill(rig, 3)
    assert await rig.subjects() == subjects
    await rig.mailbox.close()
    rig.cache.write_bytes(content)
    await rig.reopen()
    assert await rig.subjects() == subjects
    rig.asked()
    assert await rig.subjects() == subjects
    assert rig.asked() == ["POST /batch"]


async def test_a_cache_that_another_program_writes_to_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "gmail.db"
    cache = MessageCache(path, "anna@x.org", lock_timeout=0)
    cache.reset("1")
    cache.store([CachedMessage("id1", 1, frozenset({"INBOX"}), (), b"{}")], "1")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache.set_labels("id1", ())
    cache.close()
    other.execute("UPDATE state SET history = '2'")
    other.execute("COMMIT")
    other.close()
    assert cache.history() == "2"
    assert set(cache.get(["id1"])) == {"id1"}
    cache.close()


async def test_mail_can_be_read_where_nothing_can_be_kept(google: Google, tmp_path: Path) -> None:
    (tmp_path / "indexes").write_text("a file in the way")
    rig = GmailTestAccount(google, tmp_path)
    subjects = fill(rig, 3)
    assert await rig.subjects() == subjects
    assert await rig.subjects() == subjects
    await rig.close()


async def test_the_cache_of_another_account_is_dropped(rig: GmailTestAccount) -> None:
    fill(rig, 1)
    await rig.subjects()
    await rig.mailbox.close()
    with sqlite3.connect(rig.cache) as database:
        database.execute("UPDATE state SET address = 'somebody@else.org'")
        database.execute("UPDATE messages SET payload = '{}'")
    database.close()
    await rig.reopen()
    assert await rig.subjects() == ["Mail 0"]


async def test_readings_at_the_same_time_see_the_same(rig: GmailTestAccount) -> None:
    subjects = fill(rig, 60)
    found = await asyncio.gather(*(rig.subjects("in:inbox", 60) for _ in range(4)))
    assert found == [subjects] * 4
    email = (await rig.mailbox.search(Query(InFolder("INBOX")), 1))[0]
    rig.google.mailbox.modify(rig.google.messages[email.id], [], ["UNREAD"])
    again = await asyncio.gather(
        *(rig.mailbox.search(Query(InFolder("INBOX")), 1) for _ in range(4))
    )
    assert [one[0].unread for one in again] == [False] * 4


async def test_nothing_of_what_was_read_stays_in_memory(rig: GmailTestAccount) -> None:
    fill(rig, 200)
    assert len(await rig.mailbox.search(Query(), 200)) == 200
    assert len(await rig.mailbox.search(Query(), 200)) == 200
    await rig.mailbox._fetcher.wait_until_cached()
    gc.collect()
    held = (ApiResponse, GmailMessage, FetchedMessages, CachedMessage)
    assert [each for each in gc.get_objects() if isinstance(each, held)] == []


async def test_the_oldest_are_dropped_from_a_cache_that_is_full(tmp_path: Path) -> None:
    cache = MessageCache(tmp_path / "gmail.db", "anna@x.org", largest=400_000)
    cache.reset("1")
    for number in range(300):
        message = CachedMessage(f"id{number}", number, frozenset(), (), b"x" * 3_000)
        cache.store([message], "1")
    kept = cache.get([f"id{number}" for number in range(300)])
    assert 50 < len(kept) < 150
    assert f"id{299}" in kept
    assert "id0" not in kept
    cache.close()
    assert cache._path.stat().st_size < 1_000_000
