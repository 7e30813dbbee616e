"""Language models on the command line: connected, asked and paid for, with a real keyring."""

import asyncio
import json
import subprocess
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.assistant.model_client.capable_model import MODEL, capable_model
from tests.assistant.model_client.loopback import Loopback, loopback
from tests.tools.accounts.keyring_session import KeyringSession, State

NOW = "2026-11-20T10:30:00+01:00"
KEY = "sk-canary-9d41ab"
REQUEST = "Wirf einen Blick auf die zwei neuesten Nachrichten"  # no phrase that is known

Finished = subprocess.CompletedProcess[str]
Deskhand = Callable[..., Coroutine[Any, Any, Finished]]


@pytest.fixture
def session(tmp_path: Path) -> KeyringSession:
    return KeyringSession(tmp_path / "home")


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def deskhand(session: KeyringSession, profile: Path) -> Deskhand:
    """Runs the command beside a keyring, while servers of this test answer."""

    async def run(
        *arguments: str, keyring: State = "open", given: str = "", **environment: str
    ) -> Finished:
        command = ("-m", "gui", *arguments, "--profile", str(profile), "--now", NOW)
        finished = await asyncio.to_thread(
            session.run, keyring, *command, given=given, **environment
        )
        assert "Traceback" not in finished.stderr
        return finished

    return run


def of_the_server(server: Loopback) -> list[str]:
    return [asked.headers.get("authorization", "") for asked in server.asked]


def written_down(*folders: Path) -> bytes:
    """Everything in every file of these folders."""
    files = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    return b"".join(file.read_bytes() for file in files)


async def test_a_model_is_connected_tried_and_then_plans(deskhand: Deskhand) -> None:
    async with loopback(afterwards=capable_model(context=8192)) as server:
        connected = await deskhand("connect", "model", server.url, "--name", "Helper")
        assert connected.returncode == 0, connected.stderr
        assert "Connected “Helper” on this computer: 8192 tokens of context" in connected.stdout
        assert connected.stdout.count("✓") == 3
        answered = await deskhand("ask", REQUEST, "--json")
        reply = json.loads(answered.stdout)
        assert (reply["status"], reply["message"]) == ("success", "These are your latest emails.")
        assert reply["details"].count("](mail:") == 2
        listed = json.loads((await deskhand("models", "--json")).stdout)
    assert listed == [
        {
            "name": "Helper",
            "model": MODEL,
            "url": server.url,
            "file": "",
            "plans": True,
            "writes": True,
        }
    ]
    assert set(of_the_server(server)) == {""}


async def test_a_known_phrase_asks_no_model(deskhand: Deskhand) -> None:
    async with loopback(afterwards=capable_model()) as server:
        await deskhand("connect", "model", server.url)
        before = len(server.asked)
        answered = await deskhand("ask", "Read my latest 2 emails")
        assert answered.returncode == 0
        assert len(server.asked) == before


async def test_a_key_is_kept_in_the_keyring_and_nowhere_else(
    deskhand: Deskhand, session: KeyringSession, profile: Path
) -> None:
    async with loopback(afterwards=capable_model(KEY)) as server:
        connected = await deskhand("connect", "model", server.url, "--key-stdin", given=f"{KEY}\n")
        assert connected.returncode == 0, connected.stderr
        answered = await deskhand("ask", REQUEST)
        assert answered.returncode == 0, answered.stderr
        diagnosed = await deskhand("doctor")
        assert f"{MODEL} at {server.url.split('/')[2]}, with a key" in diagnosed.stdout
        assert diagnosed.returncode == 0
        locked = await deskhand("ask", REQUEST, keyring="locked")
    assert locked.returncode == 1
    assert "is locked: unlock it" in locked.stderr
    said = "".join(each.stdout + each.stderr for each in (connected, answered, diagnosed, locked))
    assert KEY not in said
    assert KEY.encode() not in written_down(profile, session.folder)
    assert KEY not in repr(connected.args)


async def test_without_a_keyring_a_key_is_not_kept_and_that_is_said(
    deskhand: Deskhand, session: KeyringSession, profile: Path
) -> None:
    async with loopback(afterwards=capable_model(KEY)) as server:
        connected = await deskhand(
            "connect", "model", server.url, "--key-stdin", given=KEY, keyring="none"
        )
        assert connected.returncode == 1
        assert "kept for this session only. There is no keyring" in connected.stderr
        brought = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        answered = await deskhand("ask", REQUEST, keyring="none", **brought)
        assert answered.returncode == 0, answered.stderr
        refused = await deskhand("ask", REQUEST, keyring="none")
    assert refused.returncode == 1
    assert "There is no keyring" in refused.stderr
    assert KEY.encode() not in written_down(profile, session.folder)


