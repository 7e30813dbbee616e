"""Benchmark: commands of the command line, beside an empty Python program.

Prints ratios measured in one run, and the peak of resident memory. Run with
`python -m tests.benchmarks command_line`.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.environment import environment

ROUNDS = 15
EMPTY = ("-c", "pass")
PROGRAM = ("-m", "gui")
# Run by a process of its own: a child's peak of memory is never less than its parent's size.
_WAIT = """
import posix, sys
silent = [(posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0)]
child = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ, file_actions=silent)
_, status, usage = posix.wait4(child, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""
WINDOW_STARTUP = 60  # seconds until the window must answer


@dataclass(frozen=True)
class Process:
    """One run: seconds of processor time, and the peak of resident memory in megabytes."""

    seconds: float
    megabytes: float


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        profile = ("--profile", folder)
        commands = {
            "python -c pass": (EMPTY, ""),
            "deskhand --version": ((*PROGRAM, "--version"), "at most 2"),
            "deskhand --help": ((*PROGRAM, "--help"), "at most 3"),
            "deskhand call": ((*PROGRAM, "call", "window/raise", *profile), "at most 4"),
            "deskhand ask": ((*PROGRAM, "ask", "Read my latest 5 emails", *profile), "at most 12"),
        }
        with _running_window(folder):
            runs: dict[str, list[Process]] = {name: [] for name in commands}
            for _ in range(ROUNDS):
                for name, (command, _limit) in commands.items():
                    runs[name].append(_run(command))
        _print(runs, {name: limit for name, (_, limit) in commands.items()})


@contextmanager
def _running_window(profile: str) -> Iterator[None]:
    """Run the window on the sample until the end of the block."""
    command = [sys.executable, *PROGRAM, "--profile", profile]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL) as window:
        socket = Path(profile, "run", "bus")
        end = time.monotonic() + WINDOW_STARTUP
        while not socket.exists() and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(5)  # what is still being loaded would be measured along
        try:
            yield
        finally:
            window.terminate()


def _run(arguments: Sequence[str]) -> Process:
    command = [sys.executable, "-S", "-c", _WAIT, sys.executable, *arguments]
    finished = subprocess.run(command, env=environment(), capture_output=True, check=True)
    status, seconds, kilobytes = map(float, finished.stdout.split())
    if status:
        raise RuntimeError(f"{arguments} ended with {status}")
    return Process(seconds, kilobytes * 1024 / 1e6)


def _print(runs: Mapping[str, Sequence[Process]], limits: Mapping[str, str]) -> None:
    for title, middle in (("fastest", min), ("median", median)):
        print(f"processor time, {title} of {ROUNDS}; peak of resident memory")
        empty = middle(run.seconds for run in runs["python -c pass"])
        for name, found in runs.items():
            seconds = middle(run.seconds for run in found)
            peak = median(run.megabytes for run in found)
            ratio = f"× {seconds / empty:4.1f}"
            limit = f"({limits[name]})" if limits[name] else ""
            print(f"  {name:22}{1000 * seconds:6.0f} ms  {ratio}  {peak:4.0f} MB  {limit}".rstrip())


if __name__ == "__main__":
    main()
