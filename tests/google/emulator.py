"""The emulator: an independent implementation of Google's services, in a process of its own.

It has no getProfile, no batch, no single event, no recurrence, and finds nothing by `rfc822msgid:`.
https://github.com/vercel-labs/emulate
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import corpora
from tests.google.server import ADDRESS
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints

_LOG = "emulator.log"
_CLIENT = GoogleClient("deskhand.apps.googleusercontent.com", "GOCSPX-emulator")
_START_SECONDS = 120.0  # until it must answer
_CALENDAR = {"id": "primary", "user_email": ADDRESS, "summary": ADDRESS, "primary": True}
_SEED = {
    "users": [{"email": ADDRESS, "name": "Anna Berg"}],
    "calendars": [_CALENDAR | {"selected": True, "time_zone": "Europe/Berlin"}],
}
_LOOPBACK = """\
const { Server } = require("node:net");
const listen = Server.prototype.listen;
Server.prototype.listen = function (first, ...rest) {
  const options = first !== null && typeof first === "object" ? first : { port: first };
  const then = rest.find((each) => typeof each === "function");
  return listen.call(this, { ...options, host: "127.0.0.1" }, ...(then ? [then] : []));
};
"""
"""Without it every other computer could connect."""


class EmulatorMissingError(Exception):
    """It cannot be had or does not start; the text says why."""


@dataclass(frozen=True)
class Emulator:
    """Where it runs; it takes any client, and knows this account beside one of its own."""

    url: str
    address: str = ADDRESS
    client: GoogleClient = _CLIENT

    @property
    def endpoints(self) -> GoogleEndpoints:
        """Where Deskhand finds it."""
        return GoogleEndpoints.at(self.url)


@contextmanager
def emulator(folder: Path) -> Iterator[Emulator]:
    """It, while it runs; `folder` takes its files.

    Raises:
        EmulatorMissingError: it cannot be had, or does not start.
    """
    port = _free_port()
    try:
        process = _started(folder, port)
    except (corpora.MissingCorpusError, OSError) as error:
        raise EmulatorMissingError(str(error)) from error
    with process:
        try:
            _wait(process, port, folder / _LOG)
            yield Emulator(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _started(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    seed, preload = folder / "seed.yaml", folder / "loopback.cjs"
    seed.write_text(json.dumps({"google": _SEED}))  # JSON is YAML
    preload.write_text(_LOOPBACK)
    program = ["node", "--require", str(preload), str(corpora.emulate()), "start"]
    options = ["--service", "google", "--port", str(port), "--seed", str(seed)]
    with (folder / _LOG).open("wb") as log:
        return subprocess.Popen([*program, *options], stdout=log, stderr=subprocess.STDOUT)


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise EmulatorMissingError(f"the emulator did not start: {log.read_text()}")


@contextmanager
def needed_emulator(folder: Path) -> Iterator[Emulator]:
    """The emulator for a test, which is skipped where there is none, but fails in CI."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(emulator(folder))
        except EmulatorMissingError as missing:
            if os.environ.get("CI"):
                raise
            pytest.skip(str(missing))
        yield running
