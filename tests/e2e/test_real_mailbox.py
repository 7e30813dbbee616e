"""The main requests on a real mailbox of 6,046 messages, as Maildir and as mbox."""

import email
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Literal

import docx
import pytest

from assistant.agent import await_reply
from assistant.runs.reply import Reply
from assistant.runs.request import Request
from assistant.workspace import Workspace
from tests import corpora
from tests.assistant.scripted import ScriptedApprover
from tools.moments.clock import fixed_clock

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def messages() -> list[Path]:
    try:
        return corpora.spam_assassin()
    except corpora.MissingCorpusError as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def busy_hour(messages: list[Path]) -> datetime:
    """A moment in whose past hour mail came, by the standard library's reading of the dates."""
    dates = []
    for path in messages:
        try:
            found = parsedate_to_datetime(email.message_from_bytes(path.read_bytes())["Date"])
        except (TypeError, ValueError):
            continue
        dates.append(found if found.tzinfo else found.replace(tzinfo=UTC))
    return sorted(dates)[len(dates) // 2] + timedelta(minutes=1)


@pytest.fixture(params=["maildir", "mbox"])
async def workspace(
    request: pytest.FixtureRequest, messages: list[Path], busy_hour: datetime, tmp_path: Path
) -> AsyncIterator[Workspace]:
    kind: Literal["maildir", "mbox"] = request.param
    if kind == "maildir":
        path = corpora.as_maildir(messages, tmp_path / "mail")
    else:
        path = corpora.as_mbox((each.read_bytes() for each in messages), tmp_path / "mail.mbox")
    clock = fixed_clock(busy_hour)
    fresh = Workspace.open(tmp_path / "profile", clock=clock, environment={})
    fresh.accounts.connect_files(kind, path)
    await fresh.close()
    connected = Workspace.open(tmp_path / "profile", clock=clock, environment={})
    yield connected
    await connected.close()


async def _ask(workspace: Workspace, text: str) -> Reply:
    return (
        await await_reply(workspace.agent.run(Request(text), ScriptedApprover(answer=False)))
    ).reply


async def test_the_main_requests_are_answered_from_real_mail(workspace: Workspace) -> None:
    read = await _ask(workspace, "Read my latest 5 emails")
    assert (read.status, read.details.count("](mail:")) == ("success", 5)

    summary = await _ask(workspace, "Summarize emails from the past hour")
    assert summary.status == "success"
    assert "](mail:" in summary.details

    report = await _ask(workspace, "Read the latest 10 emails, summarize them, and create a report")
    assert report.status == "success"
    (artifact,) = report.artifacts
    assert docx.Document(artifact).paragraphs

    found = await _ask(workspace, "Search my emails for perl")
    assert found.status == "success"
    assert "](mail:" in found.details
