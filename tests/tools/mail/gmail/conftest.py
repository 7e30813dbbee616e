from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.google.google import Google
from tests.google.server import google_server
from tests.tools.mail.gmail.gmail_account import GmailTestAccount


@pytest.fixture
def google() -> Iterator[Google]:
    with google_server() as running:
        yield running


@pytest.fixture
async def gmail_account(google: Google, tmp_path: Path) -> AsyncIterator[GmailTestAccount]:
    made = GmailTestAccount(google, tmp_path)
    yield made
    await made.close()
