"""The secret store in every state of the keyring, the encrypted file and the session."""

import json
from pathlib import Path

import pytest

from tests.tools.accounts.keyring_session import KeyringSession, State

WHERE = """
kept = await secrets.status()
answers.append([kept.kind, kept.usable, kept.words])
"""
KEEP = """
await secrets.set("model:A", "sk-canary-2f6b1c")
answers.append(await secrets.get("model:A"))
"""
GET = 'answers.append(await secrets.get("model:A"))'
SEAL = 'answers.append(await secrets.use_encrypted_file(sealed, "correct horse battery"))'


@pytest.fixture
def session(tmp_path: Path) -> KeyringSession:
    return KeyringSession(tmp_path / "home")


def answers(session: KeyringSession, state: State, *doing: str, brought: str = "") -> list[object]:
    """What a program that does this with secrets notes down; an error in words is noted too.

    `brought` is the passphrase that its environment has.
    """
    indented = "\n".join(doing).strip().replace("\n", "\n        ")
    program = f"""
import asyncio, json, os
from pathlib import Path
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.encrypted_file import EncryptedFile
from tools.accounts.secret_store import SecretStore
async def main():
    sealed = Path.home() / "profile/secrets.sealed"
    brought = os.environ.get("DESKHAND_PASSPHRASE", "")
    secrets, answers = SecretStore(EncryptedFile(sealed, lambda: brought)), []
    try:
        {indented}
    except SecretStoreError as error:
        answers.append([type(error).__name__, error.remedy, error.locked, str(error)])
    print(json.dumps(answers))
asyncio.run(main())
"""
    environment = {"DESKHAND_PASSPHRASE": brought} if brought else {}
    finished = session.run(state, "-c", program, **environment)
    assert finished.returncode == 0, finished.stderr
    noted: list[object] = json.loads(finished.stdout)
    return noted


@pytest.mark.parametrize(
    ("state", "kind", "usable", "words"),
    [
        ("open", "keyring", True, "in the keyring of your system"),
        ("locked", "keyring", False, "is locked: unlock it"),
        ("none", "none", False, "There is no keyring"),
        ("not set up", "none", False, "has not been set up"),
        ("refused", "none", False, "The keyring refused"),
    ],
)
def test_every_state_of_the_keyring_has_a_status(
    session: KeyringSession, state: State, kind: str, usable: bool, words: str
) -> None:
    answers(session, "open", KEEP)
    if state == "not set up":
        session = KeyringSession(session.folder / "another")
    [found] = answers(session, state, WHERE)
    assert isinstance(found, list)
    assert found[:2] == [kind, usable]
    assert words in found[2]


@pytest.mark.parametrize("state", ["locked", "none", "not set up", "refused"])
def test_a_secret_that_cannot_be_stored_has_a_remedy(session: KeyringSession, state: State) -> None:
    if state == "locked":
        answers(session, "open", KEEP)
    [said] = answers(session, state, KEEP)
    assert isinstance(said, list)
    assert said[:3] == ["SecretStoreError", "unlock", state == "locked"]


def test_a_keyring_that_cannot_write_keeps_its_secrets(session: KeyringSession) -> None:
    spoil = """
keyrings = Path.home() / "data/keyrings"
keyrings.rename(keyrings.with_name("elsewhere"))
keyrings.write_text("a file in the place of the folder")
"""
    keep_another = 'await secrets.set("model:A", "another" * 500)'
    [first, said] = answers(session, "open", KEEP, spoil, keep_another)
    assert first == "sk-canary-2f6b1c"
    assert "SecretStoreError" in str(said)  # or its collection, which the daemon may look for first
    (session.folder / "data/keyrings").unlink()
    (session.folder / "data/elsewhere").rename(session.folder / "data/keyrings")
    assert answers(session, "open", GET) == ["sk-canary-2f6b1c"]


def test_a_secret_for_the_session_alone_needs_no_keyring(session: KeyringSession) -> None:
    choose = "secrets.use_session_only()"
    first, where = answers(session, "none", choose, KEEP, WHERE)
    assert first == "sk-canary-2f6b1c"
    assert isinstance(where, list)
    assert where[:2] == ["session", True]
    assert "until the program ends" in where[2]
    assert answers(session, "none", choose, GET) == [""]


def test_an_encrypted_file_replaces_the_keyring(session: KeyringSession) -> None:
    [said, where, kept] = answers(session, "none", SEAL, WHERE, KEEP)
    assert "It cannot be opened without the passphrase" in str(said)
    assert isinstance(where, list)
    assert where[:2] == ["sealed", True]
    assert kept == "sk-canary-2f6b1c"
    opened = ['await secrets.unlock("correct horse battery")', GET]
    assert answers(session, "none", *opened) == ["sk-canary-2f6b1c"]


def test_an_encrypted_file_is_used_although_there_is_a_keyring(
    session: KeyringSession,
) -> None:
    answers(session, "open", SEAL, KEEP)
    [where] = answers(session, "open", WHERE)
    assert isinstance(where, list)
    assert where[:2] == ["sealed", False]
    [said] = answers(session, "open", GET)
    assert isinstance(said, list)
    assert said[:3] == ["SecretStoreError", "unlock", True]
    assert "unlock them with your passphrase" in said[3]


def test_a_passphrase_of_the_environment_unlocks_it_for_one_run(session: KeyringSession) -> None:
    answers(session, "none", SEAL, KEEP)
    brought = "correct horse battery"
    assert answers(session, "none", GET, brought=brought) == ["sk-canary-2f6b1c"]
    [wrong] = answers(session, "none", GET, brought="some other passphrase")
    assert "This is not the passphrase" in str(wrong)
    [closed] = answers(session, "none", GET)
    assert "unlock them with your passphrase" in str(closed)
    files = [file for file in session.folder.rglob("*") if file.is_file()]
    texts = [file.read_bytes() for file in files]
    assert not any(brought.encode() in text or b"sk-canary" in text for text in texts)


def test_a_secret_that_no_keyring_took_moves_into_a_later_file(
    session: KeyringSession,
) -> None:
    answers(session, "none", 'secrets.set_for_session("model:A", "sk-canary-2f6b1c")', SEAL)
    assert answers(session, "none", GET, brought="correct horse battery") == ["sk-canary-2f6b1c"]
