"""A workspace on the sample, put together as the program does it."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.agent import await_reply
from assistant.planners.planner import FixedPlanner
from assistant.quick_commands import available_commands
from assistant.runs.reply import Reply
from assistant.runs.request import Request
from assistant.workspace import Workspace
from tests.assistant.scripted import ScriptedApprover
from tools.mail.search.query import InFolder, Query
from tools.moments.clock import fixed_clock
from tools.sample import reset_sample
from tools.tool import Effect
from tools.tool_errors import ToolError

NOW = fixed_clock(datetime(2026, 11, 20, 10, 30, tzinfo=ZoneInfo("Europe/Berlin")))


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    opened = Workspace.open(tmp_path / "profile", clock=NOW, environment={})
    yield opened
    await opened.close()


async def _ask(workspace: Workspace, text: str, approver: ScriptedApprover) -> Reply:
    return (await await_reply(workspace.agent.run(Request(text), approver))).reply


async def test_every_tool_that_acts_declares_where_values_have_consequences(
    workspace: Workspace,
) -> None:
    acting = {name: tool for name, tool in workspace.tools.items() if tool.effect is Effect.ACT}
    assert set(acting) == {
        "compose_email",
        "reply_to_email",
        "forward_email",
        "sendEmail",
        "archive_emails",
        "mark_emails",
        "delete_emails",
        "create_calendar_event",
        "update_calendar_event",
        "delete_calendar_event",
    }
    assert all(tool.sinks for tool in acting.values())


async def test_the_quick_commands_are_understood(workspace: Workspace) -> None:
    commands = available_commands(workspace.tools)
    assert [command.name for command in commands] == [
        "latest-mail",
        "past-hour",
        "news-digest",
        "agenda",
    ]
    for command in commands:
        reply = await _ask(workspace, command.request, ScriptedApprover(answer=False))
        assert reply.status == "success", command


async def test_an_event_is_proposed_in_full_and_then_stands_in_the_agenda(
    workspace: Workspace,
) -> None:
    approver = ScriptedApprover()
    reply = await _ask(workspace, "Put lunch with my sister on Thursday at noon", approver)
    assert reply.status == "success"
    (proposal,) = approver.asked
    shown = " ".join(value for line in proposal.fields for value in line.values)
    assert "Thursday 26 November 2026, 12:00" in shown
    assert "Europe/Berlin" in shown
    agenda = await _ask(workspace, "What's on my calendar on Thursday?", approver)
    assert "Lunch with my sister" in agenda.details


async def test_an_event_is_moved_renamed_and_cancelled_in_plain_words(
    workspace: Workspace,
) -> None:
    yes = ScriptedApprover()
    await _ask(workspace, "Put lunch with my sister on Thursday at noon", yes)
    moved = await _ask(workspace, "Move lunch with my sister on Thursday to Wednesday at 1pm", yes)
    assert moved.message.startswith("Event updated successfully: Lunch with my sister (ID: ")
    await _ask(workspace, "Rename Wednesday's lunch with my sister to Brunch", yes)
    agenda = await _ask(workspace, "What's on my calendar on Wednesday?", yes)
    assert "13:00 to 14:00: [Brunch]" in agenda.details
    gone = await _ask(workspace, "Cancel my brunch on Wednesday", yes)
    assert gone.message.startswith("Event deleted successfully: Brunch (ID: ")
    (*_, proposal) = yes.asked
    shown = {line.label: line.values[0] for line in proposal.fields}
    assert shown["When"] == "Wednesday 25 November 2026, 13:00 to 14:00 (Europe/Berlin)"
    again = await _ask(workspace, "Cancel my brunch on Wednesday", yes)
    assert (again.status, again.message) == ("info", "No events found matching your criteria.")


async def test_where_several_events_fit_the_user_says_which(workspace: Workspace) -> None:
    yes = ScriptedApprover()
    for day in ("Thursday", "Wednesday"):
        await _ask(workspace, f"Put brunch with my sister on {day} at noon", yes)
    reply = await _ask(workspace, "Cancel brunch with my sister", yes)  # to what? to neither
    assert reply.status == "info"
    second = ScriptedApprover(choice=1)
    reply = await _ask(workspace, "Cancel brunch with my sister", second)
    assert reply.message.startswith("Event deleted successfully: Brunch with my sister")
    whens = [
        line.values[0] for each in second.asked for line in each.fields if line.label == "When"
    ]
    assert [when.split()[0] for when in whens] == ["Wednesday", "Thursday"]
    left = await _ask(workspace, "What's on my calendar this week?", yes)
    later = await _ask(workspace, "What's on my calendar next week?", yes)
    assert (left.details + later.details).count("Brunch with my sister") == 1


async def test_artifacts_of_replies_can_be_previewed(workspace: Workspace) -> None:
    read = await _ask(workspace, "Read my latest 3 emails", ScriptedApprover())
    mail = read.details.partition("](")[2].partition(")")[0]
    assert "**From**" in await workspace.providers.preview(mail)
    agenda = await _ask(workspace, "What is on my calendar this week?", ScriptedApprover())
    references = [part.partition(")")[0] for part in agenda.details.split("](")[1:]]
    for reference in references:
        assert "**When**" in await workspace.providers.preview(reference)
    with pytest.raises(ToolError, match="not in the calendar"):
        await workspace.providers.preview("event:nothing")
    with pytest.raises(ToolError, match="not in the mailbox"):
        await workspace.providers.preview("mail:nothing")


async def test_a_reset_restores_the_sample_and_removes_new_events(
    workspace: Workspace,
) -> None:
    await _ask(workspace, "Put lunch with my sister on Thursday at noon", ScriptedApprover())
    reset_sample(workspace.profile.sample, workspace.clock)
    agenda = await _ask(workspace, "What's on my calendar on Thursday?", ScriptedApprover())
    assert "Lunch with my sister" not in agenda.details


async def test_switched_off_sending_is_not_offered_and_the_request_says_so(
    tmp_path: Path,
) -> None:
    environment = {"TOOLS_EMAIL_ENABLED": "false"}
    workspace = Workspace.open(tmp_path / "profile", clock=NOW, environment=environment)
    assert not workspace.tools["sendEmail"].offered
    reply = await _ask(workspace, "Email bob@x.example saying hello", ScriptedApprover())
    assert reply.status == "error"
    letter = {"to": "a@x.org", "subject": "s", "body": "b"}
    plan = FixedPlanner([{"id": 1, "action": "sendEmail", "parameters": letter}])
    run = workspace.agent.run(Request("send"), ScriptedApprover(), plan)
    called = (await await_reply(run)).reply
    assert "TOOLS_EMAIL_ENABLED" in f"{called.message} {called.details}"
    await workspace.close()


async def test_mail_is_put_in_order_with_no_account_connected(workspace: Workspace) -> None:
    approver = ScriptedApprover()
    plan = [
        {"id": 1, "action": "read_latest_emails", "parameters": {"count": 2}},
        {"id": 2, "action": "archive_emails", "parameters": {"ids": "$step1.emails[*].id"}},
    ]
    before = await workspace.providers.mailbox.search(Query(InFolder("INBOX")), 3)
    reply = (
        await await_reply(workspace.agent.run(Request("tidy"), approver, FixedPlanner(plan)))
    ).reply
    assert reply.status == "success"
    assert [line.label for line in approver.asked[0].fields] == ["Will be", "Emails (2)"]
    (newest,) = await workspace.providers.mailbox.search(Query(InFolder("INBOX")), 1)
    assert newest.id == before[2].id


async def test_mail_to_oneself_goes_to_the_personal_address(tmp_path: Path) -> None:
    environment = {"TOOLS_EMAIL_USER_PERSONAL_EMAIL_ADDRESS": "me@home.example"}
    workspace = Workspace.open(tmp_path / "profile", clock=NOW, environment=environment)
    approver = ScriptedApprover()
    reply = await _ask(workspace, "Summarise today's emails and email it to me", approver)
    assert "me@home.example" in f"{reply.message} {reply.details}"
    assert any("me@home.example" in line.values[0] for line in approver.asked[0].fields)
    await workspace.close()
