"""Fixtures of the loopback Google, alone and beside the independent emulator."""

from collections.abc import Iterator

import pytest

from tests.google.emulator import needed_emulator
from tests.google.google import Google
from tests.google.raw_client import GoogleServer, RawClient, raw_client, signed_in
from tests.google.server import google_server
from tools.accounts.google.permissions import Permission, scopes_of


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as running:
        yield running


@pytest.fixture
def anna(google: Google) -> Iterator[RawClient]:
    """A client with all scopes."""
    with raw_client(google, google.grant(Permission).access_token) as client:
        yield client


@pytest.fixture(params=["ours", "by others"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GoogleServer]:
    """Each of the two."""
    if request.param == "ours":
        with google_server() as running:
            yield running
    else:
        with needed_emulator(tmp_path_factory.mktemp("emulator")) as emulated:
            yield emulated


@pytest.fixture
def guest(place: GoogleServer) -> Iterator[RawClient]:
    """A client with all scopes, on each of the two servers."""
    token = signed_in(place, scopes_of(Permission))["access_token"]
    with raw_client(place, token) as client:
        yield client
