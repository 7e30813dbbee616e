"""The bus of the real window, as other programs meet it: with a client library of somebody else."""

import asyncio
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from aiorpcx import RPCError, connect_us

from assistant.bus.socket_address import socket_address
from tests.e2e.virtual_desktop import PROGRAMS, WAIT_SECONDS, Desktop, desktop, need, until

pytestmark = pytest.mark.desktop

NOW = "2026-11-20T10:30:00+01:00"
ASKS = "Another program asks"
TO_ANA = {"to": "ana@example.org", "subject": "From a script", "body": "Hello Ana."}
NOBODY = 65534


@dataclass
class Instance:
    """A window that runs on the sample workspace, and where its bus is."""

    screen: Desktop
    profile: Path
    process: "subprocess.Popen[bytes]"

    @property
    def address(self) -> str:
        return socket_address(self.profile)

    def answers(self) -> bool:
        """Whether it still does what it is asked."""
        done = self.command("call", "window/raise")
        return done.returncode == 0 and self.process.poll() is None

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run the command line beside it."""
        return subprocess.run(self._line(*words), capture_output=True, text=True, check=False)

    def begin(self, *words: str) -> "subprocess.Popen[bytes]":
        """Start the command line beside it, and go on."""
        return self.screen.start(*self._line(*words))

    def asks(self) -> bool:
        """Whether a question of another program is on the screen."""
        return any(title.startswith(ASKS) for title in self.screen.titles())

    async def shows(self, *, asks: bool) -> None:
        """Wait until a question is there, or is gone."""
        await asyncio.to_thread(until, lambda: self.asks() is asks, f"the question: {asks}")

    def press_in_question(self, *keys: str) -> None:
        """Go to the question and press keys there."""
        title = self.screen._xdotool("search", "--onlyvisible", "--name", ASKS)
        self.screen._xdotool("windowactivate", "--sync", title)
        self.screen.press(*keys)

    def _line(self, *words: str) -> tuple[str, ...]:
        return (sys.executable, "-m", "gui", "--profile", str(self.profile), *words)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """The window on its own desktop, once other programs can reach it."""
    need(*PROGRAMS)
    with desktop(tmp_path) as screen, TemporaryDirectory() as open_to_all:
        profile = Path(open_to_all) / "profile"
        process = screen.deskhand(profile, "--demo", "--now", NOW)
        made = Instance(screen, profile / "demo", process)
        until(made.answers, "the bus")
        yield made
        process.terminate()
        assert process.wait(timeout=WAIT_SECONDS) == 0


def _asking(tool: str, action: str, **arguments: Any) -> dict[str, str]:
    args_json = json.dumps(arguments)
    return {"tool": tool, "action": action, "args_json": args_json, "channel_id": "test"}


async def _sent(instance: Instance, subject: str) -> bool:
    """Whether there is such a mail in Sent, by the bus itself."""
    query = f'in:sent subject:"{subject}"'
    async with connect_us(instance.address) as client:
        asking = _asking("gmail", "read_latest", query=query)
        response = await client.send_request("tools/execute", asking)
    assert response["ok"] or response["error"] == "no messages found"
    return bool(response["ok"])


async def test_an_independent_json_rpc_client_gets_the_promised_results(
    instance: Instance,
) -> None:
    async with connect_us(instance.address) as client:
        asking = _asking("gmail", "read_latest", query="from:lena")
        response = await client.send_request("tools/execute", asking)
        mail = json.loads(response["data_json"])
        assert (response["ok"], response["error"]) == (True, None)
        assert (response["tool"], response["action"]) == ("gmail", "read_latest")
        assert mail["from"] == "Lena Winter <lena@winter.example>"
        read = await client.send_request("agents/gmail/read", {"query": "from:lena"})
        names = [line.partition(": ")[0] for line in read.splitlines()]
        assert names == ["From", "Subject", "Date", "Snippet"]
        assert read.startswith(f"From: {mail['from']}\nSubject: {mail['subject']}\nDate: ")

        news = await client.send_request("agents/news", {"n_last": 3})
        assert [len(news), news] == [
            3,
            await client.send_request("agents/news/read", {"n_last": 3}),
        ]
        health = await client.send_request(
            "tools/execute", _asking("newsmail_aggregator", "healthcheck")
        )
        assert json.loads(health["data_json"])["sample"] == news[0]
        listed = await client.send_request(
            "tools/execute", _asking("calendar", "list_calendar_events")
        )
        assert isinstance(json.loads(listed["data_json"]), list)
        tools = {tool["name"]: tool for tool in await client.send_request("tools/list")}
        assert tools["sendEmail"]["sinks"]["to"] == "recipient"

        plan = [{"id": 1, "action": "reply_to_user", "parameters": {"message": "Said."}}]
        assert (await client.send_request("agents/plan", {"steps": plan}))["message"] == "Said."
        reply = await client.send_request("agents", {"text": "Read my latest 5 emails"})
        assert (reply["type"], reply["status"]) == ("reply", "success")


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("tools/dance", {}, -32601, "method not found: tools/dance"),
        ("agents/weather", {}, -32601, "method not found: agents/weather"),
        (
            "tools/execute",
            _asking("gmail", "dance"),
            -32601,
            "tool/action not found: gmail/dance",
        ),
        ("tools/execute", {"tool": "gmail"}, -32600, "tools/execute: 'action': Field required"),
    ],
)
async def test_an_independent_json_rpc_client_gets_precise_errors(
    instance: Instance, method: str, params: Any, code: int, message: str
) -> None:
    async with connect_us(instance.address) as client:
        with pytest.raises(RPCError) as caught:
            await client.send_request(method, params)
    assert (caught.value.code, caught.value.message) == (code, message)


async def test_an_effect_waits_for_the_card_and_is_done_when_it_is_allowed(
    instance: Instance,
) -> None:
    async with connect_us(instance.address) as client:
        asking = _asking("mail", "sendEmail", **TO_ANA)
        request = asyncio.ensure_future(client.send_request("tools/execute", asking))
        await instance.shows(asks=True)
        assert not await _sent(instance, TO_ANA["subject"])
        await asyncio.to_thread(instance.press_in_question, "Tab", "space")
        response = await request
    assert "Email successfully sent to ana@example.org" in response["data_json"]
    assert await _sent(instance, TO_ANA["subject"])
    await instance.shows(asks=False)


async def test_an_effect_is_not_done_when_the_card_is_declined(instance: Instance) -> None:
    async with connect_us(instance.address) as client:
        asking = _asking("mail", "sendEmail", **TO_ANA)
        request = asyncio.ensure_future(client.send_request("tools/execute", asking))
        await instance.shows(asks=True)
        await asyncio.to_thread(instance.press_in_question, "Return")
        response = await request
    assert (response["ok"], response["data_json"]) == (False, None)
    assert "was not done: you declined it" in response["error"]
    assert not await _sent(instance, TO_ANA["subject"])


async def test_the_card_goes_with_the_command_that_asked(instance: Instance) -> None:
    asking = json.dumps(_asking("mail", "sendEmail", **TO_ANA))
    command = instance.begin("call", "tools/execute", asking)
    await instance.shows(asks=True)
    command.send_signal(signal.SIGKILL)
    await instance.shows(asks=False)
    assert not await _sent(instance, TO_ANA["subject"])


async def test_the_command_line_uses_the_window_unless_approve_is_given(
    instance: Instance,
) -> None:
    asking = json.dumps(_asking("mail", "sendEmail", **TO_ANA))
    here = await asyncio.to_thread(
        instance.command, "call", "tools/execute", asking, "--approve", "none"
    )
    assert here.returncode == 1
    assert "nobody was there to approve it" in json.loads(here.stdout)["error"]
    window = instance.begin("call", "tools/execute", asking)
    await instance.shows(asks=True)
    await asyncio.to_thread(instance.press_in_question, "Escape")
    assert await asyncio.to_thread(window.wait, 30) == 1


def test_programs_that_misbehave_do_not_trouble_the_instance(instance: Instance) -> None:
    hanging = [socket.socket(socket.AF_UNIX) for _ in range(50)]
    try:
        for one in hanging:
            one.connect(instance.address)
            one.sendall(b'{"jsonrpc": "2.0", "id":')
        with socket.socket(socket.AF_UNIX) as broken:
            broken.connect(instance.address)
            broken.sendall(b'{"jsonrpc" oops\n[1, 2]\n' + b"x" * 1_100_000)
            told = [json.loads(line) for line in broken.makefile("rb")]
        assert [one["error"]["code"] for one in told] == [-32700, -32600, -32600]
        assert all(one["id"] is None for one in told)
        for _ in range(50):  # they ask and leave
            with socket.socket(socket.AF_UNIX) as leaving:
                leaving.connect(instance.address)
                leaving.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "agents/gmail/read"}\n')
        assert instance.answers()
    finally:
        for one in hanging:
            one.close()
    assert instance.command("call", "agents/gmail/read").returncode == 0


def test_the_socket_is_its_person_s_alone(instance: Instance) -> None:
    place = Path(instance.address)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can be somebody else, with setpriv",
)
def test_other_users_cannot_connect(instance: Instance) -> None:
    place = Path(instance.address)
    for folder in [*[*instance.profile.parents][:2], instance.profile]:
        folder.chmod(0o755)
    assert "PermissionError" in _connected_by_nobody(place)  # by its folder
    place.parent.chmod(0o755)
    assert "PermissionError" in _connected_by_nobody(place)  # by itself
    place.chmod(0o666)
    assert _connected_by_nobody(place) == ""  # so nothing else was in the way
    place.chmod(0o600)
    place.parent.chmod(0o700)
    assert instance.answers()


def _connected_by_nobody(place: Path) -> str:
    """What another user is told who connects."""
    someone = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    connect = f"import socket; socket.socket(socket.AF_UNIX).connect({str(place)!r})"
    python = shutil.which("python3", path="/usr/bin") or sys.executable
    done = subprocess.run(
        [*someone, python, "-c", connect], capture_output=True, text=True, check=False
    )
    return done.stderr
