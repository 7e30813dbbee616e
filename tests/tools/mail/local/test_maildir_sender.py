"""The local way out: a real Maildir, where a message arrives whole and once."""

import mailbox
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.mail.local.maildir_sender import MaildirSender
from tools.moments.clock import fixed_clock
from tools.tool_errors import ToolError

CLOCK = fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")))


def message(id: str = "<1@example.org>") -> EmailMessage:
    made = EmailMessage()
    made["Message-ID"] = id
    made["Subject"] = "Grüße"
    made.set_content("Hello")
    return made


def delivered(maildir: Path, folder: str) -> list[mailbox.MaildirMessage]:
    return list(mailbox.Maildir(maildir, create=False).get_folder(folder))


@pytest.fixture
def outgoing(tmp_path: Path) -> MaildirSender:
    mailbox.Maildir(tmp_path / "mail", create=True)
    return MaildirSender(tmp_path / "mail", "me@example.org", "Me", CLOCK)


async def test_a_sent_message_is_read_in_sent_and_tmp_is_empty(
    outgoing: MaildirSender, tmp_path: Path
) -> None:
    note = await outgoing.send(message())
    (found,) = delivered(tmp_path / "mail", "Sent")
    assert "Nothing left this computer" in note
    assert (found.get_payload(), found.get_flags()) == ("Hello\n", "S")
    assert not any((tmp_path / "mail/.Sent/tmp").iterdir())


async def test_a_draft_is_marked_as_one(outgoing: MaildirSender, tmp_path: Path) -> None:
    await outgoing.save_draft(message())
    (found,) = delivered(tmp_path / "mail", "Drafts")
    assert "D" in found.get_flags()


async def test_the_same_message_is_delivered_once(outgoing: MaildirSender, tmp_path: Path) -> None:
    for id in ("<1@example.org>", "<1@example.org>", "<2@example.org>"):
        await outgoing.send(message(id))
    assert len(delivered(tmp_path / "mail", "Sent")) == 2


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("a file where the folder should be")
    outgoing = MaildirSender(tmp_path / "mail", "me@example.org", "Me", CLOCK)
    with pytest.raises(ToolError, match=r"\.Sent"):
        await outgoing.send(message())
