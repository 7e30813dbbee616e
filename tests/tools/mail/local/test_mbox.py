from pathlib import Path

import pytest

from tests.tools.mail.raw_messages import CLOCK, as_mbox, mbox, raw_message, subjects
from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.mbox import MboxStore
from tools.mail.search.query import Query
from tools.tool_errors import ToolError


async def test_messages_are_split_and_unescaped(tmp_path: Path) -> None:
    body = "First line\n>From here on it is quoted\n>>From twice\nFrom the start, no separator\n"
    raw = as_mbox(raw_message("One", body=body), raw_message("Two", at="2026-11-19T10:00"))
    (tmp_path / "box").write_bytes(raw)
    two, one = await mbox(tmp_path / "box").search(Query(), 10)
    assert (two.subject, one.subject) == ("Two", "One")
    source = await mbox(tmp_path / "box").source(one.id)
    assert b"\nFrom here on it is quoted\n>From twice\nFrom the start" in source


async def test_only_appended_messages_are_read(tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.write_bytes(as_mbox(raw_message("One")))
    mailbox = mbox(box)
    assert await subjects(mailbox) == ["One"]
    with box.open("ab") as file:
        file.write(as_mbox(raw_message("Two", at="2026-11-19T10:00")))
    assert await subjects(mailbox) == ["Two", "One"]


async def test_a_compacted_file_is_indexed_again_under_the_same_ids(tmp_path: Path) -> None:
    box = tmp_path / "box"
    one, two, three = (
        raw_message(name, at=f"2026-11-19T0{n}:00") for n, name in enumerate("abc", 1)
    )
    box.write_bytes(as_mbox(one, two, three))
    mailbox = mbox(box)
    before = {email.subject: email.id for email in await mailbox.search(Query(), 9)}
    box.write_bytes(as_mbox(one, three, raw_message("d", at="2026-11-19T04:00")))
    after = {email.subject: email.id for email in await mailbox.search(Query(), 9)}
    assert sorted(after) == ["a", "c", "d"]
    assert (after["a"], after["c"]) == (before["a"], before["c"])


async def test_thunderbird_flags_are_read(tmp_path: Path) -> None:
    marked = [
        raw_message("New", **{"X-Mozilla-Status": "0000"}),
        raw_message("Read", **{"X-Mozilla-Status": "0001"}),
        raw_message("Starred", **{"X-Mozilla-Status": "0005"}),
        raw_message("Expunged", **{"X-Mozilla-Status": "0009"}),
    ]
    box = tmp_path / "INBOX"
    box.write_bytes(as_mbox(*marked))
    mailbox = mbox(box)
    assert await subjects(mailbox, "is:unread") == ["New"]
    assert await subjects(mailbox, "is:starred") == ["Starred"]
    assert len(await subjects(mailbox)) == 3
    box.write_bytes(box.read_bytes().replace(b"Status: 0000", b"Status: 0001"))
    assert await subjects(mailbox, "is:unread") == []


async def test_thunderbird_subfolders_are_folders(tmp_path: Path) -> None:
    (tmp_path / "Mail" / "Archives.sbd").mkdir(parents=True)
    (tmp_path / "Mail" / "Inbox").write_bytes(as_mbox(raw_message("In")))
    (tmp_path / "Mail" / "Inbox.msf").write_bytes(b"// mork")
    (tmp_path / "Mail" / "Sent").write_bytes(as_mbox(raw_message("Out")))
    (tmp_path / "Mail" / "Archives.sbd" / "2026").write_bytes(as_mbox(raw_message("Old")))
    mailbox = mbox(tmp_path / "Mail")
    assert await subjects(mailbox, "in:inbox") == ["In"]
    assert await subjects(mailbox, "in:sent") == ["Out"]
    assert await subjects(mailbox, "in:archives/2026") == ["Old"]


async def test_takeout_labels_are_labels_and_flags(tmp_path: Path) -> None:
    def labelled(subject: str, labels: str) -> bytes:
        return raw_message(subject, **{"X-Gmail-Labels": labels, "X-GM-THRID": "17"})

    (tmp_path / "All mail Including Spam and Trash.mbox").write_bytes(
        as_mbox(
            labelled("In", "Inbox,Unread,Work/Moon"),
            labelled("Out", "=?UTF-8?Q?Sent,Caf=C3=A9?="),
            labelled("Bad", "Spam"),
            labelled("Gone", "Trash,Starred"),
        )
    )
    mailbox = mbox(tmp_path / "All mail Including Spam and Trash.mbox")
    assert await subjects(mailbox, "in:inbox is:unread label:work-moon") == ["In"]
    assert await subjects(mailbox, "label:café in:sent") == ["Out"]
    assert sorted(await subjects(mailbox)) == ["In", "Out"]
    assert await subjects(mailbox, "in:spam") == ["Bad"]
    assert await subjects(mailbox, "in:trash is:starred") == ["Gone"]
    (email, *_) = await mailbox.search(Query(), 1)
    assert len(await mailbox.thread(email.thread_id)) == 4


async def test_a_single_file_is_the_inbox_unless_its_name_has_another_role(tmp_path: Path) -> None:
    (tmp_path / "export.mbox").write_bytes(as_mbox(raw_message("Hi")))
    assert await subjects(mbox(tmp_path / "export.mbox"), "in:inbox") == ["Hi"]
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "Sent").write_bytes(as_mbox(raw_message("Ho")))
    assert await subjects(mbox(tmp_path / "b" / "Sent"), "in:inbox") == []


@pytest.mark.parametrize("name", ["missing", "letter.txt"])
def test_an_invalid_mbox_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "letter.txt").write_text("Dear all,")
    with pytest.raises(ToolError, match="mbox file"):
        LocalMailbox(MboxStore(tmp_path / name), account="a", index=tmp_path / "i", clock=CLOCK)
