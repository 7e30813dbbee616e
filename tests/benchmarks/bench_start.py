"""Benchmark: from start to first frame, beside a bare window; and the stalls of what follows it.

Prints ratios measured in one run. Run with `python -m tests.benchmarks start`.
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic

from tests.benchmarks import bare_window, stalls
from tests.benchmarks.environment import environment
from tests.gui import first_paint

ROUNDS = 15


@dataclass(frozen=True)
class Start:
    """One start: milliseconds to the first frame, megabytes resident by then."""

    milliseconds: float
    megabytes: float


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        profile = str(Path(folder) / "profile")
        _started(bare_window.COMMAND)  # warms the disk
        _started((*first_paint.COMMAND, profile))
        bare, ours = [], []
        for _ in range(ROUNDS):
            bare.append(_started(bare_window.COMMAND))
            ours.append(_started((*first_paint.COMMAND, profile)))
        _print(bare, ours)
        _print_stalls(str(Path(folder) / "loading"))


def _started(command: Sequence[str]) -> Start:
    began = monotonic()
    told = _told(command)
    return Start(1000 * (told["moment"] - began), told["resident"] / 1e6)


def _told(command: Sequence[str]) -> dict[str, float]:
    done = subprocess.run(
        command, capture_output=True, check=True, text=True, env=environment(), timeout=120
    )
    told: dict[str, float] = json.loads(done.stdout)
    return told


def _print(bare: Sequence[Start], ours: Sequence[Start]) -> None:
    for name, middle in (("fastest", min), ("median", median)):
        beside = middle(start.milliseconds for start in bare)
        here = middle(start.milliseconds for start in ours)
        print(f"first frame, {name} of {ROUNDS}")
        print(f"  bare window               {beside:8.0f} ms")
        print(f"  Deskhand                  {here:8.0f} ms   × {here / beside:.2f} (at most 1.25)")
    beside = median(start.megabytes for start in bare)
    here = median(start.megabytes for start in ours)
    print("resident at the first frame")
    print(f"  bare window               {beside:8.0f} MB")
    print(f"  Deskhand                  {here:8.0f} MB   × {here / beside:.2f} (at most 1.3)")


def _print_stalls(profile: str) -> None:
    _told((*stalls.COMMAND, profile))  # makes the sample
    told = [_told((*stalls.COMMAND, profile)) for _ in range(5)]
    print("longest stall of the window")
    for phase in ("loading", "after"):
        longest = median(each[phase] for each in told)
        print(f"  {phase:26}{longest:8.0f} ms   (at most 16)")


if __name__ == "__main__":
    main()
