"""Composing: headers no text can break out of, threads that hold, files that stay the same."""

from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.mail.composing import (
    Answer,
    Letter,
    answer_to,
    answering_subject,
    attached_files,
    checked_subject,
    outward,
)
from tools.mail.parsing import parse
from tools.prose.plain import defused
from tools.recipients import Recipient, parse_recipients
from tools.tool import ToolError

ME = Recipient("Me", "me@example.org")


def letter(**changes: object) -> Letter:
    whole: dict[str, object] = {
        "sender": ME,
        "to": parse_recipients("ana@example.org", "to"),
        "subject": "Hello",
        "body": "Hello",
        "message_id": "<1@example.org>",
        "date": datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")),
        **changes,
    }
    return Letter(**whole)  # type: ignore[arg-type]


def received(made: Letter) -> EmailMessage:
    return message_from_bytes(made.message().as_bytes(), policy=policy.default)


def test_a_letter_carries_what_was_given() -> None:
    got = received(letter(subject="Grüße", body="Käse\nund mehr", cc=(Recipient("", "c@x.org"),)))
    assert (got["From"], got["To"], got["Cc"]) == (
        "Me <me@example.org>",
        "ana@example.org",
        "c@x.org",
    )
    assert (got["Subject"], got["Message-ID"]) == ("Grüße", "<1@example.org>")
    assert got["Date"] == "Sat, 21 Nov 2026 10:30:00 +0100"
    assert got.get_content().replace("\r\n", "\n") == "Käse\nund mehr\n"


def test_long_message_ids_keep_the_thread_together() -> None:
    ids = tuple(f"<{'x' * 90}{number}@mail.example.org>" for number in range(3))
    raw = letter(answer=Answer(ids[-1], ids)).message().as_bytes()
    assert raw.count(b"x" * 90) == 4
    assert b"=?" not in raw


@settings(deadline=None)
@given(
    name=st.text(st.characters(exclude_categories=["Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"])),
    subject=st.text(st.characters(exclude_categories=["Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"])),
)
def test_no_name_or_subject_makes_another_header(name: str, subject: str) -> None:
    got = received(letter(to=(Recipient(name[:60], "ana@example.org"),), subject=subject[:200]))
    assert [address.addr_spec for address in got["To"].addresses] == ["ana@example.org"]
    assert set(got.keys()) == {
        *("From", "To", "Subject", "Date", "Message-ID"),
        *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    }


@pytest.mark.parametrize("subject", ["Hi\r\nBcc: x@evil.example", "a\nb", "a\x00", "\u202eevil"])
def test_a_subject_with_hidden_characters_is_refused(subject: str) -> None:
    with pytest.raises(ToolError, match="'subject'"):
        checked_subject(subject)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Budget", "Re: Budget"),
        ("RE: Re: AW: Budget", "Re: Budget"),
        ("Re[2]: Budget", "Re: Budget"),
        ("re:Budget", "Re: Budget"),
        ("Report: Budget", "Re: Report: Budget"),
        ("", "Re:"),
        ("Re: \u202eBudget", "Re: Budget"),
    ],
)
def test_a_reply_has_one_re(subject: str, expected: str) -> None:
    assert answering_subject(subject) == expected


def test_a_reply_names_the_thread_it_is_in() -> None:
    raw = b"Message-ID: <3@x>\r\nReferences: <1@x>\r\n <2@x> junk\r\n\r\nHi"
    assert answer_to(parse(raw)) == Answer("<3@x>", ("<1@x>", "<2@x>", "<3@x>"))
    assert answer_to(parse(b"Subject: no id\r\n\r\nHi")) is None


def test_references_inside_the_program_go_out_as_text() -> None:
    body = (
        "- **Ana** · [Lunch \\[today\\]](mail:12ab) · now\n  <br>Shall we\\?\n[site](https://x.org)"
    )
    assert outward(body) == "- Ana · Lunch [today] · now\n  Shall we?\n[site](https://x.org)"


def test_what_a_person_wrote_goes_out_as_it_is() -> None:
    assert outward("Look in C:\\*temp*\r\n<br>") == "Look in C:\\*temp*\n<br>"


@pytest.mark.parametrize(
    "text", ["See https://a.example", "Or www.a.example", "[x](mail:9)", "Ana <ana@a.example>"]
)
def test_what_was_kept_from_being_a_link_goes_out_as_it_was_written(text: str) -> None:
    assert defused(text) != text
    assert outward(defused(text)) == text


def test_files_are_attached_with_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "bücher.pdf").write_bytes(b"%PDF-1\r\n\x00")
    files = attached_files([str(tmp_path / "bücher.pdf")])
    (part,) = received(letter(attachments=files)).iter_attachments()
    assert (part.get_filename(), part.get_content_type()) == ("bücher.pdf", "application/pdf")
    assert part.get_content() == b"%PDF-1\r\n\x00"
    assert str(files[0]) == f"{tmp_path}/bücher.pdf (9 bytes)"


def test_a_file_changed_after_it_was_looked_at_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    made = letter(attachments=attached_files([str(tmp_path / "a.txt")]))
    (tmp_path / "a.txt").write_text("two")
    with pytest.raises(ToolError, match="was changed meanwhile"):
        made.message()


@pytest.mark.parametrize("name", ["missing.txt", "", "."])
def test_what_is_no_file_cannot_be_attached(tmp_path: Path, name: str) -> None:
    with pytest.raises(ToolError, match="cannot be attached"):
        attached_files(str(tmp_path / name))


def test_files_that_are_too_large_together_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        with path.open("wb") as file:
            file.truncate(20_000_000)
    with pytest.raises(ToolError, match=r"40\.0 MB together"):
        attached_files([str(path) for path in paths])
