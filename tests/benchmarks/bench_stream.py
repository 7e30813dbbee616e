"""Benchmark: from a token sent by a model's server to its paint, in the whole program.

Run with `python -m tests.benchmarks stream`.
"""

import json
import subprocess
import tempfile
from statistics import median, quantiles
from typing import Any

from tests.benchmarks import streamed_window
from tests.benchmarks.environment import environment
from tests.benchmarks.instant_server import instant_server

TOKENS = 1000
RATE = 200  # a second
ROUNDS = 3


def main() -> None:
    """Measure and print."""
    with instant_server() as address, tempfile.TemporaryDirectory() as folder:
        told = [_told(folder, f"{address}/write/{TOKENS}/{RATE}/v1") for _ in range(ROUNDS)]
    late = [sorted(each["late"]) for each in told]
    painted = min(len(each) for each in late)
    print(f"from token to paint, {painted} of {TOKENS} tokens at {RATE} a second")
    print(f"  median                    {median(median(each) for each in late):8.1f} ms")
    slow = median(quantiles(each, n=20)[-1] for each in late)
    print(f"  19 of 20 within           {slow:8.1f} ms   (at most 17)")
    print(f"  longest                   {median(each[-1] for each in late):8.1f} ms")
    print("longest stall of the window")
    for phase, goal in (("planning", "first request of a start"), ("writing", "at most 17")):
        print(f"  {phase:26}{median(each[phase] for each in told):8.1f} ms   ({goal})")


def _told(folder: str, url: str) -> dict[str, Any]:
    done = subprocess.run(
        [*streamed_window.COMMAND, folder, url],
        capture_output=True,
        check=True,
        text=True,
        env=environment(),
        timeout=120,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


if __name__ == "__main__":
    main()
