"""A message of Gmail's API is parsed like the same raw message."""

import base64
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.google import mime
from tests.tools.mail.message.test_parsing import PIECES
from tests.tools.mail.raw_messages import raw_message
from tools.mail.gmail.gmail_message import decode_base64url, parse_gmail_message
from tools.mail.message.parsing import parse


def as_gmail(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message with this payload."""
    return {"id": "1", "threadId": "2", "internalDate": "1763712000000", "payload": payload}


def part(text: bytes, kind: str = "text/plain", **more: Any) -> Mapping[str, Any]:
    """One part, with its Content-Type as a header too."""
    data = base64.urlsafe_b64encode(text).decode()
    headers = [{"name": "Content-Type", "value": kind}]
    body = {"size": len(text), "data": data}
    return {"mimeType": kind.partition(";")[0], "headers": headers, "body": body, **more}


@pytest.mark.parametrize(
    "body",
    [
        "Hello.",
        "Hello.\n\nOn Tue, 3 Nov 2026, Ann <ann@x.org> wrote:\n> What?\n",
        "Grüße 😀 from Köln\n-- \nAnn",
    ],
)
def test_a_text_reads_the_same(body: str) -> None:
    raw = raw_message(
        "=?utf-8?q?Gr=C3=BC=C3=9Fe?=", body=body, Content_Type="text/plain; charset=utf-8"
    )
    read = parse_gmail_message(as_gmail(mime.payload(mime.parsed(raw)))).parsed
    assert (read.content, read.subject) == (parse(raw).content, "Grüße")


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("Grüße".encode(), "text/plain; charset=iso-8859-1", "Grüße"),  # turned into UTF-8
        ("Привет".encode(), "text/plain; charset=windows-1251", "Привет"),
        ("Grüße".encode("latin-1"), "text/plain; charset=iso-8859-1", "Grüße"),  # or left alone
        ("日本".encode("iso-2022-jp"), "text/plain; charset=iso-2022-jp", "日本"),
        (b"a =\nb  \nc", "text/plain; format=flowed", "a =\nb  c"),
    ],
)
def test_a_text_is_decoded_in_its_charset(text: bytes, kind: str, content: str) -> None:
    assert parse_gmail_message(as_gmail(part(text, kind))).parsed.content == content


def test_one_alternative_is_read_and_inline_images_are_no_attachments() -> None:
    told = "Hello <b>you</b> " * 50
    html = part(f'<p><img src="cid:logo"> {told}</p>'.encode(), "text/html")
    logo = {
        "mimeType": "image/png",
        "filename": "logo.png",
        "headers": [{"name": "Content-ID", "value": "<logo>"}],
        "body": {"attachmentId": "a", "size": 5},
    }
    inner = {"mimeType": "multipart/related", "parts": [html, logo]}
    both = {"mimeType": "multipart/alternative", "parts": [part(b"See the HTML"), inner]}
    bill = {"mimeType": "application/pdf", "filename": "a/b\\bill.pdf", "body": {"size": 7}}
    read = parse_gmail_message(
        as_gmail({"mimeType": "multipart/mixed", "parts": [both, bill]})
    ).parsed
    assert read.content.startswith("Hello you")
    assert [(file.name, file.size) for file in read.attachments] == [("bill.pdf", 7)]


def test_an_attached_message_is_a_file_and_not_text() -> None:
    along = {
        "mimeType": "message/rfc822",
        "filename": "note.eml",
        "body": {"attachmentId": "a", "size": 900},
        "parts": [part(b"Inner words")],
    }
    outer = {"mimeType": "multipart/mixed", "parts": [part(b"Outer words"), along]}
    read = parse_gmail_message(as_gmail(outer)).parsed
    assert read.content == "Outer words"
    assert [file.name for file in read.attachments] == ["note.eml"]


def test_a_name_with_a_comma_stays_one_name() -> None:
    headers = [
        {"name": "From", "value": "Möller, Jürgen <jm@x.org>"},
        {"name": "To", "value": "Ann <ann@x.org>, Ärger, Bo <bo@x.org>, cy@x.org"},
    ]
    read = parse_gmail_message(as_gmail({**part(b"x"), "headers": headers})).parsed
    assert str(read.sender) == "Möller, Jürgen <jm@x.org>"
    assert [one.address for one in read.addresses("to")] == ["ann@x.org", "bo@x.org", "cy@x.org"]


def test_an_omitted_text_is_a_problem() -> None:
    read = parse_gmail_message(
        as_gmail({"mimeType": "text/plain", "body": {"size": 9_000_000}})
    ).parsed
    assert "too long" in read.problem


def test_too_many_or_too_deeply_nested_parts_are_a_problem() -> None:
    deep: Mapping[str, Any] = part(b"deep")
    for _ in range(100):
        deep = {"mimeType": "multipart/mixed", "parts": [deep]}
    assert "too deeply" in parse_gmail_message(as_gmail(deep)).parsed.problem
    many = {"mimeType": "multipart/mixed", "parts": [part(b"x")] * 1_000}
    assert "too many" in parse_gmail_message(as_gmail(many)).parsed.problem


@pytest.mark.parametrize(
    "given_",
    [
        {},
        {"id": "1"},
        {"id": "1", "threadId": "2", "internalDate": "soon", "payload": {}},
        as_gmail({"headers": [{"name": "From"}]}),
        as_gmail({"headers": 5}),
        as_gmail({"mimeType": "multipart/mixed", "parts": [5]}),
    ],
)
def test_invalid_messages_are_refused(given_: Mapping[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a message"):
        parse_gmail_message(given_)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_any_message_can_be_parsed(raw: bytes) -> None:
    read = parse_gmail_message(as_gmail(mime.payload(mime.parsed(raw)))).parsed
    assert isinstance(f"{read.content}{read.subject}{read.sender}{read.problem}", str)
    assert all(file.size >= 0 for file in read.attachments)


@settings(deadline=None)
@given(st.binary())
def test_base64_is_read_with_and_without_padding(content: bytes) -> None:
    padded = base64.urlsafe_b64encode(content)
    assert decode_base64url(padded) == decode_base64url(padded.rstrip(b"=")) == content
