"""Answering: the subject and the thread of a reply."""

import pytest

from tools.mail.compose.replies_and_forwards import ReplyHeaders, reply_headers, reply_subject
from tools.mail.message.parsing import parse


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
    assert reply_subject(subject) == expected


def test_a_reply_has_the_headers_of_its_thread() -> None:
    raw = b"Message-ID: <3@x>\r\nReferences: <1@x>\r\n <2@x> junk\r\n\r\nHi"
    assert reply_headers(parse(raw)) == ReplyHeaders("<3@x>", ("<1@x>", "<2@x>", "<3@x>"))
    assert reply_headers(parse(b"Subject: no id\r\n\r\nHi")) is None
