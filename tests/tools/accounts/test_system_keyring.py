"""Secrets are in the real keyring of a system, or nowhere, and each of its states is reported."""

import json
from pathlib import Path

import pytest

from tests.tools.accounts.keyring_session import KeyringSession, State
from tools.accounts.secret_store import SecretStore

CANARY = "sk-canary-2f6b1c"
KEEP_AND_GET = """
await secrets.set("model:A", "sk-canary-2f6b1c")
answers.append(await secrets.get("model:A"))
"""
GET = 'answers.append(await secrets.get("model:A"))'
FORGET = f"""
await secrets.delete("model:A")
{GET}
await secrets.delete("model:A")
"""
GET_WHAT_THIS_SESSION_KNOWS = f"""
secrets.set_for_session("model:A", "sk-canary-2f6b1c")
{GET}
"""


@pytest.fixture
def session(tmp_path: Path) -> KeyringSession:
    return KeyringSession(tmp_path / "home")


def outputs_of(session: KeyringSession, state: State, doing: str, **environment: str) -> list[str]:
    """Run statements on a secret store in a program; return its outputs and errors."""
    indented = doing.strip().replace("\n", "\n        ")
    program = f"""
import asyncio, json
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.secret_store import SecretStore
async def main():
    secrets, answers = SecretStore(), []
    try:
        {indented}
    except SecretStoreError as error:
        answers.append("SecretStoreError: " + str(error))
    print(json.dumps(answers))
asyncio.run(main())
"""
    finished = session.run(state, "-c", program, **environment)
    assert finished.returncode == 0, finished.stderr
    outputs: list[str] = json.loads(finished.stdout)
    return outputs


def test_a_secret_is_stored_read_in_another_session_and_deleted(session: KeyringSession) -> None:
    assert outputs_of(session, "open", KEEP_AND_GET) == [CANARY]
    assert outputs_of(session, "open", GET) == [CANARY]
    assert outputs_of(session, "open", FORGET) == [""]
    assert outputs_of(session, "open", GET) == [""]


@pytest.mark.parametrize(
    ("state", "words"),
    [("none", "There is no keyring"), ("not set up", "has not been set up")],
)
@pytest.mark.parametrize("doing", [KEEP_AND_GET, GET, FORGET])
def test_a_missing_keyring_is_reported(
    session: KeyringSession, state: State, words: str, doing: str
) -> None:
    (output,) = outputs_of(session, state, doing)
    assert words in output
    assert CANARY not in output


@pytest.mark.parametrize("state", ["none", "not set up"])
def test_a_secret_of_the_session_is_deleted_without_a_keyring(
    session: KeyringSession, state: State
) -> None:
    forget = 'await secrets.delete("model:A")\nanswers.append("forgotten")'
    assert outputs_of(session, state, f"{GET_WHAT_THIS_SESSION_KNOWS}{forget}") == [
        CANARY,
        "forgotten",
    ]


def test_a_locked_keyring_is_reported(session: KeyringSession) -> None:
    outputs_of(session, "open", KEEP_AND_GET)
    for doing in (GET, KEEP_AND_GET):
        (output,) = outputs_of(session, "locked", doing)
        assert "is locked: unlock it" in output


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        ("keyring.backends.null.Keyring", "may not keep secrets safe"),
        ("tests.tools.accounts.plain_keyring.PlainKeyring", "may not keep secrets safe"),
        ("no.such.Keyring", "The keyring failed"),
    ],
)
def test_a_keyring_that_is_not_the_systems_own_is_refused(
    session: KeyringSession, backend: str, words: str
) -> None:
    (output,) = outputs_of(session, "none", KEEP_AND_GET, PYTHON_KEYRING_BACKEND=backend)
    assert words in output
    assert not list(session.folder.rglob("plain-keyring"))


def test_a_plain_text_keyring_is_refused_even_as_the_only_one(
    session: KeyringSession,
) -> None:
    installed = "import tests.tools.accounts.plain_keyring\n" + KEEP_AND_GET
    (output,) = outputs_of(session, "none", installed)
    assert "There is no keyring" in output
    assert not list(session.folder.rglob("plain-keyring"))


def test_without_a_keyring_a_secret_can_be_held_until_the_program_ends(
    session: KeyringSession,
) -> None:
    assert outputs_of(session, "none", GET_WHAT_THIS_SESSION_KNOWS) == [CANARY]
    (output,) = outputs_of(session, "none", GET)
    assert "There is no keyring" in output


def test_a_secret_is_in_no_file_in_plain_text(session: KeyringSession) -> None:
    outputs_of(session, "open", KEEP_AND_GET)
    files = [file for file in session.folder.rglob("*") if file.is_file()]
    assert files
    assert not any(CANARY.encode() in file.read_bytes() for file in files)


def test_a_secret_of_the_session_is_in_no_repr() -> None:
    secrets = SecretStore()
    secrets.set_for_session("model:A", CANARY)
    assert CANARY not in repr(secrets)
