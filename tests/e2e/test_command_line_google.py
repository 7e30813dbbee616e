"""A Google account through the command line, every command a program of its own: nothing but the
keyring and the profile carries over from one to the next.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line_profile import CommandLineProfile
from tests.google.emulator import Emulator, needed_emulator
from tests.google.faults import LOST_REPLY, refusing
from tests.google.google import Google
from tests.google.mailbox import Message
from tests.google.message import Asked
from tests.google.server import google_server
from tools.accounts.google.oauth_client import GoogleClient
from tools.moments.clock import system_clock

ALL = ("connect", "google", "--name", "work", "--allow", "write", "calendar", "change")
SEND = 'Send an email to bo@x.example with the subject "Figures" saying "They are ready."'
LETTER = (
    b"From: Sarah Lind <sarah@x.example>\r\nTo: anna.berg@example.com\r\nSubject: The budget\r\n"
    b"Message-ID: <budget@x.example>\r\nDate: Fri, 20 Nov 2026 08:00:00 +0000\r\n\r\n"
    b"The figures are due on Friday. Can you send them?\r\n"
)
NEWS = (
    b"From: Harbour Weekly <news@harbour.example>\r\nTo: anna.berg@example.com\r\n"
    b"Subject: The new pier\r\nMessage-ID: <pier@harbour.example>\r\n"
    b"List-Id: <weekly.harbour.example>\r\nList-Unsubscribe: <https://harbour.example/leave>\r\n"
    b"Date: Fri, 20 Nov 2026 07:00:00 +0000\r\n\r\n"
    b"The new pier opens in May. It is 300 metres long.\r\n"
)


@pytest.fixture(scope="module")
def google() -> Iterator[Google]:
    with google_server() as running:
        running.add_mail(NEWS, date=system_clock() - timedelta(hours=2))
        running.add_mail(LETTER, date=system_clock() - timedelta(hours=1))
        yield running


@pytest.fixture(scope="module")
def life(google: Google, tmp_path_factory: pytest.TempPathFactory) -> CommandLineProfile:
    """A life that is connected with everything allowed."""
    folder = tmp_path_factory.mktemp("google")
    return connected(CommandLineProfile(folder / "life", google), google.client, folder)


@pytest.fixture(autouse=True)
def _mended(google: Google) -> Iterator[None]:
    yield
    google.mend()


def connected(life: CommandLineProfile, client: GoogleClient, folder: Path) -> CommandLineProfile:
    file = folder / "client.json"
    file.write_text(
        json.dumps({"installed": {"client_id": client.id, "client_secret": client.secret}})
    )
    status, said = life.run(*ALL, "--client", str(file))
    assert status == 0, said
    return life


def ask(life: CommandLineProfile, text: str) -> dict[str, Any]:
    """The reply to a request whose effects are all approved."""
    _, said = life.run("ask", text, "--json", "--approve", "all")
    reply: dict[str, Any] = printed(said)
    return reply


def planned(life: CommandLineProfile, action: str, **parameters: Any) -> dict[str, Any]:
    """The reply to a plan of one step and its answer."""
    steps = [
        {"id": 1, "action": action, "parameters": parameters},
        {"id": 2, "action": "reply_to_user", "parameters": {"message": "$step1"}},
    ]
    _, said = life.run("call", "agents/plan", json.dumps({"steps": steps}), "--approve", "all")
    reply: dict[str, Any] = printed(said)
    return reply


def printed(said: str, opening: str = "{") -> Any:
    """The JSON in what a command said, whatever it said aside."""
    value, _ = json.JSONDecoder().raw_decode(said[said.index(f"{opening}\n") :])
    return value


def arrived(google: Google, name: str, subject: str) -> Message:
    """A letter of somebody who writes no other."""
    raw = LETTER.decode().replace("Sarah Lind <sarah", f"{name} Lind <{name.lower()}")
    raw = raw.replace("The budget", f"The {subject}").replace("<budget", f"<{subject}")
    return google.add_mail(raw.encode(), date=system_clock())


def sent(google: Google) -> list[Message]:
    return [each for each in google.messages.values() if "SENT" in each.labels]


def test_the_account_is_there_in_every_program_and_says_how_it_stands(
    life: CommandLineProfile,
) -> None:
    status, said = life.run("accounts", "--json")
    (account,) = printed(said, "[")
    assert (status, account["name"], account["state"]) == (0, "work", "ready")
    assert account["granted"] == ["calendar", "change", "read", "write"]
    status, said = life.run("doctor")
    assert "✓ Account work: Gmail answers" in said


def test_mail_is_read_and_searched(life: CommandLineProfile) -> None:
    assert "The budget" in ask(life, "Read my latest 5 emails")["details"]
    found = ask(life, "search for from:sarah subject:budget")
    assert (found["status"], found["details"].count("](mail:")) == ("success", 1)


def test_a_draft_is_kept_and_not_sent(life: CommandLineProfile, google: Google) -> None:
    drafts, before = len(google.drafts), len(sent(google))
    reply = ask(life, 'Draft an email to bo@x.example saying "Not yet."')
    assert reply["status"] == "success"
    assert (len(google.drafts), len(sent(google))) == (drafts + 1, before)


def test_a_reply_goes_into_the_thread_of_its_original(
    life: CommandLineProfile, google: Google
) -> None:
    original = arrived(google, "Nina", "offer")
    reply = ask(life, 'Reply to the latest email from Nina saying "They come on Friday."')
    assert reply["status"] == "success", reply
    (answer,) = (each for each in sent(google) if each.thread_id == original.thread_id)
    message = message_from_bytes(answer.raw, policy=policy.default)
    assert (message["In-Reply-To"], message["Subject"]) == ("<offer@x.example>", "Re: The offer")
    assert message["From"] == "Anna Berg <anna.berg@example.com>"


def test_mail_is_labelled_archived_and_trashed(life: CommandLineProfile, google: Google) -> None:
    letter = arrived(google, "Otto", "invoice")
    assert (
        planned(life, "mark_emails", ids=[letter.id], add_labels=["Money"])["status"] == "success"
    )
    label = next(each for each in google.labels.values() if each.name == "Money")
    assert label.id in letter.labels
    assert ask(life, "archive the latest email from Otto")["status"] == "success"
    assert "INBOX" not in google.messages[letter.id].labels
    assert planned(life, "delete_emails", ids=[letter.id])["status"] == "success"
    assert "TRASH" in google.messages[letter.id].labels


def test_events_are_created_listed_changed_and_deleted(
    life: CommandLineProfile, google: Google
) -> None:
    assert ask(life, "Put lunch with Ada tomorrow at noon")["status"] == "success"
    (event,) = google.events.values()
    listed = ask(life, "What is on my calendar tomorrow?")
    assert "Lunch with Ada" in listed["details"]
    changed = planned(life, "update_calendar_event", id=event.id, summary="Lunch with Ben")
    assert changed["status"] == "success", changed
    assert google.events[event.id].content["summary"] == "Lunch with Ben"
    assert planned(life, "delete_calendar_event", id=event.id)["status"] == "success"
    assert google.events[event.id].status == "cancelled"


def test_newsletters_are_digested(life: CommandLineProfile) -> None:
    _, said = life.run("quick", "news-digest", "--json")
    reply = printed(said)
    assert "Harbour Weekly" in reply["details"]
    assert "The budget" not in reply["details"]


def test_a_lost_reply_to_a_send_is_one_mail_and_shown_as_sent(
    life: CommandLineProfile, google: Google
) -> None:
    before = len(sent(google))
    google.fail("POST drafts/send", LOST_REPLY)
    reply = ask(life, SEND)
    assert (reply["status"], len(sent(google))) == ("success", before + 1)


def test_an_unknown_outcome_of_a_send_is_reported(life: CommandLineProfile, google: Google) -> None:
    before, asked = len(sent(google)), len(google.requests)

    def after_the_send(request: Asked) -> bool:
        sends = [each for each in google.requests[asked:] if each.path.endswith("drafts/send")]
        return request.method == "GET" and bool(sends)

    google.fail("POST drafts/send", LOST_REPLY)
    google.fail(after_the_send, refusing(503, "backendError"), times=1_000)
    reply = ask(life, SEND)
    assert (reply["status"], len(sent(google))) == ("partial_success", before + 1)
    assert "may have been sent" in reply["message"] + reply["details"]


def test_the_emulator_of_others_is_served_as_well(tmp_path: Path) -> None:
    with needed_emulator(tmp_path) as emulator:
        _serve(
            connected(CommandLineProfile(tmp_path / "life", emulator), emulator.client, tmp_path),
            emulator,
        )


def _serve(life: CommandLineProfile, emulator: Emulator) -> None:
    """What the emulator can do: all but single events, and finding by Message-ID."""
    assert "Welcome" in ask(life, "Read my latest 5 emails")["details"]
    assert "Build Bot" in ask(life, "search for from:build")["details"]
    assert ask(life, SEND)["status"] == "success"
    assert ask(life, 'Draft an email to bo@x.example saying "Not yet."')["status"] == "success"
    reply = ask(life, 'Reply to the latest email from Build Bot saying "Thank you."')
    assert reply["status"] == "success", reply
    assert ask(life, "archive the latest email from Build Bot")["status"] == "success"
    assert "Daily Standup" in ask(life, "What is on my calendar this week?")["details"]
    _, said = life.run("accounts", "--json")
    assert printed(said, "[")[0]["state"] == "ready"
    status, said = life.run("disconnect", "work")
    assert (status, "access at Google is revoked" in said) == (0, True)
    assert emulator.url.encode() not in b"".join(
        content for name, content in life.written().items() if name.endswith(".toml")
    )
