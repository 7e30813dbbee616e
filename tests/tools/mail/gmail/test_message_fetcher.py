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


def fill(gmail_account: GmailTestAccount, count: int) -> list[str]:
    """Let so many messages arrive, a minute apart; their subjects, newest first."""
    subjects = [f"Mail {number}" for number in range(count)]
    for number, subject in enumerate(subjects):
        hour, minute = divmod(number, 60)
        gmail_account.google.add_mail(raw_message(subject, at=f"2026-11-19T{hour:02}:{minute:02}"))
    return subjects[::-1]


async def test_a_first_search_is_one_request_for_the_list_and_one_per_fifty_messages(
    gmail_account: GmailTestAccount,
) -> None:
    subjects = fill(gmail_account, 100)
    assert await gmail_account.subjects("in:inbox", 100) == subjects
    assert gmail_account.asked() == ["POST /batch"] * 3


async def test_a_second_search_without_news_is_one_request(gmail_account: GmailTestAccount) -> None:
    subjects = fill(gmail_account, 3)
    assert await gmail_account.subjects() == subjects
    gmail_account.asked()
    assert await gmail_account.subjects() == subjects
    assert gmail_account.asked() == ["POST /batch"]


async def test_only_new_messages_are_fetched_also_after_a_restart(
    gmail_account: GmailTestAccount,
) -> None:
    fill(gmail_account, 3)
    await gmail_account.subjects()
    await gmail_account.reopen()
    gmail_account.google.add_mail(raw_message("New", at="2026-11-20T09:00"))
    before = len(gmail_account.google.requests)
    assert (await gmail_account.subjects())[0] == "New"
    opening, get = gmail_account.google.requests[before:]
    assert len(opening.parts) == 2
    assert get.method == "GET"


async def test_an_email_has_all_fields(gmail_account: GmailTestAccount) -> None:
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
    arrived = gmail_account.google.add_mail(message)
    (email,) = await gmail_account.mailbox.search(Query(), 5)
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
    assert not [each for each in gmail_account.google.requests if "attachments" in each.target]


async def test_flags_changed_elsewhere_are_noticed(gmail_account: GmailTestAccount) -> None:
    fill(gmail_account, 2)
    first, second = await gmail_account.mailbox.search(Query(), 5)
    gmail_account.google.mailbox.modify(
        gmail_account.google.messages[first.id], ["STARRED"], ["UNREAD"]
    )
    gmail_account.google.mailbox.remove(second.id)
    (left,) = await gmail_account.mailbox.search(Query(), 5)
    assert (left.id, left.unread) == (first.id, False)
    assert await gmail_account.subjects("is:starred") == [first.subject]
    gmail_account.asked()
    with pytest.raises(ToolError, match="not in the mailbox"):
        await gmail_account.mailbox.read(second.id)


async def test_an_expired_history_resets_the_cache(gmail_account: GmailTestAccount) -> None:
    fill(gmail_account, 2)
    first, _ = await gmail_account.mailbox.search(Query(), 5)
    gmail_account.google.mailbox.modify(gmail_account.google.messages[first.id], [], ["UNREAD"])
    gmail_account.google.mailbox.forget_history()
    found = await gmail_account.mailbox.search(Query(), 5)
    assert [email.unread for email in found] == [False, True]
    gmail_account.google.mailbox.modify(gmail_account.google.messages[first.id], ["UNREAD"], [])
    assert (await gmail_account.mailbox.search(Query(), 5))[0].unread


async def test_a_long_history_is_followed_page_by_page(gmail_account: GmailTestAccount) -> None:
    fill(gmail_account, 1)
    (email,) = await gmail_account.mailbox.search(Query(), 5)
    message = gmail_account.google.messages[email.id]
    for _ in range(600):
        gmail_account.google.mailbox.modify(message, ["STARRED"], [])
        gmail_account.google.mailbox.modify(message, [], ["STARRED"])
    gmail_account.google.mailbox.modify(message, [], ["UNREAD"])
    gmail_account.asked()
    (again,) = await gmail_account.mailbox.search(Query(), 5)
    assert not again.unread
    assert gmail_account.asked()[1:] == ["GET /gmail/v1/users/me/history"] * 2


