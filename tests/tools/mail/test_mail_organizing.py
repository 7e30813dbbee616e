"""Organizing: what is asked before mail is put in order, and what the disk holds after a yes."""

import mailbox
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.mail.combined_mailbox import CombinedMailbox
from tools.mail.local.mailbox import LocalMailbox, WritableMaildirMailbox
from tools.mail.local.maildir import MaildirStore, WritableMaildirStore
from tools.mail.mail_organizing import ChangedEmails, MailOrganizing
from tools.mail.mailbox import EmailChanges
from tools.mail.message.emails import Email
from tools.mail.search.query import Query
from tools.mail.search.query_syntax import parse_query
from tools.moments.clock import fixed_clock
from tools.proposal import Proposal, Sink
from tools.tool import Effect, Tool, to_wire
from tools.tool_errors import ToolError

CLOCK = fixed_clock(datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")))


def make_message(subject: str, sender: str = "Ana Silva <ana@example.org>") -> bytes:
    return (
        f"Message-ID: <{subject}@example.org>\nFrom: {sender}\nTo: me@example.org\n"
        f"Subject: {subject}\nDate: Fri, 20 Nov 2026 09:00:00 +0100\n\nHello\n"
    ).encode()


def filled(path: Path, *subjects: str) -> Path:
    made = mailbox.Maildir(path, create=True)
    for subject in subjects:
        made.add(make_message(subject))
    return path


@pytest.fixture
def own(tmp_path: Path) -> WritableMaildirMailbox:
    maildir = filled(tmp_path / "own", "budget", "invoice", "lunch")
    return WritableMaildirMailbox(
        WritableMaildirStore(maildir), account="Own", index=tmp_path / "own.db", clock=CLOCK
    )


@pytest.fixture
def combined(own: WritableMaildirMailbox, tmp_path: Path) -> CombinedMailbox:
    path = filled(tmp_path / "old", "history")
    return CombinedMailbox(
        [
            own,
            LocalMailbox(MaildirStore(path), account="Old", index=tmp_path / "old.db", clock=CLOCK),
        ]
    )


@pytest.fixture
def organizing(combined: CombinedMailbox) -> MailOrganizing:
    return MailOrganizing(combined)


async def found(
    mail: CombinedMailbox | WritableMaildirMailbox, query: str = ""
) -> dict[str, Email]:
    term = parse_query(query, CLOCK) if query else Query()
    return {email.subject: email for email in await mail.search(term, 50)}


def shown(proposal: Proposal[ChangedEmails]) -> dict[str, tuple[str, ...]]:
    return {line.label: line.values for line in proposal.fields}


async def test_every_email_is_shown_and_none_is_changed_before_the_approval(
    organizing: MailOrganizing, combined: CombinedMailbox
) -> None:
    mails = await found(combined)
    proposal = await organizing.archive_emails([mails["budget"].id, f"mail:{mails['lunch'].id}"])
    assert (proposal.title, proposal.verb) == ("Archive these 2 emails", "Archive")
    assert shown(proposal) == {
        "Will be": ("archived",),
        "Emails (2)": (
            "Ana Silva <ana@example.org> · budget · Friday 20 November 2026, 09:00 · Own",
            "Ana Silva <ana@example.org> · lunch · Friday 20 November 2026, 09:00 · Own",
        ),
    }
    assert [line.sink for line in proposal.fields] == [None, Sink.TARGET]
    assert set(await found(combined, "in:inbox")) == {"budget", "invoice", "lunch", "history"}


async def test_archived_mail_leaves_the_inbox_and_keeps_its_id(
    organizing: MailOrganizing, own: WritableMaildirMailbox, tmp_path: Path
) -> None:
    mail = (await found(own))["budget"]
    result = await (await organizing.archive_emails([mail.id, mail.id])).perform()
    assert to_wire(result) == {"changed": 1, "failed": []}
    assert result.markdown() == "1 email was archived."
    assert set(await found(own, "in:inbox")) == {"invoice", "lunch"}
    assert (await found(own, "in:archive"))["budget"].id == mail.id
    (file,) = (tmp_path / "own/.Archive/cur").iterdir()
    assert file.read_bytes() == make_message("budget")
    back = await organizing.mark_emails([mail.id], add_labels=["INBOX"])
    await back.perform()
    assert (await found(own, "in:inbox"))["budget"].id == mail.id


async def test_deleted_emails_are_in_the_trash_and_never_erased(
    organizing: MailOrganizing, own: WritableMaildirMailbox, tmp_path: Path
) -> None:
    mails = await found(own)
    proposal = await organizing.delete_emails([mail.id for mail in mails.values()])
    assert (proposal.title, proposal.verb) == ("Move these 3 emails to the trash", "Move to trash")
    await proposal.perform()
    await proposal.perform()
    assert await found(own) == {}
    assert {mail.id for mail in (await found(own, "in:trash")).values()} == {
        mail.id for mail in mails.values()
    }
    assert len(list((tmp_path / "own/.Trash/cur").iterdir())) == 3


async def test_flags_are_written_as_other_mail_programs_read_them(
    organizing: MailOrganizing, own: WritableMaildirMailbox, tmp_path: Path
) -> None:
    id = (await found(own))["budget"].id
    proposal = await organizing.mark_emails([id], read=True, starred=True, add_labels=["Receipts"])
    assert proposal.title == "Mark this email"
    assert shown(proposal)["Will be"] == ("marked as read", "starred", "labelled “Receipts”")
    result = await proposal.perform()
    assert result.markdown() == "1 email was marked as read, starred, labelled “Receipts”."
    (flagged,) = [m for m in mailbox.Maildir(tmp_path / "own") if m["Subject"] == "budget"]
    assert flagged.get_flags() == "FSa"
    for query in ("is:starred", "is:read", "label:receipts"):
        assert set(await found(own, query)) == {"budget"}, query
    assert "Receipts" in await own.folders()
    undone = await organizing.mark_emails(
        [id], read=False, starred=False, remove_labels=["receipts"]
    )
    await undone.perform()
    assert not (await found(own, "label:receipts OR is:starred OR is:read"))


async def test_labels_and_flags_are_kept_when_moving(own: WritableMaildirMailbox) -> None:
    id = (await found(own))["budget"].id
    await own.mark([(await found(own))["lunch"].id], EmailChanges(add=("Travel",)))
    await own.mark([id], EmailChanges(read=True, add=("Receipts",)))
    await own.archive([id])
    assert set(await found(own, "in:archive label:receipts is:read")) == {"budget"}
    assert set(await found(own, "label:travel")) == {"lunch"}


async def test_a_read_only_account_fails_for_its_own_emails(
    organizing: MailOrganizing, combined: CombinedMailbox
) -> None:
    mails = await found(combined)
    proposal = await organizing.delete_emails([mails["history"].id, mails["lunch"].id, "nothing"])
    assert len(shown(proposal)["Not changed"]) == 2
    result = await proposal.perform()
    assert (result.changed, [each.id for each in result.failed]) == (
        1,
        [mails["history"].id, "nothing"],
    )
    assert "only reads the mail of Old" in result.markdown()
    assert set(await found(combined)) == {"budget", "invoice", "history"}
    with pytest.raises(ToolError, match="only reads the mail of Old"):
        await organizing.delete_emails([mails["history"].id])


async def test_each_id_is_changed_in_its_account(
    own: WritableMaildirMailbox, tmp_path: Path
) -> None:
    path = filled(tmp_path / "second", "travel")
    second = WritableMaildirMailbox(
        WritableMaildirStore(path), account="Second", index=tmp_path / "2.db", clock=CLOCK
    )
    ids = [(await found(each))[name].id for each, name in ((own, "lunch"), (second, "travel"))]
    both = CombinedMailbox([own, second])
    assert await both.archive(ids) == []
    assert set(await found(own, "in:archive")) == {"lunch"}
    assert set(await found(second, "in:archive")) == {"travel"}
    (unknown,) = await both.trash([*ids, "nothing"])
    assert (unknown.id, unknown.reason) == ("nothing", "That email is not in any account any more.")
    with pytest.raises(ToolError, match="not in any account"):
        await both.trash(["nothing"])


async def test_a_file_moved_by_another_program_is_named_and_the_others_are_changed(
    organizing: MailOrganizing, own: WritableMaildirMailbox, tmp_path: Path
) -> None:
    mails = await found(own)
    proposal = await organizing.delete_emails([mails["lunch"].id, mails["budget"].id])
    (file,) = [f for f in (tmp_path / "own/new").iterdir() if b"lunch" in f.read_bytes()]
    file.unlink()
    result = await proposal.perform()
    assert (result.changed, [each.id for each in result.failed]) == (1, [mails["lunch"].id])


async def test_no_file_is_overwritten(own: WritableMaildirMailbox, tmp_path: Path) -> None:
    (file,) = [f for f in (tmp_path / "own/new").iterdir() if b"lunch" in f.read_bytes()]
    archive = mailbox.Maildir(tmp_path / "own/.Archive", create=True)
    (tmp_path / "own/.Archive/cur" / f"{file.name}:2,").write_bytes(make_message("other"))
    with pytest.raises(ToolError, match="another email of that name"):
        await own.archive([(await found(own))["lunch"].id])
    assert [message["Subject"] for message in archive] == ["other"]
    assert file.exists()


async def test_invalid_labels_are_refused(
    organizing: MailOrganizing, own: WritableMaildirMailbox
) -> None:
    id = (await found(own))["lunch"].id
    for add, remove, reason in (
        ([], [], "Say what to change"),
        (["Trash"], [], "use delete_emails"),
        ([], [" "], "1 to 100 characters"),
        (["a\u202eb"], [], "hidden character"),
    ):
        with pytest.raises(ToolError, match=reason):
            await organizing.mark_emails([id], add_labels=add, remove_labels=remove)
    await own.archive([id])
    with pytest.raises(ToolError, match="is in the folder Archive"):
        await own.mark([id], EmailChanges(remove=("archive",)))


async def test_ids_are_accepted_in_any_form_of_a_reference(
    organizing: MailOrganizing, own: WritableMaildirMailbox
) -> None:
    tool = Tool.of(
        organizing.archive_emails, group="mail", effect=Effect.ACT, sinks={"ids": Sink.TARGET}
    )
    mails = list((await found(own)).values())
    ids = [mail.id for mail in mails]
    for given in (ids, [ids], mails, [mails[0], ids[1:]]):
        assert tool.parse_arguments({"ids": given}) == {"ids": ids}
    assert tool.parse_arguments({"ids": "mail:1"}) == {"ids": ["mail:1"]}
    assert tool.parameters["properties"]["ids"]["type"] == "array"
    wrongs: list[object] = [[], ["x"] * 101, [{}], 5]
    for wrong in wrongs:
        with pytest.raises(ToolError, match="'ids"):
            tool.parse_arguments({"ids": wrong})
