from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.mail.message.headers import EPOCH, message_date
from tools.mail.message.parsing import ParsedMessage, parse

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
YEAR_2000 = datetime(2000, 1, 1, tzinfo=UTC)


def read_everything(message: ParsedMessage) -> tuple[object, ...]:
    return (
        message.sender,
        message.addresses("to"),
        message.addresses("cc"),
        message.subject,
        message_date(message.headers, stored=NOW, latest=NOW),
        message.content,
        message.searchable_text,
        message.attachments,
        message.problem,
    )


def dated(headers: bytes, stored: datetime = YEAR_2000) -> datetime:
    return message_date(parse(headers + b"\n\nHello").headers, stored=stored, latest=NOW)


@settings(deadline=None)
@given(st.binary(max_size=3_000))
def test_any_bytes_can_be_parsed(raw: bytes) -> None:
    read_everything(parse(raw))


PIECES = [
    b"Content-Type: multipart/mixed; boundary=x\n",
    b"Content-Type: text/html; charset=utf-7\n",
    b"Content-Type: text/plain; name*0*=\"utf-8''a%C3; name*1=b\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Disposition: attachment; filename=../../etc/passwd\n",
    b'From: =?utf-8?B?w7xi?= <a@b.c>, "x\\\n',
    b"Subject: =?x?q?=FF?= =?utf-8?b?!!!?=\n",
    b"Date: Thu, 99 Foo 20026 99:99:99 +9999\n",
    b"Received: from a; \n",
    *(b"\n", b"--x\n", b"--x--\n", b"<p><a href='http://[x'>y<table><td>z", b"=ZZ", b"> q\n"),
    *(b"On 1 Jan, a@b wrote:\n", b"-- \n", b"\xff\xfe\x00", b"\r\n"),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=20), max_size=30))
def test_any_heap_of_broken_mail_can_be_parsed(pieces: list[bytes]) -> None:
    read_everything(parse(b"".join(pieces)))


def test_an_empty_file_has_a_problem() -> None:
    assert parse(b"").problem == "This message is empty."


def test_a_message_without_headers_is_all_text() -> None:
    assert parse(b"Just a note.\nNothing else.").content == "Just a note.\nNothing else."


def test_a_missing_blank_line_after_the_headers_is_tolerated() -> None:
    message = parse(b"Subject: Lunch\nSee you at noon, and bring bread\nThanks")
    assert (message.subject, message.content) == (
        "Lunch",
        "See you at noon, and bring bread\nThanks",
    )


def test_a_malformed_header_line_is_skipped() -> None:
    message = parse(b"From: a@b.c\nthis is no field\nSubject: Lunch\n\nHello")
    assert (message.subject, message.content) == ("Lunch", "Hello")


def test_encoded_words_are_decoded_and_joined() -> None:
    raw = b"Subject: =?utf-8?Q?Gr=C3=BC?=\n =?utf-8?B?w59l?= from =?iso-8859-1*de?q?K=F6ln?=\n\n"
    assert parse(raw).subject == "Grüße from Köln"


def test_a_character_split_over_encoded_words_is_joined() -> None:
    assert parse(b"Subject: =?utf-8?B?w7?= =?utf-8?Q?=BCx?=\n\n").subject[-1] == "x"
    assert parse(b"Subject: =?utf-8?Q?=C3?= =?utf-8?Q?=BCx?=\n\n").subject == "üx"


def test_bidirectional_controls_are_removed_from_headers() -> None:
    raw = "Subject: invoice \u202efdp.exe\n\n".encode()
    assert parse(raw).subject == "invoice fdp.exe"


def test_unknown_and_wrong_charsets_are_decoded_best_effort() -> None:
    head = b"Content-Type: text/plain; charset=%s\n\n"
    assert parse(head % b"klingon" + "Grüße".encode()).content == "Grüße"
    assert parse(head % b"us-ascii" + "Grüße".encode("latin-1")).content == "Grüße"
    assert parse(head % b"utf-8" + "Grüße".encode("latin-1")).content == "Gr��e"
    assert parse(head % b"punycode" + b"hello").content == "hello"


def test_addresses_are_parsed_in_all_forms() -> None:
    raw = (
        b'To: "Doe, Jane" <jane@x.org>, bob@x.org (Bob B.), Team: a@x.org, b@x.org;,\n'
        b" =?utf-8?Q?J=C3=BCrgen?= <j@x.org>, undisclosed-recipients:;\n\n"
    )
    assert [str(person) for person in parse(raw).addresses("to")] == [
        "Doe, Jane <jane@x.org>",
        "Bob B. <bob@x.org>",
        "a@x.org",
        "b@x.org",
        "Jürgen <j@x.org>",
    ]


def test_a_plausible_date_keeps_its_offset() -> None:
    moment = dated(b"Date: Thu, 22 Aug 2002 18:26:25 +0700 (ICT)")
    assert moment.isoformat() == "2002-08-22T18:26:25+07:00"


def test_an_implausible_date_is_replaced_by_the_date_of_receipt() -> None:
    received = b"\nReceived: from a by b; Thu, 22 Aug 2002 18:26:25 +0000"
    for absurd in (b"Date: Fri, 1 Jan 2099 00:00:00 +0000", b"Date: yesterday", b"Date:"):
        assert dated(absurd + received).year == 2002


def test_without_a_date_the_date_of_the_file_is_used() -> None:
    assert dated(b"Subject: x") == YEAR_2000
    assert dated(b"Subject: x", stored=EPOCH) == EPOCH


def test_plain_text_is_preferred() -> None:
    body = b"The plain text says all that there is to say about the meeting on Thursday at noon."
    assert parse(alternative(body, b"<p>HTML</p>")).content == body.decode()