async def test_a_wrong_key_connects_nothing(deskhand: Deskhand, profile: Path) -> None:
    async with loopback(afterwards=capable_model(KEY)) as server:
        for arguments in ((), ("--model", MODEL)):
            refused = await deskhand(
                "connect", "model", server.url, *arguments, "--key-stdin", given="sk-wrong"
            )
            assert refused.returncode == 1
            assert "did not accept the key" in refused.stderr
            assert "sk-wrong" not in refused.stdout + refused.stderr
        without = await deskhand("connect", "model", server.url, "--no-key")
        assert "needs a key" in without.stderr
    assert not (profile / "settings.toml").exists()


async def test_of_several_models_one_must_be_named(deskhand: Deskhand, profile: Path) -> None:
    async with loopback(afterwards=capable_model(models=("small", "large"))) as server:
        unclear = await deskhand("connect", "model", server.url)
        assert unclear.returncode == 1
        assert "--model" in unclear.stderr
        assert all(f"- {id}  ({server.url})" in unclear.stderr for id in ("small", "large"))
        missing = await deskhand("connect", "model", server.url, "--model", "huge")
        assert "There is no model 'huge'. There are:" in missing.stderr
        assert not (profile / "settings.toml").exists()
        named = await deskhand("connect", "model", server.url, "--model", "large", "--json")
    told = json.loads(named.stdout)
    assert (told["name"], told["model"]) == ("large", "large")
    assert told["trial"]["schema"]["works"] is True


async def test_a_server_that_lists_nothing_can_be_connected_by_name(deskhand: Deskhand) -> None:
    afterwards = capable_model(models=("hidden",))
    async with loopback(afterwards=afterwards, paths=["/chat/completions"]) as server:
        connected = await deskhand("connect", "model", server.url, "--model", "hidden")
    assert connected.returncode == 0, connected.stderr


async def test_a_server_that_is_gone_is_said_by_the_reply_and_by_the_doctor(
    deskhand: Deskhand,
) -> None:
    async with loopback(afterwards=capable_model()) as server:
        await deskhand("connect", "model", server.url, "--name", "Helper")
    answered = await deskhand("ask", REQUEST, "--json")
    reply = json.loads(answered.stdout)
    assert (answered.returncode, reply["status"]) == (1, "error")
    assert "Nothing answers at" in reply["message"]
    diagnosed = await deskhand("doctor")
    assert diagnosed.returncode == 1
    assert "✗ Model Helper: Nothing answers at" in diagnosed.stdout


async def test_the_environment_alone_is_enough_and_leaves_no_trace(
    deskhand: Deskhand, session: KeyringSession, profile: Path
) -> None:
    async with loopback(afterwards=capable_model(KEY)) as server:
        brought = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        answered = await deskhand("ask", REQUEST, keyring="none", **brought)
        assert answered.returncode == 0, answered.stderr
        listed = await deskhand("models", keyring="none", **brought)
    assert "OpenAI (from the environment)  this computer  plans  writes" in listed.stdout
    assert KEY not in listed.stdout + answered.stdout + answered.stderr
    assert KEY.encode() not in written_down(profile, session.folder)
    assert not (profile / "settings.toml").exists()


async def test_spending_is_warned_of_and_then_stopped_at_the_cap(
    deskhand: Deskhand, profile: Path
) -> None:
    async with loopback(afterwards=capable_model()) as server:
        profile.mkdir()
        (profile / "settings.toml").write_text(
            f'[[models]]\nname = "Dear"\nmodel = "{MODEL}"\nurl = "{server.url}"\n'
            "price = {prompt = 0, completion = 120_000}\n[spending]\nmonthly = 1\n"
        )
        warned = await deskhand("ask", REQUEST)  # 7 tokens
        assert warned.returncode == 0, warned.stderr
        assert "84 % of this month's cap for models is spent: $0.84 of $1.00" in warned.stderr
        await deskhand("ask", REQUEST)
        before = len(server.asked)
        stopped = await deskhand("ask", REQUEST, "--json")
        assert len(server.asked) == before
    reply = json.loads(stopped.stdout)
    assert reply["status"] == "error"
    assert "cap for models is reached: $1.68 of $1.00" in reply["message"]
    assert "✗ Spending: This month's cap" in (await deskhand("doctor")).stdout


async def test_a_file_that_is_no_model_connects_nothing(deskhand: Deskhand, profile: Path) -> None:
    (profile.parent / "no.gguf").write_bytes(b"no model")
    for file in (profile.parent / "no.gguf", profile.parent / "nowhere.gguf"):
        refused = await deskhand("connect", "model", "--file", str(file))
        assert refused.returncode == 1
        assert file.name in refused.stderr
    assert not (profile / "settings.toml").exists()
