"""An OAuth client is read from Google's file, and other files are refused with a remedy."""

import json
from pathlib import Path

import pytest

from tools.accounts.google.oauth_client import (
    GOOGLE_ENDPOINTS,
    GoogleClient,
    GoogleEndpoints,
    read_client_file,
)
from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission, granted_by

ID = "1234-abc.apps.googleusercontent.com"
SECRET = "GOCSPX-canary"  # noqa: S105
INSTALLED = {
    "client_id": ID,
    "project_id": "desk",
    "auth_uri": "https://evil.example/auth",
    "token_uri": "https://evil.example/token",
    "client_secret": SECRET,
    "redirect_uris": ["http://localhost"],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "client_secret.json"


def test_a_desktop_client_is_read(file: Path) -> None:
    file.write_text(json.dumps({"installed": INSTALLED}))
    assert read_client_file(file) == GoogleClient(ID, SECRET)
    file.write_text(json.dumps({"installed": {"client_id": f" {ID}\n"}}), encoding="utf-8-sig")
    assert read_client_file(file) == GoogleClient(ID)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"type": "service_account", "private_key": SECRET}, "key of a service account"),
        ({"type": "authorized_user", "client_id": ID}, "the sign-in of another program"),
        ({"web": INSTALLED}, "“Web application”"),
        ({"installed": {}}, "has no client ID"),
        ({"installed": {"client_id": ""}}, "has no client ID"),
        ({"installed": {"client_id": 7}}, "has no client ID"),
        ({"installed": {"client_id": ID, "client_secret": 7}}, "has no client ID"),
        ({"installed": ID}, "is not a client file"),
        ({}, "is not a client file"),
        ([ID], "is not a JSON file"),
        (SECRET, "is not a JSON file"),
    ],
)
def test_another_file_is_refused_with_the_remedy(file: Path, content: object, words: str) -> None:
    file.write_text(json.dumps(content))
    with pytest.raises(GoogleAccountError, match=words) as caught:
        read_client_file(file)
    assert "client_secret.json" in str(caught.value)
    assert "Create a client of the type “Desktop app” at https://" in str(caught.value)
    assert "canary" not in f"{caught.value} {caught.value.__cause__!r} {caught.value.__context__!r}"


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe\x00", b"[" * 90_000, b" " * 200_000 + b"{}"])
def test_an_invalid_json_file_is_reported(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    with pytest.raises(GoogleAccountError, match="is not a JSON file of Google"):
        read_client_file(file)


def test_a_missing_file_is_reported(file: Path) -> None:
    with pytest.raises(GoogleAccountError, match=r"cannot be read .No such file"):
        read_client_file(file)


def test_a_client_shows_no_secret() -> None:
    assert "canary" not in repr(GoogleClient(ID, SECRET))


def test_google_is_reached_over_https_alone() -> None:
    assert all(each.startswith("https://") for each in vars(GOOGLE_ENDPOINTS).values())


@pytest.mark.parametrize("base", ["http://127.0.0.1:4000", "http://[::1]:4000/", "https://g.test"])
def test_the_endpoints_of_another_server_are_below_one_url(base: str) -> None:
    at = GoogleEndpoints.at(base)
    base = base.rstrip("/")
    assert at.token == f"{base}/oauth2/token"
    assert at.calendar == f"{base}/calendar/v3/"


@pytest.mark.parametrize(
    "base", ["http://google.com", "http://127.0.0.1.evil.example", "ftp://x", ""]
)
def test_a_token_is_never_sent_in_the_clear(base: str) -> None:
    with pytest.raises(GoogleAccountError, match="no safe address"):
        GoogleEndpoints.at(base)


def test_wider_scopes_include_narrower_permissions() -> None:
    auth = "https://www.googleapis.com/auth"
    assert granted_by([f"{auth}/calendar"]) == {Permission.CALENDAR}
    assert granted_by(["https://mail.google.com/"]) == set(Permission) - {Permission.CALENDAR}
    assert granted_by([f"{auth}/gmail.modify"]) == set(Permission) - {Permission.CALENDAR}
    assert granted_by([f"{auth}/calendar.readonly", "openid"]) == set()
