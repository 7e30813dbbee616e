"""Chunked secrets: a long secret is read whole or not at all, in short entries."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.accounts.keyring_session import KeyringSession
from tools.accounts.secret_backend import SecretStoreError, SecretStoreStatus
from tools.accounts.system_keyring import ChunkedBackend

WINDOWS_TAKES = 2560  # bytes of an entry, in UTF-16


class Entries:
    """Implements `SecretBackend` in memory."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}

    def get(self, name: str) -> str:
        return self.secrets.get(name, "")

    def set(self, name: str, secret: str) -> None:
        self.secrets[name] = secret

    def delete(self, name: str) -> None:
        self.secrets.pop(name, None)

    def status(self) -> SecretStoreStatus:
        return SecretStoreStatus("keyring", "")


NAMES = st.sampled_from(["google:ana@x.org", "model:A"])
SECRETS = st.text(max_size=20) | st.text(min_size=550, max_size=4000)


@given(st.lists(st.tuples(NAMES, SECRETS), max_size=6))
def test_only_the_last_stored_secret_remains(
    kept: list[tuple[str, str]],
) -> None:
    entries = Entries()
    keyring = ChunkedBackend(entries)
    for name, secret in kept:
        keyring.set(name, secret)
        assert keyring.get(name) == secret
    for name, secret in dict(kept).items():
        assert keyring.get(name) == secret
    for entry in entries.secrets.values():
        assert len(entry.encode("utf-16", "surrogatepass")) <= WINDOWS_TAKES
    for name in dict(kept):
        keyring.delete(name)
    assert entries.secrets == {}


def test_a_secret_that_looks_like_an_index_of_chunks_is_a_secret() -> None:
    entries = Entries()
    keyring = ChunkedBackend(entries)
    keyring.set("a", "x" * 2000)
    listing = entries.get("a")
    keyring.set("b", listing)
    assert keyring.get("b") == listing
    keyring.delete("b")
    assert keyring.get("a") == "x" * 2000


def test_a_lost_chunk_is_reported_and_the_secret_can_be_stored_again() -> None:
    entries = Entries()
    keyring = ChunkedBackend(entries)
    keyring.set("google:ana@x.org", "x" * 2000)
    entries.delete(next(name for name in entries.secrets if name.endswith("-1")))
    with pytest.raises(SecretStoreError, match=r"has lost a part of “google:ana@x\.org”"):
        keyring.get("google:ana@x.org")
    keyring.set("google:ana@x.org", "y" * 2000)
    assert keyring.get("google:ana@x.org") == "y" * 2000


KEEPING = """
import asyncio, itertools
from tools.accounts.secret_store import SecretStore
async def keep():
    secrets = SecretStore()
    for number in itertools.count():
        await secrets.set("google:ana@x.org", f"{number} " * 1500)
        print(number, flush=True)
asyncio.run(keep())
"""
KILLING = """
import asyncio, json, subprocess, sys, time
from tools.accounts.secret_store import SecretStore
keeping, noted = json.load(sys.stdin), []
for moment in range(6):
    with subprocess.Popen([sys.executable, "-c", keeping], stdout=subprocess.PIPE) as program:
        told = [program.stdout.readline() for _ in range(2)]
        time.sleep(moment / 200)
        program.kill()
        told += program.stdout.readlines()
    noted.append([int(told[-1]), asyncio.run(SecretStore().get("google:ana@x.org"))])
print(json.dumps(noted))
"""
LOOKING = """
import asyncio, json, secretstorage
from contextlib import closing
from tools.accounts.secret_store import SecretStore
async def look():
    secrets = SecretStore()
    found = await secrets.get("google:ana@x.org")
    with closing(secretstorage.dbus_init()) as bus:
        items = [each.get_secret().decode() for each in secretstorage.search_items(bus, {})]
    await secrets.delete("google:ana@x.org")
    with closing(secretstorage.dbus_init()) as bus:
        left = len(list(secretstorage.search_items(bus, {})))
    print(json.dumps([found, items, left]))
asyncio.run(look())
"""


def test_a_long_secret_is_read_in_another_session_and_deleted_whole(tmp_path: Path) -> None:
    session = KeyringSession(tmp_path)
    long = "ya29.canary" * 600
    keep = "import asyncio,sys; from tools.accounts.secret_store import SecretStore; asyncio.run("
    keep += "SecretStore().set('google:ana@x.org', sys.stdin.read()))"
    assert session.run("open", "-c", keep, given=long).returncode == 0
    finished = session.run("open", "-c", LOOKING)
    assert finished.returncode == 0, finished.stderr
    found, items, left = json.loads(finished.stdout)
    assert (found, left) == (long, 0)
    assert "".join(sorted(items, key=long.find)).count("ya29.canary") > 500
    assert all(len(each.encode("utf-16")) <= WINDOWS_TAKES for each in items)


def test_a_program_killed_while_storing_leaves_a_whole_secret(tmp_path: Path) -> None:
    finished = KeyringSession(tmp_path).run("open", "-c", KILLING, given=json.dumps(KEEPING))
    assert finished.returncode == 0, finished.stderr
    for told, found in json.loads(finished.stdout):
        number = int(found.split()[0])
        assert found == f"{number} " * 1500
        assert number >= told
