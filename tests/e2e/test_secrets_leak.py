"""Tokens, codes and passwords are in the keyring of the system, and nothing else ever shows them.

One life of a profile is lived with the real Secret Service: accounts are connected, read, fail in
every way and are connected again, each time by a program of its own. Then everything that is left
of it is searched.
"""

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.e2e.command_line_profile import CommandLineProfile
from tests.google.faults import EMPTY, refusing, slow
from tests.google.google import Google
from tests.google.letters import letter
from tests.google.server import ADDRESS, google_server
from tests.tools.mail.smtp.certificates import Certificate
from tests.tools.mail.smtp.smtp_servers import SmtpTestServer

APP_PASSWORD = "qkzx wvjy pbnm tgrd"  # noqa: S105 — nobody's
PASSPHRASE = "seven quiet herons wading"  # noqa: S105 — nobody's
SUBJECT = "Zanzibar-canary-4417"
BODY = "Grüße aus Kochi"


def secrets_of(google: Google) -> set[str]:
    """Every secret that went over the wire to Google: tokens, codes, verifiers, the client's."""
    found = {google.client.secret}
    for asked in google.requests:
        found.add(asked.headers.get("authorization", "").removeprefix("Bearer "))
        if asked.path in {"/oauth2/token", "/oauth2/revoke"}:
            sent = dict(parse_qsl(asked.body.decode()))
            names = ("code", "code_verifier", "refresh_token", "client_secret", "token")
            found |= {sent.get(name, "") for name in names}
    return {each for each in found if len(each) > 8}


def showing(places: Mapping[str, bytes], secrets: Collection[str]) -> list[tuple[str, str]]:
    """Which places show which secrets, by their beginnings."""
    return [
        (place, secret[:9])
        for place, content in places.items()
        for secret in secrets
        if secret.encode() in content
    ]


def client_file(folder: Path, google: Google) -> Path:
    """What Google's console gives to download; the person's own, outside of everything."""
    folder.mkdir(parents=True)
    path = folder / "client.json"
    client = {"client_id": google.client.id, "client_secret": google.client.secret}
    path.write_text(json.dumps({"installed": client}))
    return path


def read_latest(life: CommandLineProfile) -> tuple[int, Any]:
    request = {"tool": "gmail", "action": "read_latest", "args_json": "{}", "channel_id": "test"}
    status, said = life.run("call", "tools/execute", json.dumps(request))
    return status, json.loads(said[said.index("{") :])


@pytest.fixture(scope="module")
def google() -> Iterator[Google]:
    with google_server() as running:
        running.add_mail(letter(SUBJECT))
        yield running


@pytest.fixture(scope="module")
def life(google: Google, tmp_path_factory: pytest.TempPathFactory) -> CommandLineProfile:
    """A life with a keyring: connected, read, refused, crashed, signed out, signed in again."""
    folder = tmp_path_factory.mktemp("leak")
    life = CommandLineProfile(folder / "life", google)
    client = client_file(folder / "downloads", google)
    google.fail("/oauth2/token", slow(0.3))  # so that the processes are seen meanwhile
    connect = ("connect", "google", "--allow", "write", "calendar")
    status, said = life.run(*connect, "--client", str(client))
    assert (status, "Connected" in said) == (0, True), said
    signed_in = len(google.requests)

    google.fail("messages", slow(0.3))
    status, answer = read_latest(life)
    assert (status, json.loads(answer["data_json"])["subject"]) == (0, SUBJECT)
    assert "/o/oauth2/v2/auth" not in {each.path for each in google.requests[signed_in:]}

    google.expire_tokens()
    _, answer = read_latest(life)
    assert answer["ok"]
    google.fail("gmail/v1", refusing(401, "authError"), times=50)
    _, answer = read_latest(life)
    assert not answer["ok"]
    google.mend()

    google.fail(lambda asked: asked.path.endswith(("/profile", "/labels/INBOX")), EMPTY)
    status, said = life.run(*connect)
    assert "the log says where" in said, said
    google.mend()

    google.revoke_all()
    _, answer = read_latest(life)
    assert "sign in" in answer["error"].lower()
    assert life.run(*connect)[0] == 0
    google.expire_tokens()
    _, answer = read_latest(life)
    assert answer["ok"]
    life.run("accounts")
    life.run("doctor")
    return life


@pytest.fixture(scope="module")
def with_smtp(
    life: CommandLineProfile, tmp_path_factory: pytest.TempPathFactory
) -> CommandLineProfile:
    """The same life with a server that sends mail."""
    return connected_to_smtp(life, tmp_path_factory.mktemp("certificate"))