async def test_an_unavailable_email_is_listed_with_the_others(
    gmail_account: GmailTestAccount,
) -> None:
    fill(gmail_account, 3)
    newest, middle, oldest = sorted(
        gmail_account.google.messages.values(), key=lambda each: -each.date
    )
    gmail_account.google.fail(
        f"messages/{middle.id}", refusing(403, "forbidden", words="No <b>"), 1
    )
    found = await gmail_account.mailbox.search(Query(), 5)
    assert [email.id for email in found] == [newest.id, middle.id, oldest.id]
    assert found[0].date >= found[1].date >= found[2].date
    assert "No" in found[1].problem
    assert not found[0].problem
    assert (await gmail_account.subjects())[1] == "Mail 1"


async def test_an_email_deleted_meanwhile_is_omitted(gmail_account: GmailTestAccount) -> None:
    fill(gmail_account, 3)
    gone = next(iter(gmail_account.google.messages))
    gmail_account.google.fail(f"messages/{gone}", refusing(404, "notFound"))
    assert await gmail_account.subjects() == ["Mail 2", "Mail 1"]


@pytest.mark.parametrize("fault", [refusing(429, "rateLimitExceeded"), BROKEN])
async def test_only_temporarily_failed_parts_are_requested_again(
    gmail_account: GmailTestAccount, fault: Fault
) -> None:
    subjects = fill(gmail_account, 6)
    busy = set(list(gmail_account.google.messages)[:2])
    gmail_account.google.fail(lambda asked: asked.path.rpartition("/")[2] in busy, fault, 2)
    assert await gmail_account.subjects() == subjects
    *_, gets, again = gmail_account.google.requests
    assert (len(gets.parts), len(again.parts)) == (6, 2)
    assert len(gmail_account.slept) == 1


async def test_an_error_is_raised_if_no_message_can_be_fetched(
    gmail_account: GmailTestAccount,
) -> None:
    fill(gmail_account, 3)
    gmail_account.google.fail(GET, refusing(503, "backendError"), 1000)
    with pytest.raises(GoogleApiError, match="503"):
        await gmail_account.subjects()


async def test_refused_batches_are_replaced_by_concurrent_single_requests(
    gmail_account: GmailTestAccount,
) -> None:
    subjects = fill(gmail_account, 30)
    gmail_account.google.refuse_batch()
    assert await gmail_account.subjects() == subjects
    assert gmail_account.asked().count("POST /batch") == 1
    assert await gmail_account.subjects() == subjects
    assert "POST /batch" not in gmail_account.asked()


async def test_a_token_that_ends_between_list_and_messages_is_renewed(
    gmail_account: GmailTestAccount,
) -> None:
    subjects = fill(gmail_account, 60)
    gmail_account.google.fail("format=full", refusing(401, "authError"), 1)
    assert await gmail_account.subjects("", 60) == subjects
    assert "POST /oauth2/token" in gmail_account.asked()


async def test_a_lost_reply_is_requested_again(gmail_account: GmailTestAccount) -> None:
    subjects = fill(gmail_account, 2)
    gmail_account.google.fail("/batch", LOST_REPLY, 2)
    assert await gmail_account.subjects() == subjects


async def test_a_thread_is_read_oldest_first(gmail_account: GmailTestAccount) -> None:
    first = gmail_account.google.add_mail(
        raw_message("Plan", Message_ID="<1@x>", at="2026-11-10T09:00")
    )
    for day in (12, 11):
        gmail_account.google.add_mail(
            raw_message(
                "Re: Plan", Message_ID=f"<{day}@x>", References="<1@x>", at=f"2026-11-{day}T09"
            )
        )
    gmail_account.google.add_mail(raw_message("Another"))
    thread = await gmail_account.mailbox.thread(first.thread_id)
    assert [email.date.day for email in thread] == [10, 11, 12]
    assert await gmail_account.mailbox.thread("ffff0000") == []
    assert await gmail_account.mailbox.thread("no id?/&#") == []


