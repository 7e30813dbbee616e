"""The command line as a person or another program uses it, on a fresh profile."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import docx
import pytest

ROOT = Path(__file__).parent.parent.parent
NOW = "2026-11-20T10:30:00+01:00"

PLANS: dict[str, Any] = {
    "read": {
        "steps": [
            {
                "id": 1,
                "action": "read_latest_emails",
                "parameters": {"count": 5},
                "expected_output": "List of 5 emails",
            },
            {
                "id": 2,
                "action": "reply_to_user",
                "parameters": {
                    "message": "Retrieved your latest 5 emails",
                    "details": "Email list with senders, subjects, dates",
                    "status": "success",
                },
                "dependencies": [1],
            },
        ]
    },
    "summarize": {
        "steps": [
            {"id": 1, "action": "read_emails_by_time", "parameters": {"hours": 1}},
            {
                "id": 2,
                "action": "summarize_emails",
                "parameters": {"emails_data": "$step1", "focus": None},
                "dependencies": [1],
            },
            {
                "id": 3,
                "action": "reply_to_user",
                "parameters": {
                    "message": "Email summary for the past hour",
                    "details": "$step2.summary",
                    "status": "success",
                },
                "dependencies": [2],
            },
        ]
    },
    "report": {
        "steps": [
            {"id": 1, "action": "read_latest_emails", "parameters": {"count": 10}},
            {
                "id": 2,
                "action": "summarize_emails",
                "parameters": {"emails_data": "$step1"},
                "dependencies": [1],
            },
            {
                "id": 3,
                "action": "create_pages_doc",
                "parameters": {"title": "Email Summary Report", "content": "$step2.summary"},
                "dependencies": [2],
            },
            {
                "id": 4,
                "action": "reply_to_user",
                "parameters": {
                    "message": "Created email summary report",
                    "details": "Summarized 10 emails and saved to Pages",
                    "artifacts": ["$step3.file_path"],
                    "status": "success",
                },
                "dependencies": [3],
            },
        ]
    },
}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


def deskhand(profile: Path, *arguments: str, now: str = NOW) -> subprocess.CompletedProcess[str]:
    """Run the command on a profile with a fixed clock and nobody at the terminal."""
    command = [sys.executable, "-m", "gui", *arguments, "--profile", str(profile), "--now", now]
    return subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""},
        check=False,
    )


def payload(profile: Path, *arguments: str) -> dict[str, Any]:
    """The reply payload that a command prints, alone, on standard output."""
    finished = deskhand(profile, *arguments)
    assert "Traceback" not in finished.stderr
    found: dict[str, Any] = json.loads(finished.stdout)
    assert set(found) == {"type", "message", "details", "artifacts", "status"}
    return found


def test_reading_lists_senders_and_subjects(profile: Path) -> None:
    reply = payload(profile, "ask", "Read my latest 5 emails", "--json")
    assert reply["status"] == "success"
    assert reply["details"].count("](mail:") == 5
    newest = payload(profile, "ask", "Read my latest 2 emails", "--json")["details"]
    assert reply["details"].startswith(newest)


def test_the_past_hour_is_summarised_with_links_to_its_mail(profile: Path) -> None:
    reply = payload(profile, "ask", "Summarize emails from the past hour", "--json")
    assert reply["status"] == "success"
    assert "](mail:" in reply["details"]


def test_the_sample_is_as_fresh_days_later_and_its_links_still_lead_somewhere(
    profile: Path,
) -> None:
    request = ("ask", "Read emails from the past hour", "--json")
    first = json.loads(deskhand(profile, *request).stdout)
    later = json.loads(deskhand(profile, *request, now="2026-11-24T09:10:00+01:00").stdout)
    assert "November 2026, 10:" in first["details"]
    assert "24 November 2026" in later["details"]
    assert set(re.findall(r"mail:\w+", first["details"])) & set(
        re.findall(r"mail:\w+", later["details"])
    )


def test_a_report_is_written_and_opens(profile: Path) -> None:
    request = "Read the latest 10 emails, summarize them, and create a report"
    reply = payload(profile, "ask", request, "--json")
    assert reply["status"] == "success"
    (artifact,) = reply["artifacts"]
    written = docx.Document(artifact)
    assert any(
        paragraph.style and str(paragraph.style.name).startswith("Heading")
        for paragraph in written.paragraphs
    )
    assert Path(artifact).parent == profile / "documents"


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_given_as_json_runs_to_its_reply(profile: Path, name: str) -> None:
    reply = payload(profile, "call", "agents/plan", json.dumps(PLANS[name]))
    last = PLANS[name]["steps"][-1]["parameters"]
    assert (reply["status"], reply["message"]) == ("success", last["message"])
    assert all(Path(artifact).stat().st_size for artifact in reply["artifacts"])


def test_sending_without_anybody_to_approve_sends_nothing(profile: Path) -> None:
    finished = deskhand(profile, "ask", "Summarise today's emails and email it to me", "--json")
    reply = json.loads(finished.stdout)
    assert reply["status"] in {"info", "partial_success"}
    assert "--approve" in reply["message"]
    assert not list((profile / "sample").glob("mail/.Sent/cur/*deskhand*"))


def test_an_approved_mail_lands_in_the_samples_own_sent_folder(profile: Path) -> None:
    sent = profile / "sample" / "mail" / ".Sent"
    deskhand(profile, "tools")
    before = set(sent.rglob("*"))
    reply = payload(
        profile, "ask", "Summarise today's emails and email it to me", "--json", "--approve", "all"
    )
    assert reply["status"] == "success"
    assert "Email successfully sent to" in f"{reply['message']} {reply['details']}"
    (new,) = [path for path in sent.rglob("*") if path.is_file() and path not in before]
    assert b"Message-ID:" in new.read_bytes()


def test_a_request_not_understood_gets_three_suggestions(profile: Path) -> None:
    finished = deskhand(profile, "ask", "Colour my horse blue", "--json")
    reply = json.loads(finished.stdout)
    assert (finished.returncode, reply["status"]) == (1, "error")
    assert reply["details"].count("\n- ") + reply["details"].startswith("- ") >= 3


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("ask", "Read my latest 2 emails"), 0),
        (("ask", "Read my latest emails from nobody@nowhere.example"), 0),
        (("ask",), 2),
        (("dance",), 2),
        (("ask", "x", "--approve", "maybe"), 2),
        (("call", "tools/dance"), 1),
        (("call", "agents/plan", "{"), 1),
        (("quick", "agenda"), 0),
        (("quick", "latest-mail", "--json"), 0),
        (("accounts", "--json"), 0),
        (("models",), 0),
        (("connect",), 2),
        (("connect", "model", "nonsense"), 1),
        (("connect", "model", "http://127.0.0.1:1", "--file", "x.gguf"), 2),
        (("doctor",), 0),
        (("connect", "mbox", "nowhere.mbox"), 1),
    ],
)
def test_exit_statuses_tell_how_it_went(
    profile: Path, arguments: tuple[str, ...], status: int
) -> None:
    finished = deskhand(profile, *arguments)
    assert finished.returncode == status, finished.stdout + finished.stderr
    assert "Traceback" not in finished.stderr


def test_the_profile_is_for_its_owner_alone(profile: Path) -> None:
    deskhand(profile, "ask", "Read my latest 10 emails, summarise them and create a report")
    open_to_others = [
        path for path in [profile, *profile.rglob("*")] if path.stat().st_mode & 0o077
    ]
    assert open_to_others == []


def test_without_a_display_the_terminal_is_suggested(profile: Path) -> None:
    no_display = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gui", "--demo", "--profile", str(profile)]
    finished = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=no_display, check=False
    )
    assert finished.returncode == 1
    assert "no display" in finished.stderr
    assert "deskhand ask" in finished.stderr


def test_the_tools_are_listed_with_their_schema_and_effect(profile: Path) -> None:
    listed = {
        each["name"]: each for each in json.loads(deskhand(profile, "tools", "--json").stdout)
    }
    assert listed["sendEmail"]["effect"] == "act"
    assert listed["sendEmail"]["parameters"]["required"] == ["to", "subject", "body"]
    assert listed["read_latest_emails"]["parameters"]["properties"]["count"]["maximum"] == 50
    assert "create_pages_doc" in listed["create_document"]["aliases"]


def test_connected_mail_takes_the_place_of_the_sample(profile: Path, tmp_path: Path) -> None:
    message = (
        "From MAILER Fri Nov 20 08:00:00 2026\nFrom: Ada <ada@x.example>\nTo: me@x.example\n"
        "Subject: Engine\nDate: Fri, 20 Nov 2026 08:00:00 +0100\nMessage-ID: <1@x.example>\n\n"
        "The engine weaves.\n"
    )
    mbox = tmp_path / "export.mbox"
    mbox.write_text(message)
    assert deskhand(profile, "connect", "mbox", str(mbox), "--name", "Ada's").returncode == 0
    (account,) = json.loads(deskhand(profile, "accounts", "--json").stdout)
    assert (account["name"], account["path"]) == ("Ada's", str(mbox))
    reply = payload(profile, "ask", "Read my latest 5 emails", "--json")
    assert "Engine" in reply["details"]
    assert reply["details"].count("](mail:") == 1
    assert mbox.read_text() == message


def test_with_own_mail_there_is_an_own_calendar_and_nothing_that_sends(
    profile: Path, tmp_path: Path
) -> None:
    for name in ("cur", "new", "tmp"):
        (tmp_path / "empty" / name).mkdir(parents=True)
    deskhand(profile, "connect", "maildir", str(tmp_path / "empty"))
    request = "Put lunch with my sister on Thursday at noon"
    created = payload(profile, "ask", request, "--json", "--approve", "all")
    assert created["status"] == "success"
    agenda = payload(profile, "ask", "What is on my calendar on Thursday?", "--json")
    assert "Lunch with my sister" in agenda["details"]
    refused = payload(profile, "ask", "Summarise today's emails and email it to me", "--json")
    assert refused["status"] == "error"
    assert "send" in refused["message"]


def test_an_empty_mailbox_is_said_in_a_sentence(profile: Path, tmp_path: Path) -> None:
    for name in ("cur", "new", "tmp"):
        (tmp_path / "empty" / name).mkdir(parents=True)
    deskhand(profile, "connect", "maildir", str(tmp_path / "empty"))
    for request in (
        "Read my latest 5 emails",
        "Read the latest 10 emails, summarize them, and create a report",
    ):
        reply = payload(profile, "ask", request, "--json")
        assert reply["status"] == "info"
        assert reply["message"].startswith("No emails")
    assert not list((profile / "documents").glob("*"))
