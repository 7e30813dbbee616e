"""The same newsletters from a Gmail account, over the wire."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.google.server import google_server
from tests.tools.mail.gmail.gmail_account import GmailTestAccount
from tests.tools.mail.raw_messages import CLOCK, raw_message
from tests.tools.newsletters.newsletter_emails import issue, mailbox_of
from tools.mail.combined_mailbox import CombinedMailbox
from tools.newsletters.newsletter_tools import NewsDigest, NewsletterTools
from tools.newsletters.newsmail_aggregator import NewsmailAggregator
from tools.tool_errors import ToolError


@pytest.fixture
async def gmail_account(tmp_path: Path) -> AsyncIterator[GmailTestAccount]:
    with google_server() as google:
        made = GmailTestAccount(google, tmp_path)
        google.add_mail(issue("Bridge", at="2026-11-18T09:00", body="The bridge closes."))
        google.add_mail(issue("Cake", at="2026-11-17T09:00"), ["Reading list"])
        google.add_mail(issue("Prize", at="2026-11-19T09:00"), ["SPAM"])
        google.add_mail(raw_message("Please call", at="2026-11-19T10:00"))
        yield made
        await made.close()


async def test_newsletters_are_listed_by_folder(gmail_account: GmailTestAccount) -> None:
    news = NewsmailAggregator(gmail_account.mailbox, CLOCK)
    assert [item.subject for item in await news.get()] == ["Bridge"]
    assert [item.subject for item in await news.get("reading LIST")] == ["Cake"]
    with pytest.raises(ToolError, match='no mailbox "inbox OR in:spam"'):
        await news.get("inbox OR in:spam")
    assert (await news.read_latest()).subject == "Please call"
    health = await news.healthcheck()
    assert health.ok
    assert health.sample is not None


async def test_a_digest_leaves_spam_alone(gmail_account: GmailTestAccount) -> None:
    digest = await NewsletterTools(gmail_account.mailbox, CLOCK).news_digest()
    assert isinstance(digest, NewsDigest)
    assert [email.subject for email in digest.newsletters] == ["Bridge", "Cake"]


async def test_an_account_that_gives_no_answer_is_named_in_the_digest(
    gmail_account: GmailTestAccount, tmp_path: Path
) -> None:
    here = mailbox_of(tmp_path, issue("Ferry", at="2026-11-18T09:00"))
    gmail_account.google.revoke_all()
    both = NewsletterTools(CombinedMailbox([gmail_account.mailbox, here]), CLOCK)
    digest = await both.news_digest()
    assert isinstance(digest, NewsDigest)
    assert [email.subject for email in digest.newsletters] == ["Ferry"]
    assert "*Found 1 newsletter, read 1.* *Not everything was read.* work: " in digest.digest
    nothing = await both.news_digest("today")
    assert isinstance(nothing, NewsDigest)
    assert nothing.digest.startswith("No newsletters since")
    assert "*Not everything was read.* work: " in nothing.digest


async def test_an_account_that_may_not_be_read_is_not_healthy(
    gmail_account: GmailTestAccount,
) -> None:
    gmail_account.google.revoke_all()
    assert not (await NewsmailAggregator(gmail_account.mailbox, CLOCK).healthcheck()).ok
