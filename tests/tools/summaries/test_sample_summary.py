"""The summary of the sample mailbox at a fixed time."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.mail_reading import MailReading
from tools.moments.clock import fixed_clock
from tools.sample import install_sample
from tools.summaries.summary_tools import Summary, SummaryTools


@pytest.fixture
async def summary(tmp_path: Path) -> Summary:
    clock = fixed_clock(datetime(2026, 11, 19, 15, 0, tzinfo=UTC))
    sample = install_sample(tmp_path / "sample", clock)
    mailbox = LocalMailbox(
        MaildirStore(sample.mail),
        account="Sample",
        index=tmp_path / "index.db",
        clock=clock,
        address=sample.address,
    )
    try:
        emails = await MailReading(mailbox, clock).read_latest_emails(50)
    finally:
        await mailbox.close()
    made = await SummaryTools(clock).summarize_emails(emails)
    assert isinstance(made, Summary)
    return made


async def test_every_line_leads_to_a_mail_that_was_summarised(summary: Summary) -> None:
    lines = [line for line in summary.summary.splitlines() if line.startswith("- **")]
    known = {email.id for email in summary.emails_summarized}
    linked = [re.findall(r"\(mail:([^)]+)\)", line) for line in lines]
    assert len(lines) > 10
    assert all(linked)
    assert {id for ids in linked for id in ids} <= known


async def test_requests_come_before_news_and_the_trap_is_not_among_them(summary: Summary) -> None:
    needs, _, rest = summary.summary.partition("### Newsletters and notices")
    assert needs.index("### Needs you") < needs.index("### Worth knowing")
    assert "by tomorrow noon" in needs.partition("### Worth knowing")[0]
    assert "account will be suspended" not in needs
    assert "**careful**: a link says" in rest
