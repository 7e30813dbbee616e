"""The secret store in every state of the keyring, the encrypted file and the session."""

import json
from pathlib import Path

import pytest

from tests.tools.accounts.keyring_session import KeyringSession, State

WHERE = """
status = await secrets.status()
answers.append([status.kind, status.usable, status.words])
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


def outputs_of(
    session: KeyringSession, state: State, *doing: str, passphrase: str = ""
) -> list[object]:
    """Run statements on a secret store in a program; return its outputs and errors.

    `passphrase` is in the environment of the program.
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
    passphrase = os.environ.get("DESKHAND_PASSPHRASE", "")
    secrets, answers = SecretStore(EncryptedFile(sealed, lambda: passphrase)), []
    try:
        {indented}
    except SecretStoreError as error:
        answers.append([type(error).__name__, error.remedy, error.locked, str(error)])
    print(json.dumps(answers))
asyncio.run(main())
"""
    environment = {"DESKHAND_PASSPHRASE": passphrase} if passphrase else {}
    finished = session.run(state, "-c", program, **environment)
    assert finished.returncode == 0, finished.stderr
    outputs: list[object] = json.loads(finished.stdout)
    return outputs


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
    outputs_of(session, "open", KEEP)
    if state == "not set up":
        session = KeyringSession(session.folder / "another")
    [found] = outputs_of(session, state, WHERE)
    assert isinstance(found, list)
    assert found[:2] == [kind, usable]
    assert words in found[2]


@pytest.mark.parametrize("state", ["locked", "none", "not set up", "refused"])
def test_a_secret_that_cannot_be_stored_has_a_remedy(session: KeyringSession, state: State) -> None:
    if state == "locked":
        outputs_of(session, "open", KEEP)
    [output] = outputs_of(session, state, KEEP)
    assert isinstance(output, list)
    assert output[:3] == ["SecretStoreError", "unlock", state == "locked"]


def test_a_keyring_that_cannot_write_keeps_its_secrets(session: KeyringSession) -> None:
    spoil = """
keyrings = Path.home() / "data/keyrings"
keyrings.rename(keyrings.with_name("elsewhere"))
keyrings.write_text("a file in the place of the folder")
"""
    keep_another = 'await secrets.set("model:A", "another" * 500)'
    [first, output] = outputs_of(session, "open", KEEP, spoil, keep_another)
    assert first == "sk-canary-2f6b1c"
    assert "SecretStoreError" in str(
        output
    )  # or its collection, which the daemon may look for first
    (session.folder / "data/keyrings").unlink()
    (session.folder / "data/elsewhere").rename(session.folder / "data/keyrings")
    assert outputs_of(session, "open", GET) == ["sk-canary-2f6b1c"]


def test_a_secret_for_the_session_alone_needs_no_keyring(session: KeyringSession) -> None:
    choose = "secrets.use_session_only()"
    first, where = outputs_of(session, "none", choose, KEEP, WHERE)
    assert first == "sk-canary-2f6b1c"
    assert isinstance(where, list)
    assert where[:2] == ["session", True]
    assert "until the program ends" in where[2]
    assert outputs_of(session, "none", choose, GET) == [""]


def test_an_encrypted_file_replaces_the_keyring(session: KeyringSession) -> None:
    [output, where, kept] = outputs_of(session, "none", SEAL, WHERE, KEEP)
    assert "It cannot be opened without the passphrase" in str(output)
    assert isinstance(where, list)
    assert where[:2] == ["sealed", True]
    assert kept == "sk-canary-2f6b1c"
    opened = ['await secrets.unlock("correct horse battery")', GET]
    assert outputs_of(session, "none", *opened) == ["sk-canary-2f6b1c"]


def test_an_encrypted_file_is_used_although_there_is_a_keyring(
    session: KeyringSession,
) -> None:
    outputs_of(session, "open", SEAL, KEEP)
    [where] = outputs_of(session, "open", WHERE)
    assert isinstance(where, list)
    assert where[:2] == ["sealed", False]
    [output] = outputs_of(session, "open", GET)
    assert isinstance(output, list)
    assert output[:3] == ["SecretStoreError", "unlock", True]
    assert "unlock them with your passphrase" in output[3]


def test_a_passphrase_of_the_environment_unlocks_it_for_one_run(session: KeyringSession) -> None:
    outputs_of(session, "none", SEAL, KEEP)
    words = "correct horse battery"
    assert outputs_of(session, "none", GET, passphrase=words) == ["sk-canary-2f6b1c"]
    [wrong] = outputs_of(session, "none", GET, passphrase="some other passphrase")
    assert "This is not the passphrase" in str(wrong)
    [closed] = outputs_of(session, "none", GET)
    assert "unlock them with your passphrase" in str(closed)
    files = [file for file in session.folder.rglob("*") if file.is_file()]
    texts = [file.read_bytes() for file in files]
    assert not any(words.encode() in text or b"sk-canary" in text for text in texts)


def test_a_secret_that_no_keyring_took_moves_into_a_later_file(
    session: KeyringSession,
) -> None:
    outputs_of(session, "none", 'secrets.set_for_session("model:A", "sk-canary-2f6b1c")', SEAL)
    assert outputs_of(session, "none", GET, passphrase="correct horse battery") == [
        "sk-canary-2f6b1c"
    ]