def test_plain_text_that_only_points_to_the_html_is_skipped() -> None:
    html = b"<p>" + b"Real content. " * 40 + b"</p>"
    assert parse(alternative(b"See HTML.", html)).content.startswith("Real content.")


def alternative(plain: bytes, html: bytes) -> bytes:
    return (
        b"Content-Type: multipart/alternative; boundary=b\n\n"
        b"--b\nContent-Type: text/plain\n\n" + plain + b"\n"
        b"--b\nContent-Type: text/html\n\n" + html + b"\n--b--\n"
    )


def test_attachments_are_listed_with_name_type_and_decoded_size() -> None:
    raw = (
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n"
        b"--b\nContent-Type: application/pdf; name=plan.pdf\n"
        b"Content-Disposition: attachment; filename*=utf-8''%C3%BCber%2Fplan.pdf\n"
        b"Content-Transfer-Encoding: base64\n\nSGVsbG8g\nd29ybGQ=\n--b--\n"
    )
    (attachment,) = parse(raw).attachments
    assert (attachment.name, attachment.type, attachment.size) == (
        "plan.pdf",
        "application/pdf",
        11,
    )


def test_an_embedded_image_is_no_attachment() -> None:
    raw = (
        b"Content-Type: multipart/related; boundary=b\n\n"
        b"--b\nContent-Type: text/html\n\n<img src='cid:logo'>Hi\n"
        b"--b\nContent-Type: image/png; name=logo.png\nContent-ID: <logo>\n\nx\n"
        b"--b\nContent-Type: image/png; name=photo.png\nContent-ID: <photo>\n\nx\n--b--\n"
    )
    assert [file.name for file in parse(raw).attachments] == ["photo.png"]


def test_an_attached_message_is_named_by_its_subject() -> None:
    raw = (
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below\n"
        b"--b\nContent-Type: message/rfc822\n\nSubject: Old news\n\nBody\n--b--\n"
    )
    message = parse(raw)
    assert message.content == "See below"
    assert [file.name for file in message.attachments] == ["Old news.eml"]


def test_a_malformed_multipart_is_read() -> None:
    head = b"Content-Type: multipart/mixed; boundary=b\n\n"
    assert parse(head + b"No boundary ever comes").content == "No boundary ever comes"
    assert parse(head + b"--b\n\nCut off in the mid").content == "Cut off in the mid"
    assert parse(b"Content-Type: multipart/mixed\n\nNo boundary named").content


def test_an_encrypted_email_has_a_problem() -> None:
    raw = b"Content-Type: multipart/encrypted; boundary=b\n\n--b\n\nVersion: 1\n--b--\n"
    assert "encrypted" in parse(raw).problem


def test_flowed_lines_are_joined() -> None:
    raw = b"Content-Type: text/plain; format=flowed\n\nOne long \nline.\nAnother.\n"
    assert parse(raw).content == "One long line.\nAnother."


# What follows took ordinary parsers minutes; without a limit these tests would not come to an end.


def nested(depth: int) -> bytes:
    heads = (
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number)
        for number in range(depth)
    )
    return b"".join(heads) + b"\nThe end"


def test_a_thousand_nested_parts_are_a_problem() -> None:
    message = parse(nested(1_000))
    read_everything(message)
    assert "nested too deeply" in message.problem


def test_ten_thousand_parts_are_a_problem() -> None:
    raw = b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 10_000
    message = parse(raw)
    read_everything(message)
    assert "too many parts" in message.problem


def test_twenty_thousand_encoded_words_are_limited() -> None:
    words = b" ".join(b"=?utf-8?Q?w%d?=" % number for number in range(20_000))
    message = parse(b"Subject: " + words + b"\nTo: " + words + b" <a@b.c>\n\nHello")
    read_everything(message)
    assert len(message.subject) <= 1_000


def test_twenty_thousand_addresses_are_limited() -> None:
    people = b", ".join(b'"P %d" <p%d@x.org>' % (number, number) for number in range(20_000))
    assert len(parse(b"To: " + people + b"\n\nHello").addresses("to")) == 500


def test_unbalanced_quotes_and_brackets_are_read_once() -> None:
    for piece in (b'"\\', b"(\\", b"<(", b'"', b"=?x?q?", b'a="\\";'):
        raw = b"To: " + piece * 30_000 + b"\nSubject: " + piece * 30_000
        raw += b"\nContent-Type: text/plain; " + piece * 30_000 + b"\n\n" + piece * 30_000
        read_everything(parse(raw))


@pytest.mark.slow
def test_deeply_nested_html_is_read_without_recursion() -> None:
    raw = b"Content-Type: text/html\n\n" + b"<div>" * 100_000 + b"deep"
    read_everything(parse(raw))


def test_too_many_header_lines_are_a_problem() -> None:
    message = parse(b"X-A: b\n" * 50_000 + b"\nHello")
    read_everything(message)
    assert "header" in message.problem


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (
            b"List-Id: =?utf-8?q?Caf=C3=A9?= News <news.cafe.example>",
            "Café News <news.cafe.example>",
        ),
        (b"List-Unsubscribe: <https://x.example/u>", "Shop <shop@x.example>"),
        (b"List-Id: <a.x.example>\nList-Unsubscribe: <https://x.example/u>", "<a.x.example>"),
        (b"Subject: only a letter", ""),
    ],
)
def test_a_mailing_list_is_detected_by_its_id_or_unsubscribe_header(
    headers: bytes, expected: str
) -> None:
    message = parse(b"From: Shop <shop@x.example>\n" + headers + b"\n\nHello")
    assert message.mailing_list == expected
