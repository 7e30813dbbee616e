"""An encrypted file is unlocked by its passphrase alone, and damage is reported."""

import asyncio
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.accounts.encrypted_file import LOST_PASSPHRASE_WARNING, EncryptedFile
from tools.accounts.secret_backend import SecretStoreError
from tools.accounts.secret_store import SecretStore
from tools.tool_errors import Remedy

pytestmark = pytest.mark.slow  # deriving a key is meant to be
PASSPHRASE = "correct horse battery"  # noqa: S105 — nobody's
CANARY = "1//canary-refresh-token"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile/secrets.sealed"


async def encrypted_store(path: Path, **secrets: str) -> SecretStore:
    store = SecretStore(EncryptedFile(path))
    await store.use_encrypted_file(path, PASSPHRASE)
    for name, secret in secrets.items():
        await store.set(name, secret)
    return store


async def unlocked_store(path: Path, passphrase: str = PASSPHRASE) -> SecretStore:
    store = SecretStore(EncryptedFile(path))
    await store.unlock(passphrase)
    return store


async def test_secrets_of_any_length_and_script_are_stored_and_deleted(path: Path) -> None:
    long = "ключ 😀\n" * 3000
    await encrypted_store(path, a=CANARY, b=long)
    secrets = await unlocked_store(path)
    assert [await secrets.get(each) for each in "abc"] == [CANARY, long, ""]
    await secrets.delete("a")
    await secrets.delete("c")
    assert await (await unlocked_store(path)).get("a") == ""


async def test_the_file_is_private_and_shows_no_secret(path: Path) -> None:
    await encrypted_store(path, **{"google:ana@x.org": CANARY})
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    content = path.read_text()
    for hidden in (CANARY, CANARY.encode().hex(), "ana@x.org", b"ana@x.org".hex(), PASSPHRASE):
        assert hidden not in content


async def test_a_warning_says_that_a_lost_passphrase_cannot_be_recovered(path: Path) -> None:
    text = await SecretStore().use_encrypted_file(path, PASSPHRASE)
    assert LOST_PASSPHRASE_WARNING in text
    assert str(path) in text


async def test_a_wrong_passphrase_is_refused_and_the_right_one_unlocks_after_it(path: Path) -> None:
    await encrypted_store(path, a=CANARY)
    secrets = SecretStore(EncryptedFile(path))
    for wrong in ("", "correct horse batterx", f"{PASSPHRASE} "):
        with pytest.raises(SecretStoreError, match="This is not the passphrase") as raised:
            await secrets.unlock(wrong)
        assert raised.value.remedy is Remedy.UNLOCK
        assert "connect the accounts again" in str(raised.value)
        with pytest.raises(SecretStoreError, match="are locked: unlock them"):
            await secrets.get("a")
    await secrets.unlock(PASSPHRASE)
    assert await secrets.get("a") == CANARY


async def test_an_accent_unlocks_it_in_every_unicode_form(path: Path) -> None:
    await SecretStore().use_encrypted_file(path, "cafe\u0301 au lait")
    await unlocked_store(path, "caf\u00e9 au lait")


@pytest.mark.parametrize("short", ["", "   ", "123456789", "a" + " " * 20])
async def test_a_passphrase_that_could_be_guessed_is_refused(short: str, path: Path) -> None:
    with pytest.raises(SecretStoreError, match="at least 10 characters"):
        await SecretStore().use_encrypted_file(path, short)
    assert not path.exists()


@pytest.mark.parametrize("at", range(0, 100, 7))
async def test_one_changed_byte_anywhere_is_reported_as_damage(at: int, path: Path) -> None:
    await encrypted_store(path, a=CANARY)
    content = bytearray(path.read_bytes())
    content[len(content) * at // 100] ^= 1
    path.write_bytes(content)
    with pytest.raises(SecretStoreError, match="is damaged and cannot be opened"):
        await unlocked_store(path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content + b"more\n",
        lambda content: content.replace(b"\n", b"\n\n"),
        lambda _: b'{"format": "deskhand sealed secrets 2"}\n00\n00\n',
        lambda _: bytes(range(256)),
    ],
)
async def test_an_incomplete_file_is_reported(damage: Callable[[bytes], bytes], path: Path) -> None:
    secrets = await encrypted_store(path, a=CANARY)
    path.write_bytes(damage(path.read_bytes()))
    for asked in (secrets.get("a"), secrets.set("a", "b"), secrets.unlock(PASSPHRASE)):
        with pytest.raises(SecretStoreError, match="is damaged"):
            await asked
    assert (await secrets.status()).usable is False


async def test_a_file_with_excessive_derivation_costs_is_refused(path: Path) -> None:
    await encrypted_store(path, a=CANARY)
    header, content, *_ = path.read_bytes().split(b"\n")
    for more in ({"memory": 1 << 30}, {"iterations": 10**9}, {"lanes": 0}):
        changed = json.loads(header)
        changed["recipe"] |= more
        line = json.dumps(changed).encode()
        total = hashlib.sha256(line + content).hexdigest().encode()
        path.write_bytes(b"\n".join((line, content, total, b"")))
        with pytest.raises(SecretStoreError, match="is damaged"):
            await unlocked_store(path)


