import io
from typing import Any

import pytest

from assistant.cli.terminal import (
    ApprovalRule,
    TerminalApprover,
    escape_control_characters,
    format_proposal,
    format_reply,
)
from assistant.runs.reply import Reply
from tools.proposal import Proposal, ProposalField, Sink


class Terminal(io.StringIO):
    """A source of lines that says it is a terminal."""

    def isatty(self) -> bool:
        return True


async def _perform() -> None:
    raise AssertionError("only the agent performs")


PROPOSAL: Proposal[Any] = Proposal(
    "Send this email",
    "Send",
    (
        ProposalField("To", ("a@b.example", "c@d.example"), Sink.RECIPIENT),
        ProposalField("Subject", ("Hi",)),
    ),
    "Dear all,\n\x1b[2Jbye",
    _perform,
)


@pytest.mark.parametrize(
    ("rule", "source", "expected"),
    [
        ("all", io.StringIO(""), True),
        ("none", Terminal("y\n"), False),
        ("ask", Terminal("y\n"), True),
        ("ask", Terminal(" YES \n"), True),
        ("ask", Terminal("\n"), False),
        ("ask", Terminal(""), False),
        ("ask", io.StringIO("y\n"), False),
    ],
)
async def test_only_a_yes_at_a_terminal_or_the_rule_approves(
    rule: ApprovalRule, source: io.StringIO, expected: bool
) -> None:
    approver = TerminalApprover(rule, source, io.StringIO())
    assert await approver.approve(PROPOSAL) is expected


async def test_the_question_shows_every_value_and_the_whole_body() -> None:
    screen = io.StringIO()
    await TerminalApprover("ask", Terminal("n\n"), screen).approve(PROPOSAL)
    for shown in ("Send this email", "To: a@b.example", "To: c@d.example", "Dear all,", "Send?"):
        assert shown in screen.getvalue()


def test_a_mail_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in format_proposal(PROPOSAL)
    assert escape_control_characters("a\u202eb\x07\tc\n") == "a<U+202E>b<U+0007>\tc\n"


def test_without_a_terminal_the_refusal_says_how_to_approve() -> None:
    approver = TerminalApprover("ask", io.StringIO(), io.StringIO())
    assert "--approve all" in approver.refusal
    assert TerminalApprover("ask", Terminal(), io.StringIO()).refusal == "you declined it"


def test_a_reply_reads_as_paragraphs_with_its_status_as_a_sign() -> None:
    text = format_reply(Reply("Done.", "- one", ("a.docx", "mail:1"), "partial_success"))
    assert text == "◐ Done.\n\n- one\n\n→ a.docx\n→ mail:1"


def test_details_read_without_markup_in_a_terminal() -> None:
    details = "- **Ada** · [Re: \\[x\\] \\*y\\*](mail:1f) · 3 \\> 2  \n  [site](https://a.example)"
    text = format_reply(Reply("Here is **one**.", details))
    assert text == ("✓ Here is one.\n\n- Ada · Re: [x] *y* · 3 > 2\n  [site](https://a.example)")
