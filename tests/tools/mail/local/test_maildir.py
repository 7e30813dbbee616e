import os
from pathlib import Path

import pytest

from tests.tools.mail.raw_messages import (
    BERLIN,
    CLOCK,
    fill_maildir,
    maildir,
    raw_message,
    subjects,
)
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.search.query import Query
from tools.tool_errors import ToolError


async def test_messages_are_newest_first_with_all_fields(tmp_path: Path) -> None:
    old = raw_message("Old", at="2026-11-18T09:00")
    fill_maildir(tmp_path / "mail", {"cur/1.a:2,S": old, "new/2.a": raw_message("Newer")})
    newer, older = await maildir(tmp_path / "mail").search(Query(), 10)
    assert (newer.subject, newer.unread, older.subject, older.unread) == (
        *("Newer", True),
        *("Old", False),
    )
    assert newer.sender == "Ann Ash <ann@x.org>"
    assert newer.to == ("Me <me@x.org>",)
    assert newer.date.isoformat() == "2026-11-19T09:00:00+01:00"
    assert newer.date.tzinfo == BERLIN
    assert (newer.account, newer.content, newer.content_preview) == ("home", "Hello.", "Hello.")


async def test_an_id_survives_reading_marking_and_a_new_index(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(path, {"new/1.a": raw_message("Hi")})
    mailbox = maildir(path)
    (before,) = await mailbox.search(Query(), 1)
    (path / "new/1.a").rename(path / "cur/1.a:2,FS")
    (after,) = await mailbox.search(Query(), 1)
    assert (after.id, after.unread) == (before.id, False)
    assert await subjects(mailbox, "is:starred") == ["Hi"]
    await mailbox.close()
    (tmp_path / "index.db").unlink()
    assert [email.id for email in await maildir(path).search(Query(), 1)] == [before.id]


async def test_copies_of_a_message_have_different_ids(tmp_path: Path) -> None:
    raw = raw_message("Twice")
    fill_maildir(tmp_path / "mail", {"cur/1.a:2,": raw, "cur/2.a:2,": raw})
    one, other = await maildir(tmp_path / "mail").search(Query(), 10)
    assert one.id != other.id


async def test_subfolders_of_both_kinds_are_found_and_named(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(path, {"cur/1.a:2,": raw_message("In")})
    fill_maildir(path / ".Sent", {"cur/1.a:2,S": raw_message("Sent")})
    fill_maildir(path / ".Archive.2026", {"cur/1.a:2,S": raw_message("Kept")})
    fill_maildir(path / ".Entw&APw-rfe", {"cur/1.a:2,D": raw_message("Draft")})
    fill_maildir(path / "Projects" / "Moon", {"cur/1.a:2,S": raw_message("Moon")})
    mailbox = maildir(path)
    names = await mailbox.folders()
    assert {"INBOX", "Sent", "Archive/2026", "Entwürfe", "Projects/Moon"} <= set(names)
    assert await subjects(mailbox, "in:inbox") == ["In"]
    assert await subjects(mailbox, "in:sent") == ["Sent"]
    assert await subjects(mailbox, "in:drafts") == ["Draft"]
    assert await subjects(mailbox, "label:projects-moon") == ["Moon"]
    assert await subjects(mailbox, "in:archive") == ["Kept"]


async def test_trash_and_spam_are_found_only_where_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(
        path, {"cur/1.a:2,T": raw_message("Thrown away"), "cur/2.a:2,": raw_message("Kept")}
    )
    fill_maildir(path / ".Junk", {"cur/1.a:2,": raw_message("Spam")})
    mailbox = maildir(path)
    assert await subjects(mailbox) == ["Kept"]
    assert await subjects(mailbox, "in:trash") == ["Thrown away"]
    assert await subjects(mailbox, "in:spam") == ["Spam"]
    assert len(await subjects(mailbox, "in:anywhere")) == 3


async def test_added_and_removed_messages_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(path, {"cur/1.a:2,": raw_message("One")})
    mailbox = maildir(path)
    assert await subjects(mailbox) == ["One"]
    fill_maildir(path, {"new/2.a": raw_message("Two", at="2026-11-19T10:00")})
    fill_maildir(path / ".Lists", {"cur/1.a:2,": raw_message("Three", at="2026-11-19T11:00")})
    assert await subjects(mailbox) == ["Three", "Two", "One"]
    (path / "cur/1.a:2,").unlink()
    (path / ".Lists/cur/1.a:2,").unlink()
    (path / ".Lists/cur").rmdir()
    assert await subjects(mailbox) == ["Two"]
    assert await subjects(mailbox, "hello") == ["Two"]


async def test_a_folder_with_an_old_checkpoint_is_not_listed_again(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(path, {"cur/1.a:2,": raw_message("One")})
    for part in ("cur", "new"):
        os.utime(path / part, (1_700_000_000, 1_700_000_000))
    mailbox = maildir(path)
    await mailbox.refresh()
    fill_maildir(path, {"cur/2.a:2,": raw_message("Two")})
    os.utime(path / "cur", (1_700_000_000, 1_700_000_000))
    assert await subjects(mailbox) == ["One"]


async def test_an_unreadable_message_is_listed_with_its_problem(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(
        path, {"cur/1.a:2,": raw_message("Good"), "cur/2.a:2,": b"", "cur/3.a:2,": b"\xff\xfe\x00"}
    )
    found = await maildir(path).search(Query(), 10)
    problems = {email.problem for email in found}
    assert len(found) == 3
    assert "This message is empty." in problems


async def test_nothing_is_written_to_the_mail(tmp_path: Path) -> None:
    path = tmp_path / "mail"
    fill_maildir(path, {"new/1.a": raw_message("Hi"), "cur/2.a:2,S": raw_message("Ho")})
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*")}
    (email, _) = await maildir(path).search(Query(), 5)
    await maildir(path).read(email.id)
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*")} == before


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_an_invalid_maildir_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ToolError, match="Maildir"):
        LocalMailbox(MaildirStore(tmp_path / name), account="a", index=tmp_path / "i", clock=CLOCK)
