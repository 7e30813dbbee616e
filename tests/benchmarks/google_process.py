"""A Google in a process of its own, so that nobody who is measured shares a loop with it."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.benchmarks.environment import environment
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.secret_store import SecretStore
from tools.moments.clock import system_clock

COMMAND = (sys.executable, "-m", "tests.google")


@dataclass(frozen=True)
class GoogleProcess:
    """Where it runs and what signing in to it gave; `grant` is a grant's secret."""

    url: str
    address: str
    client: str
    grant: str

    @property
    def token(self) -> str:
        """An access token."""
        return Grant.from_secret(self.grant).access_token

    def account(self) -> GoogleAccount:
        """Its account, signed in."""
        return GoogleAccount(
            "bench",
            self.address,
            GoogleClient(self.client),
            SecretStore(),
            GoogleEndpoints.at(self.url),
            clock=system_clock,
            grant=Grant.from_secret(self.grant),
        )

    def connection(self) -> http.client.HTTPConnection:
        """A bare connection to it."""
        return http.client.HTTPConnection(urlsplit(self.url).netloc)

    def requests(self) -> int:
        """How many requests it got until now, without those of this method."""
        connection = self.connection()
        connection.request("GET", "/counts")
        told = json.loads(connection.getresponse().read())
        connection.close()
        return int(told["requests"])


@contextmanager
def google_process(messages: int, latency: float) -> Iterator[GoogleProcess]:
    """It, while it runs; the latency of each HTTP request is in milliseconds."""
    command = [*COMMAND, "--messages", str(messages), "--latency", str(latency)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        try:
            assert process.stdout
            yield GoogleProcess(**json.loads(process.stdout.readline()))
        finally:
            process.terminate()
