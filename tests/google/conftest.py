"""What the tests of our own Google share: it, and both it and the emulator by others."""

from collections.abc import Iterator

import pytest

from tests.google.emulator import needed_emulator
from tests.google.google import Google
from tests.google.server import google_server
from tests.google.visitor import Place, Visitor, signed_in, visitor
from tools.accounts.google.permissions import Permission, scopes_of


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as running:
        yield running


@pytest.fixture
def anna(google: Google) -> Iterator[Visitor]:
    """Somebody who may do everything there."""
    with visitor(google, google.grant(Permission).access_token) as visiting:
        yield visiting


@pytest.fixture(params=["ours", "by others"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """Each of the two."""
    if request.param == "ours":
        with google_server() as running:
            yield running
    else:
        with needed_emulator(tmp_path_factory.mktemp("emulator")) as emulated:
            yield emulated


@pytest.fixture
def guest(place: Place) -> Iterator[Visitor]:
    """Somebody who may do everything at each of the two."""
    token = signed_in(place, scopes_of(Permission))["access_token"]
    with visitor(place, token) as visiting:
        yield visiting
