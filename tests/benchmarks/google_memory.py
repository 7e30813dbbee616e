"""What a process takes after it read a thousand messages of Gmail, and after ten thousand.

python -m tests.benchmarks.google_memory, with the JSON of a `GoogleProcess` to read, prints it.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import psutil

from tests.benchmarks.environment import environment
from tests.benchmarks.google_process import GoogleProcess, google_process
from tests.google.__main__ import NEWEST, PAUSE
from tools.mail.gmail.mailbox import GmailMailbox
from tools.mail.search.query import And, Before, Query, Since
from tools.moments.clock import system_clock

STEPS = (1_000, 10_000)
AT_ONCE = 100
COMMAND = (sys.executable, "-m", "tests.benchmarks.google_memory")


def measure() -> None:
    """Print what a process of its own takes."""
    with google_process(STEPS[-1], latency=0) as google:
        done = subprocess.run(
            COMMAND,
            input=json.dumps(asdict(google)),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=environment(),
        )
    took: dict[str, float] = json.loads(done.stdout)
    first, last = (took[str(step)] for step in STEPS)
    said = ", ".join(f"{each:.0f} MB after {int(step):,}" for step, each in took.items())
    print(f"memory: {said} messages   {last / first:.2f} ×, goal flat")


async def _read(google: GoogleProcess, folder: Path) -> dict[int, float]:
    account = google.account()
    mailbox = GmailMailbox(account, cache=folder / "gmail.db", clock=system_clock)
    took = {}
    for done in range(AT_ONCE, STEPS[-1] + 1, AT_ONCE):
        await _read_before(mailbox, done)
        if done in STEPS:
            took[done] = psutil.Process().memory_info().rss / 1e6
    await mailbox.close()
    await account.close()
    return took


async def _read_before(mailbox: GmailMailbox, number: int) -> None:
    """The hundred messages before this one."""
    oldest = NEWEST - (number - 1) * PAUSE
    span = And((Since(oldest), Before(oldest + AT_ONCE * PAUSE - timedelta(seconds=1))))
    came = len(await mailbox.search(Query(span), AT_ONCE))
    if came != AT_ONCE:
        raise RuntimeError(f"{came} of {AT_ONCE} messages came")


def main() -> None:
    """Read, and print the megabytes resident after each step."""
    with tempfile.TemporaryDirectory() as folder:
        took = asyncio.run(_read(GoogleProcess(**json.load(sys.stdin)), Path(folder)))
    sys.stdout.write(json.dumps(took))


if __name__ == "__main__":
    main()
