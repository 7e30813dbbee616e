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


def arrived(rig: GmailTestAccount, count: int) -> list[str]:
    """The ids of so many messages that came in."""
    return [rig.google.add_mail(raw_message(f"Mail {number}")).id for number in range(count)]


def labels(rig: GmailTestAccount, id: str) -> set[str]:
    """What a message is under, by name."""
    return {rig.google.labels[each].name for each in rig.google.messages[id].labels}


async def test_gmail_is_a_mailbox_that_can_be_put_in_order(rig: GmailTestAccount) -> None:
    assert isinstance(rig.mailbox, WritableMailbox)


async def test_archived_emails_leave_the_inbox(rig: GmailTestAccount) -> None:
    ids = arrived(rig, 12)
    assert await rig.mailbox.archive(ids) == []
    assert [labels(rig, id) for id in ids] == [{"UNREAD"}] * 12
    assert await rig.subjects("in:inbox") == []


async def test_emails_in_the_trash_can_be_brought_back(rig: GmailTestAccount) -> None:
    (id,) = arrived(rig, 1)
    assert await rig.mailbox.trash([id]) == []
    assert labels(rig, id) == {"UNREAD", "TRASH"}
    back = EmailChanges(add=("INBOX",), remove=("Trash",))
    assert await rig.mailbox.mark([id], back) == []
    assert labels(rig, id) == {"UNREAD", "INBOX"}


async def test_marks_and_labels_are_put_on_and_taken_off(rig: GmailTestAccount) -> None:
    (id,) = arrived(rig, 1)
    rig.google.mailbox.make_label("Old")
    await rig.mailbox.mark([id], EmailChanges(read=True, starred=True, add=("Work/To do", "Old")))
    assert labels(rig, id) == {"INBOX", "STARRED", "Work/To do", "Old"}
    await rig.mailbox.mark(
        [id], EmailChanges(read=False, starred=False, remove=("old", "unheard of"))
    )
    assert labels(rig, id) == {"INBOX", "UNREAD", "Work/To do"}
    assert "Work/To do" in await rig.mailbox.folders()
    assert await rig.mailbox.mark([id], EmailChanges()) == []


async def test_a_label_is_made_once_where_the_reply_is_lost(rig: GmailTestAccount) -> None:
    (id,) = arrived(rig, 1)
    rig.google.fail("POST /labels", LOST_REPLY)
    await rig.mailbox.mark([id], EmailChanges(add=("New",)))
    assert labels(rig, id) == {"INBOX", "UNREAD", "New"}


async def test_what_was_changed_shows_at_once_in_what_is_kept(rig: GmailTestAccount) -> None:
    (id,) = arrived(rig, 1)
    assert (await rig.mailbox.search(Query(), 1))[0].unread
    await rig.mailbox.mark([id], EmailChanges(read=True))
    assert not (await rig.mailbox.read(id)).unread


async def test_emails_that_cannot_be_changed_are_named_and_the_others_changed(
    rig: GmailTestAccount,
) -> None:
    first, second, third = arrived(rig, 3)
    rig.google.mailbox.remove(second)
    rig.google.fail(f"{third}/modify", refusing(400, "failedPrecondition", words="No such thing"))
    failed = await rig.mailbox.archive([first, second, third])
    assert failed[0] == ChangeFailure(second, "It is not in the mailbox any more.")
    assert failed[1].id == third
    assert "No such thing" in failed[1].reason
    assert labels(rig, first) == {"UNREAD"}


async def test_nothing_changed_at_all_is_an_error(rig: GmailTestAccount) -> None:
    with pytest.raises(ToolError, match="any more"):
        await rig.mailbox.trash(["ffff0000"])


async def test_a_change_is_repeated_while_gmail_is_busy_or_silent(rig: GmailTestAccount) -> None:
    (id,) = arrived(rig, 1)
    rig.google.fail("modify", refusing(429, "rateLimitExceeded", retry_after="7"))
    rig.google.fail("modify", LOST_REPLY)
    assert await rig.mailbox.archive([id]) == []
    assert labels(rig, id) == {"UNREAD"}
    assert rig.slept[0] == 7


async def test_what_the_person_has_not_allowed_is_not_even_asked(
    google: Google, tmp_path: Path
) -> None:
    rig = GmailTestAccount(google, tmp_path, [Permission.READ_MAIL])
    ids = arrived(rig, 2)
    with pytest.raises(ToolError, match="work does not let Deskhand archive") as refused:
        await rig.mailbox.archive(ids)
    assert refused.value.remedy is Remedy.ALLOW
    assert rig.asked() == []
    await rig.close()