async def test_an_email_is_read_and_its_source_is_the_stored_message(
    gmail_account: GmailTestAccount,
) -> None:
    raw = raw_message("Source", body="Grüße")
    arrived = gmail_account.google.add_mail(raw)
    assert (await gmail_account.mailbox.read(arrived.id)).subject == "Source"
    assert await gmail_account.mailbox.source(arrived.id) == raw
    for id in ("ffff0000", "../labels", "no id?"):
        with pytest.raises(ToolError, match="not in the mailbox"):
            await gmail_account.mailbox.read(id)
        with pytest.raises(ToolError, match="not in the mailbox"):
            await gmail_account.mailbox.source(id)


async def test_the_cache_is_private_and_holds_no_token(gmail_account: GmailTestAccount) -> None:
    fill(gmail_account, 2)
    await gmail_account.subjects()
    session = await gmail_account.account.authorized_session(
        next(iter(gmail_account.account.status.granted))
    )
    await gmail_account.mailbox.close()
    for file in gmail_account.cache.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert session.credentials.token.encode() not in file.read_bytes()


@pytest.mark.parametrize("content", [b"", b"broken" * 5_000, b"SQLite format 3\0" + b"x" * 8_000])
async def test_a_corrupt_cache_is_replaced(gmail_account: GmailTestAccount, content: bytes) -> None:
    subjects = fill(gmail_account, 3)
    assert await gmail_account.subjects() == subjects
    await gmail_account.mailbox.close()
    gmail_account.cache.write_bytes(content)
    await gmail_account.reopen()
    assert await gmail_account.subjects() == subjects
    gmail_account.asked()
    assert await gmail_account.subjects() == subjects
    assert gmail_account.asked() == ["POST /batch"]


async def test_a_cache_locked_by_another_process_stays_unchanged(tmp_path: Path) -> None:
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


async def test_mail_can_be_read_without_a_writable_cache(google: Google, tmp_path: Path) -> None:
    (tmp_path / "indexes").write_text("a file in the way")
    gmail_account = GmailTestAccount(google, tmp_path)
    subjects = fill(gmail_account, 3)
    assert await gmail_account.subjects() == subjects
    assert await gmail_account.subjects() == subjects
    await gmail_account.close()


async def test_the_cache_of_another_account_is_dropped(gmail_account: GmailTestAccount) -> None:
    fill(gmail_account, 1)
    await gmail_account.subjects()
    await gmail_account.mailbox.close()
    with sqlite3.connect(gmail_account.cache) as database:
        database.execute("UPDATE state SET address = 'somebody@else.org'")
        database.execute("UPDATE messages SET payload = '{}'")
    database.close()
    await gmail_account.reopen()
    assert await gmail_account.subjects() == ["Mail 0"]


async def test_concurrent_searches_agree(gmail_account: GmailTestAccount) -> None:
    subjects = fill(gmail_account, 60)
    found = await asyncio.gather(*(gmail_account.subjects("in:inbox", 60) for _ in range(4)))
    assert found == [subjects] * 4
    email = (await gmail_account.mailbox.search(Query(InFolder("INBOX")), 1))[0]
    gmail_account.google.mailbox.modify(gmail_account.google.messages[email.id], [], ["UNREAD"])
    again = await asyncio.gather(
        *(gmail_account.mailbox.search(Query(InFolder("INBOX")), 1) for _ in range(4))
    )
    assert [one[0].unread for one in again] == [False] * 4


@pytest.mark.slow
async def test_no_message_stays_in_memory(gmail_account: GmailTestAccount) -> None:
    fill(gmail_account, 200)
    assert len(await gmail_account.mailbox.search(Query(), 200)) == 200
    assert len(await gmail_account.mailbox.search(Query(), 200)) == 200
    await gmail_account.mailbox.close()
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
    assert (tmp_path / "gmail.db").stat().st_size < 1_000_000