async def test_a_forged_weaker_derivation_is_refused(path: Path) -> None:
    await encrypted_store(path, a=CANARY)
    header, content, *_ = path.read_bytes().split(b"\n")
    line = header.replace(b'"iterations": 3', b'"iterations": 1')
    assert line != header
    total = hashlib.sha256(line + content).hexdigest().encode()
    path.write_bytes(b"\n".join((line, content, total, b"")))
    with pytest.raises(SecretStoreError, match="This is not the passphrase"):
        await unlocked_store(path)


async def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path: Path, path: Path) -> None:
    secrets = await encrypted_store(path, a=CANARY)
    path.unlink()
    path.mkdir()
    with pytest.raises(SecretStoreError, match=r"secrets\.sealed cannot be read"):
        await secrets.get("a")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(SecretStoreError, match="cannot be written"):
        await SecretStore().use_encrypted_file(tmp_path / "file/secrets.sealed", PASSPHRASE)


async def test_two_programs_lose_no_secret_of_each_other(path: Path) -> None:
    first = await encrypted_store(path, a="1")
    second = await unlocked_store(path)
    await second.set("b", "2")
    await first.set("c", "3")
    assert [await second.get(each) for each in "abc"] == ["1", "2", "3"]


async def test_the_passphrase_of_an_unlocked_file_can_be_changed_and_of_a_locked_one_not(
    path: Path,
) -> None:
    first, second = await encrypted_store(path, a=CANARY), await unlocked_store(path)
    with pytest.raises(SecretStoreError, match="unlock them with your passphrase"):
        await SecretStore(EncryptedFile(path)).use_encrypted_file(path, "another passphrase")
    await first.use_encrypted_file(path, "another passphrase")
    assert await first.get("a") == CANARY
    with pytest.raises(SecretStoreError, match="was given another passphrase"):
        await second.get("a")
    with pytest.raises(SecretStoreError, match="not the passphrase"):
        await second.unlock(PASSPHRASE)
    await second.unlock("another passphrase")
    assert await second.get("a") == CANARY


async def test_secrets_of_the_session_move_into_the_file(path: Path) -> None:
    secrets = SecretStore(EncryptedFile(path))
    secrets.set_for_session("where the keyring did not take it", "1")
    secrets.use_session_only()
    await secrets.set("by choice", "2")
    await secrets.use_encrypted_file(path, PASSPHRASE)
    await secrets.set("where the keyring did not take it", CANARY)
    found = await unlocked_store(path)
    assert await found.get("where the keyring did not take it") == CANARY
    assert await found.get("by choice") == "2"


async def test_no_secret_is_in_a_repr_or_error(path: Path) -> None:
    secrets = await encrypted_store(path, a=CANARY)
    file = EncryptedFile(path, lambda: PASSPHRASE)
    assert file.get("a") == CANARY
    for text in (repr(secrets), repr(file), str(await secrets.status())):
        assert CANARY not in text
        assert PASSPHRASE not in text


async def test_the_passphrase_is_asked_for_once_with_the_first_secret(
    path: Path,
) -> None:
    await encrypted_store(path, a=CANARY)
    asked: list[str] = []

    def answer(passphrase: str) -> str:
        asked.append(passphrase)
        return passphrase

    secrets = SecretStore(EncryptedFile(path, lambda: answer(PASSPHRASE)))
    secrets.set_for_session("b", "1")
    assert (await secrets.get("b"), asked) == ("1", [])
    assert [await secrets.get("a"), await secrets.get("a"), *asked] == [CANARY, CANARY, PASSPHRASE]
    asked.clear()
    closed = SecretStore(EncryptedFile(path, lambda: answer("correct horse batterx")))
    for words in ("is not the passphrase", "are locked: unlock them"):
        with pytest.raises(SecretStoreError, match=words):
            await closed.get("a")
    assert len(asked) == 1


async def found_by_another(path: Path) -> str:
    return await (await unlocked_store(path)).get("a")


WRITING = """
import asyncio, itertools, sys
from pathlib import Path
from tools.accounts.encrypted_file import EncryptedFile
from tools.accounts.secret_store import SecretStore
async def main():
    secrets = SecretStore(EncryptedFile(Path(sys.argv[1]), lambda: "correct horse battery"))
    for number in itertools.count():
        await secrets.set("a", f"{number} " * 5000)
        print(number, flush=True)
asyncio.run(main())
"""


def test_a_program_killed_while_writing_leaves_the_last_stored_secret(
    path: Path,
) -> None:
    asyncio.run(encrypted_store(path))
    for moment in range(5):
        program = [sys.executable, "-c", WRITING, str(path)]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as writing:
            assert writing.stdout
            kept = [writing.stdout.readline() for _ in range(3 + moment)]
            time.sleep(moment / 1000)
            writing.kill()
            kept += writing.stdout.readlines()
        found = asyncio.run(found_by_another(path))
        number = int(found.split()[0])
        assert found == f"{number} " * 5000
        assert number >= int(kept[-1])
