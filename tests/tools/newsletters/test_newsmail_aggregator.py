import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tools.mail.raw_messages import CLOCK, raw_message
from tests.tools.newsletters.newsletter_emails import issue, mailbox_of
from tools.mail.local.mailbox import LocalMailbox
from tools.newsletters.newsmail_aggregator import NewsmailAggregator
from tools.tool import Tool, to_wire
from tools.tool_errors import ToolError

FIELDS = ["id", "thread_id", "internal_date_unix", "from", "subject", "date", "snippet"]
EIGHT_HOURS = 8 * 3600


@pytest.fixture
def mailbox(tmp_path: Path) -> LocalMailbox:
    return mailbox_of(
        tmp_path,
        *(issue(f"Issue {day}", at=f"2026-11-{day}T09:00") for day in range(14, 21)),
        raw_message("Not a newsletter", at="2026-11-20T10:00", body="Dear  you,\nhello."),
    )


async def _call(own: LocalMailbox, name: str, /, *, configured: int = 0, **arguments: Any) -> Any:
    """Return the result for another program."""
    news = NewsmailAggregator(own, CLOCK, configured)
    tools = {one.name: one for one in map(_tool, (news.read_latest, news.get, news.healthcheck))}
    tool = tools[name]
    return to_wire(await tool.call(**tool.parse_arguments(arguments)))


def _tool(call: Any) -> Tool:
    return Tool.of(call, group="newsmail_aggregator")


def _subjects(items: list[Mapping[str, Any]]) -> list[str]:
    return [item["subject"] for item in items]


async def test_the_newest_mail_is_given_in_short(mailbox: LocalMailbox) -> None:
    item = await _call(mailbox, "read_latest")
    assert list(item) == FIELDS
    assert (item["subject"], item["snippet"]) == ("Not a newsletter", "Dear you, hello.")
    assert item["from"] == "Ann Ash <ann@x.org>"
    assert item["date"] == "Fri, 20 Nov 2026 10:00:00 +0100"
    assert item["internal_date_unix"] == 1795165200


async def test_the_newest_match_of_a_query_is_given(mailbox: LocalMailbox) -> None:
    item = await _call(mailbox, "read_latest", query="subject:issue before:2026-11-17")
    assert item["subject"] == "Issue 16"


async def test_no_match_is_an_error(mailbox: LocalMailbox) -> None:
    with pytest.raises(ToolError, match=r"^no messages found$"):
        await _call(mailbox, "read_latest", query="subject:nothing")


async def test_newsletters_are_listed_newest_first(mailbox: LocalMailbox) -> None:
    items = await _call(mailbox, "get")
    assert _subjects(items) == [f"Issue {day}" for day in range(20, 13, -1)]
    assert all(list(item) == FIELDS for item in items)


async def test_the_time_limit_comes_before_the_count(mailbox: LocalMailbox) -> None:
    assert _subjects(await _call(mailbox, "get", n_last=2)) == ["Issue 20", "Issue 19"]
    assert _subjects(await _call(mailbox, "get", n_last=2, tsec_last=EIGHT_HOURS)) == ["Issue 20"]


async def test_no_seconds_switch_a_configured_limit_off(mailbox: LocalMailbox) -> None:
    limited = await _call(mailbox, "get", configured=EIGHT_HOURS)
    assert _subjects(limited) == ["Issue 20"]
    assert len(await _call(mailbox, "get", configured=EIGHT_HOURS, tsec_last=0)) == 7
    assert len(await _call(mailbox, "get", configured=EIGHT_HOURS, tsec_last=2 * 86400)) == 2


async def test_as_many_as_asked_for_are_found_behind_other_mail(tmp_path: Path) -> None:
    letters = [raw_message(f"Letter {number}", at="2026-11-20T09:00") for number in range(160)]
    mailbox = mailbox_of(tmp_path, *letters, issue("Old", at="2026-10-01T09:00"))
    assert _subjects(await _call(mailbox, "get", n_last=1)) == ["Old"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"n_last": 0}, "'n_last'"),
        ({"n_last": 101}, "'n_last'"),
        ({"n_last": "5"}, "'n_last'"),
        ({"n_last": True}, "'n_last'"),
        ({"n_last": 2.5}, "'n_last'"),
        ({"tsec_last": -1}, "'tsec_last'"),
        ({"tsec_last": "an hour"}, "'tsec_last'"),
        ({"mailbox": 5}, "'mailbox'"),
        ({"mail_box": "inbox"}, "'mail_box'"),
    ],
)
async def test_a_mistyped_argument_is_named(
    mailbox: LocalMailbox, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(ToolError, match=named):
        await _call(mailbox, "get", **arguments)


@pytest.mark.parametrize("action", ["get", "healthcheck"])
@pytest.mark.parametrize(
    "name",
    ["inbox OR in:sent", 'inbox" from:ann "', "{inbox sent}", "unread", "nowhere", "in:inbox"],
)
async def test_a_mailbox_is_a_name_and_no_query(
    mailbox: LocalMailbox, action: str, name: str
) -> None:
    with pytest.raises(ToolError, match="There is no mailbox"):
        await _call(mailbox, action, mailbox=name)


async def test_another_mailbox_can_be_named_in_any_case(tmp_path: Path) -> None:
    mailbox = mailbox_of(tmp_path, issue("Kept"), place=".Reading list")
    assert await _call(mailbox, "get") == []
    assert _subjects(await _call(mailbox, "get", mailbox="READING LIST")) == ["Kept"]


async def test_a_healthy_mailbox_answers_with_a_sample(mailbox: LocalMailbox) -> None:
    health = await _call(mailbox, "healthcheck")
    assert (health["ok"], health["filter"]) == (True, "in:inbox newsletter")
    assert health["sample"]["subject"] == "Issue 20"


async def test_a_mailbox_without_newsletters_is_healthy_too(tmp_path: Path) -> None:
    mailbox = mailbox_of(tmp_path, raw_message("Hello"))
    health = await _call(mailbox, "healthcheck", mailbox="Inbox")
    assert health == {"ok": True, "filter": "in:Inbox newsletter", "sample": None}


async def test_a_mailbox_that_does_not_answer_is_not_healthy(
    mailbox: LocalMailbox, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "mail")
    health = await _call(mailbox, "healthcheck")
    assert health == {"ok": False, "filter": "in:inbox newsletter", "sample": None}
    with pytest.raises(ToolError):
        await _call(mailbox, "get")
