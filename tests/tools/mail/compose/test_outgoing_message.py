"""Composing: headers no text can break out of, threads that hold, files that stay the same."""

from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.mail.compose.mime_message import write_mime
from tools.mail.compose.outgoing_attachments import read_attachments
from tools.mail.compose.outgoing_message import OutgoingMessage, check_subject, plain_text_body
from tools.mail.compose.replies_and_forwards import ReplyHeaders
from tools.prose.markdown_sanitizer import sanitize_markdown
from tools.recipients import Recipient, parse_recipients
from tools.tool_errors import ToolError

ME = Recipient("Me", "me@example.org")


def make_message(**changes: object) -> OutgoingMessage:
    whole: dict[str, object] = {
        "sender": ME,
        "to": parse_recipients("ana@example.org", "to"),
        "subject": "Hello",
        "body": "Hello",
        "message_id": "<1@example.org>",
        "date": datetime(2026, 11, 21, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")),
        **changes,
    }
    return OutgoingMessage(**whole)  # type: ignore[arg-type]


def received(made: OutgoingMessage) -> EmailMessage:
    return message_from_bytes(write_mime(made).as_bytes(), policy=policy.default)


def test_a_message_has_the_given_headers_body_and_attachments() -> None:
    got = received(
        make_message(subject="Grüße", body="Käse\nund mehr", cc=(Recipient("", "c@x.org"),))
    )
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
    raw = write_mime(make_message(reply_headers=ReplyHeaders(ids[-1], ids))).as_bytes()
    assert raw.count(b"x" * 90) == 4
    assert b"=?" not in raw


@settings(deadline=None)
@given(
    name=st.text(st.characters(exclude_categories=["Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"])),
    subject=st.text(st.characters(exclude_categories=["Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"])),
)
def test_no_name_or_subject_adds_a_header(name: str, subject: str) -> None:
    got = received(
        make_message(to=(Recipient(name[:60], "ana@example.org"),), subject=subject[:200])
    )
    assert [address.addr_spec for address in got["To"].addresses] == ["ana@example.org"]
    assert set(got.keys()) == {
        *("From", "To", "Subject", "Date", "Message-ID"),
        *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    }


@pytest.mark.parametrize("subject", ["Hi\r\nBcc: x@evil.example", "a\nb", "a\x00", "\u202eevil"])
def test_a_subject_with_hidden_characters_is_refused(subject: str) -> None:
    with pytest.raises(ToolError, match="'subject'"):
        check_subject(subject)


def test_internal_references_are_sent_as_text() -> None:
    body = (
        "- **Ana** · [Lunch \\[today\\]](mail:12ab) · now\n  <br>Shall we\\?\n[site](https://x.org)"
    )
    assert (
        plain_text_body(body) == "- Ana · Lunch [today] · now\n  Shall we?\n[site](https://x.org)"
    )


def test_text_of_the_user_is_sent_unchanged() -> None:
    assert plain_text_body("Look in C:\\*temp*\r\n<br>") == "Look in C:\\*temp*\n<br>"


@pytest.mark.parametrize(
    "text", ["See https://a.example", "Or www.a.example", "[x](mail:9)", "Ana <ana@a.example>"]
)
def test_escaped_links_are_sent_as_written(text: str) -> None:
    assert sanitize_markdown(text) != text
    assert plain_text_body(sanitize_markdown(text)) == text


def test_a_file_changed_after_its_inspection_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    made = make_message(attachments=read_attachments([str(tmp_path / "a.txt")]))
    (tmp_path / "a.txt").write_text("two")
    with pytest.raises(ToolError, match="was changed since"):
        write_mime(made)
