from pathlib import Path

import pytest

from tests.google.faults import LOST_REPLY, refusing
from tests.google.google import Google
from tests.tools.mail.gmail.gmail_account import GmailTestAccount
from tests.tools.mail.raw_messages import raw_message
from tools.accounts.google.permissions import Permission
from tools.mail.mailbox import ChangeFailure, EmailChanges, WritableMailbox
from tools.mail.search.query import Query
from tools.tool_errors import Remedy, ToolError


def arrived(gmail_account: GmailTestAccount, count: int) -> list[str]:
    """The ids of so many messages that came in."""
    return [
        gmail_account.google.add_mail(raw_message(f"Mail {number}")).id for number in range(count)
    ]


def labels(gmail_account: GmailTestAccount, id: str) -> set[str]:
    """What a message is under, by name."""
    return {
        gmail_account.google.labels[each].name for each in gmail_account.google.messages[id].labels
    }


async def test_gmail_is_a_writable_mailbox(gmail_account: GmailTestAccount) -> None:
    assert isinstance(gmail_account.mailbox, WritableMailbox)


async def test_archived_emails_leave_the_inbox(gmail_account: GmailTestAccount) -> None:
    ids = arrived(gmail_account, 12)
    assert await gmail_account.mailbox.archive(ids) == []
    assert [labels(gmail_account, id) for id in ids] == [{"UNREAD"}] * 12
    assert await gmail_account.subjects("in:inbox") == []


async def test_emails_in_the_trash_can_be_brought_back(gmail_account: GmailTestAccount) -> None:
    (id,) = arrived(gmail_account, 1)
    assert await gmail_account.mailbox.trash([id]) == []
    assert labels(gmail_account, id) == {"UNREAD", "TRASH"}
    back = EmailChanges(add=("INBOX",), remove=("Trash",))
    assert await gmail_account.mailbox.mark([id], back) == []
    assert labels(gmail_account, id) == {"UNREAD", "INBOX"}


async def test_flags_and_labels_are_added_and_removed(gmail_account: GmailTestAccount) -> None:
    (id,) = arrived(gmail_account, 1)
    gmail_account.google.mailbox.make_label("Old")
    await gmail_account.mailbox.mark(
        [id], EmailChanges(read=True, starred=True, add=("Work/To do", "Old"))
    )
    assert labels(gmail_account, id) == {"INBOX", "STARRED", "Work/To do", "Old"}
    await gmail_account.mailbox.mark(
        [id], EmailChanges(read=False, starred=False, remove=("old", "unheard of"))
    )
    assert labels(gmail_account, id) == {"INBOX", "UNREAD", "Work/To do"}
    assert "Work/To do" in await gmail_account.mailbox.folders()
    assert await gmail_account.mailbox.mark([id], EmailChanges()) == []


async def test_a_label_is_created_once_if_the_reply_is_lost(
    gmail_account: GmailTestAccount,
) -> None:
    (id,) = arrived(gmail_account, 1)
    gmail_account.google.fail("POST /labels", LOST_REPLY)
    await gmail_account.mailbox.mark([id], EmailChanges(add=("New",)))
    assert labels(gmail_account, id) == {"INBOX", "UNREAD", "New"}


async def test_changes_show_at_once_in_the_cache(gmail_account: GmailTestAccount) -> None:
    (id,) = arrived(gmail_account, 1)
    assert (await gmail_account.mailbox.search(Query(), 1))[0].unread
    await gmail_account.mailbox.mark([id], EmailChanges(read=True))
    assert not (await gmail_account.mailbox.read(id)).unread


async def test_emails_that_cannot_be_changed_are_named_and_the_others_changed(
    gmail_account: GmailTestAccount,
) -> None:
    first, second, third = arrived(gmail_account, 3)
    gmail_account.google.mailbox.remove(second)
    gmail_account.google.fail(
        f"{third}/modify", refusing(400, "failedPrecondition", words="No such thing")
    )
    failed = await gmail_account.mailbox.archive([first, second, third])
    assert failed[0] == ChangeFailure(second, "It is not in the mailbox any more.")
    assert failed[1].id == third
    assert "No such thing" in failed[1].reason
    assert labels(gmail_account, first) == {"UNREAD"}


async def test_an_error_is_raised_if_no_email_was_changed(gmail_account: GmailTestAccount) -> None:
    with pytest.raises(ToolError, match="any more"):
        await gmail_account.mailbox.trash(["ffff0000"])


async def test_a_change_is_retried_while_gmail_is_busy_or_silent(
    gmail_account: GmailTestAccount,
) -> None:
    (id,) = arrived(gmail_account, 1)
    gmail_account.google.fail("modify", refusing(429, "rateLimitExceeded", retry_after="7"))
    gmail_account.google.fail("modify", LOST_REPLY)
    assert await gmail_account.mailbox.archive([id]) == []
    assert labels(gmail_account, id) == {"UNREAD"}
    assert gmail_account.slept[0] == 7


async def test_a_change_without_permission_makes_no_request(google: Google, tmp_path: Path) -> None:
    gmail_account = GmailTestAccount(google, tmp_path, [Permission.READ_MAIL])
    ids = arrived(gmail_account, 2)
    with pytest.raises(ToolError, match="work does not let Deskhand archive") as refused:
        await gmail_account.mailbox.archive(ids)
    assert refused.value.remedy is Remedy.ALLOW
    assert gmail_account.asked() == []
    await gmail_account.close()