def connected_to_smtp(life: CommandLineProfile, folder: Path) -> CommandLineProfile:
    """Connect a server that sends mail, which first does not take the password."""
    certificate = Certificate.create(folder)
    life.environment = {"SSL_CERT_FILE": str(certificate.file)}

    async def connected() -> tuple[tuple[int, str], tuple[int, str]]:
        server = SmtpTestServer("another password")
        async with server.running(certificate.server_context):
            command = ("connect", "smtp", "anna@x.org", "--host", "localhost", "--password-stdin")
            arguments = (*command, "--port", str(server.port))
            refused = await asyncio.to_thread(life.run, *arguments, given=APP_PASSWORD)
            server.password = APP_PASSWORD.replace(" ", "")
            return refused, await asyncio.to_thread(life.run, *arguments, given=APP_PASSWORD)

    (status, said), (last, _) = asyncio.run(connected())
    assert (status, last) == (1, 0)
    assert "rejected the password" in said
    return life


def all_secrets(google: Google) -> set[str]:
    return secrets_of(google) | {APP_PASSWORD, APP_PASSWORD.replace(" ", "")}


def test_the_secret_service_has_the_persistent_secrets(
    with_smtp: CommandLineProfile, google: Google
) -> None:
    kept = with_smtp.kept()
    parts = sorted(name for name in kept if name.startswith(f"google:{ADDRESS} "))
    grant = "".join(kept[part] for part in parts) or kept[f"google:{ADDRESS}"]
    assert json.loads(grant)["refresh_token"] in secrets_of(google)
    assert kept["google:client"] == google.client.secret
    assert kept["smtp:anna@x.org"].replace(" ", "") == APP_PASSWORD.replace(" ", "")


def test_no_file_has_a_secret(with_smtp: CommandLineProfile, google: Google) -> None:
    written = with_smtp.written()
    assert {"profile/settings.toml", "talk.log"} <= set(written)
    assert any("keyrings" in place for place in written)
    assert showing(written, all_secrets(google)) == []


def test_nothing_that_was_said_has_a_secret(with_smtp: CommandLineProfile, google: Google) -> None:
    said = {str(number): text.encode() for number, text in enumerate(with_smtp.said)}
    assert len(said) > 8
    assert showing(said, all_secrets(google)) == []


def test_no_log_has_a_secret_though_every_library_says_all_it_can(
    with_smtp: CommandLineProfile, google: Google
) -> None:
    logs = {place: text for place, text in with_smtp.written().items() if place.endswith(".log")}
    assert b"DEBUG" in logs["talk.log"]
    assert b"unexpected" in logs["profile/logs/deskhand.log"]
    assert showing(logs, all_secrets(google)) == []
    assert showing(logs, [SUBJECT, BODY, ADDRESS]) == []


def test_no_argument_and_no_environment_has_a_secret(
    with_smtp: CommandLineProfile, google: Google
) -> None:
    seen = {str(number): each for number, each in enumerate(with_smtp.seen)}
    assert any(b"tests.e2e.debug_logging_cli" in each for each in seen.values())
    assert showing(seen, all_secrets(google)) == []


def test_disconnecting_leaves_nothing_behind(tmp_path: Path) -> None:
    with google_server() as google:
        life = CommandLineProfile(tmp_path / "life", google)
        client = client_file(tmp_path / "downloads", google)
        assert life.run("connect", "google", "--client", str(client))[0] == 0
        connected_to_smtp(life, tmp_path)
        assert life.run("disconnect", ADDRESS)[0] == 0
        assert life.run("disconnect", "anna@x.org")[0] == 0
    left = life.kept()
    assert not any(name.startswith(("google:anna", "smtp:")) for name in left)
    revoked = [each for each in google.requests if each.path == "/oauth2/revoke"]
    assert len(revoked) == 1
    assert showing(life.written(), all_secrets(google)) == []


def test_without_a_keyring_the_secrets_are_nowhere(tmp_path: Path) -> None:
    with google_server() as google:
        life = CommandLineProfile(tmp_path / "life", google, "none")
        client = client_file(tmp_path / "downloads", google)
        status, said = life.run("connect", "google", "--client", str(client))
        assert status == 0, said
        assert "this session only" in said
        _, answer = read_latest(life)
        assert not answer["ok"]
        secrets = secrets_of(google)
    assert len(secrets) > 3
    said_and_seen = {str(number): each.encode() for number, each in enumerate(life.said)}
    assert showing({**life.written(), **said_and_seen}, secrets) == []


def test_a_sealed_file_shows_neither_secrets_nor_its_passphrase(tmp_path: Path) -> None:
    with google_server() as google:
        google.add_mail(letter(SUBJECT))
        life = CommandLineProfile(
            tmp_path / "life", google, "none", {"DESKHAND_PASSPHRASE": PASSPHRASE}
        )
        client = client_file(tmp_path / "downloads", google)
        assert life.run("secrets", "--seal")[0] == 0
        status, said = life.run("connect", "google", "--client", str(client))
        assert status == 0, said
        _, answer = read_latest(life)
        assert answer["ok"], answer
        secrets = {*secrets_of(google), PASSPHRASE}
    written = life.written()
    assert "profile/secrets.sealed" in written
    said_and_seen = {str(number): each.encode() for number, each in enumerate(life.said)}
    assert showing({**written, **said_and_seen}, secrets) == []
