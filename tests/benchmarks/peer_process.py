"""A process in which one peer runs, so that what it imports and keeps is its own.

python -m tests.benchmarks.peer_process NAME ADDRESS: for each line read, a number of calls, it
prints what one run took.
"""

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any, Self

import psutil

from tests.benchmarks.environment import environment
from tests.benchmarks.model_peers import PEERS

COMMAND = (sys.executable, "-m", "tests.benchmarks.peer_process")


@dataclass(frozen=True)
class Ready:
    """A peer that can be asked: milliseconds its imports took it, megabytes resident then."""

    own: float
    resident: float


@dataclass(frozen=True)
class Took:
    """One run: milliseconds by the clock and of this process alone; megabytes resident then."""

    wall: float
    own: float
    resident: float


class MissingError(Exception):
    """The peer is not installed, and why."""


class Peer:
    """The other end of the process."""

    def __init__(self, name: str, address: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [*COMMAND, name, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def ready(self) -> Ready:
        """Wait until it is.

        Raises:
            MissingError: it cannot be imported.
        """
        told = self._told()
        if "missing" in told:
            raise MissingError(told["missing"])
        return Ready(**told)

    def run(self, calls: int) -> Took:
        """One run."""
        assert self._process.stdin
        self._process.stdin.write(f"{calls}\n")
        self._process.stdin.flush()
        return Took(**self._told())

    def _told(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended with {self._process.wait()}")
        told: dict[str, Any] = json.loads(line)
        return told


def _resident() -> float:
    return float(psutil.Process().memory_info().rss / 1e6)


def _tell(value: object) -> None:
    print(json.dumps(value), flush=True)


def main(name: str, address: str) -> None:
    """Be ready, then run as often as the other end asks."""
    began = time.process_time()
    try:
        run = PEERS[name](address)
    except ImportError as error:
        _tell({"missing": str(error)})
        return
    _tell(asdict(Ready(1000 * (time.process_time() - began), _resident())))
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            wall, own = time.perf_counter(), time.process_time()
            answer = runner.run(run(int(line)))
            wall, own = time.perf_counter() - wall, time.process_time() - own
            if answer != "done":
                raise RuntimeError(f"{name} answered {answer!r}")
            _tell(asdict(Took(1000 * wall, 1000 * own, _resident())))


if __name__ == "__main__":
    main(*sys.argv[1:])
