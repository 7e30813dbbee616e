"""A hundred messages of Gmail listed and read, over 50 ms of latency, beside the least it can take.

Google is the loopback one in a process of its own. The goal: at most 1.25 of the limit in the same
run with at most 3 requests, one request when nothing is new, and memory that stays.
"""

import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.benchmarks import google_memory, google_readings
from tests.benchmarks.google_process import GoogleProcess, google_process
from tests.benchmarks.google_readings import Reading, milliseconds
from tools.accounts.google.account import GoogleAccount
from tools.mail.gmail.mailbox import GmailMailbox
from tools.mail.search.query import InFolder, Query
from tools.moments.clock import system_clock

MESSAGES = 100
LATENCY = 50  # milliseconds
ROUNDS = 9
FEW = 20  # messages of those who ask for one after the other
TICK = 0.001  # seconds between two looks at the loop
INBOX = Query(InFolder("INBOX"))


def main() -> None:
    """Measure and print."""
    with google_process(MESSAGES, LATENCY) as google, tempfile.TemporaryDirectory() as folder:
        gc.disable()  # as the window has it from its first line
        limit = asyncio.run(_ours(google, Path(folder)))
        gc.enable()
        _others(google, limit)
    google_memory.measure()


async def _ours(google: GoogleProcess, folder: Path) -> float:
    """Print what Deskhand takes; gives back the limit."""
    account = google.account()
    limit = google_readings.limit(google)
    milliseconds(limit, MESSAGES)  # the server keeps what it encoded once
    print(f"{MESSAGES} messages, {LATENCY} ms of latency, medians of {ROUNDS} and the quickest")
    async with _opened(account, folder / "cold") as mailbox:
        cold = await _read(mailbox)
        requests = google.requests()
        await _read(mailbox)
        repeated = google.requests() - requests
    gc.collect()
    gc.freeze()  # as the program does once it has loaded
    least, first, again, asked = [], [], [], 0
    for number in range(ROUNDS):
        least.append(await asyncio.to_thread(milliseconds, limit, MESSAGES))
        async with _opened(account, folder / f"{number}") as mailbox:
            await mailbox.folders()  # Google's client is loaded, and connected
            requests = google.requests()
            first.append(await _read(mailbox))
            asked = google.requests() - requests
            again.append(await _read(mailbox))
    bound = statistics.median(least)
    _say("limit: list, batches at once", least, bound, "3 requests; what came is not looked at")
    _say("Deskhand", first, bound, f"{asked} requests; at most 1.25 ×, 3")
    _say("  nothing new", again, bound, f"{repeated} request; at most 1")
    _say("  the very first, with loading", [cold], bound)
    print(f"longest stall of the event loop: {await _longest_stall(account, folder):.1f} ms of 20")
    await account.close()
    return bound


@asynccontextmanager
async def _opened(account: GoogleAccount, folder: Path) -> AsyncIterator[GmailMailbox]:
    mailbox = GmailMailbox(account, cache=folder / "gmail.db", clock=system_clock)
    try:
        yield mailbox
    finally:
        await mailbox.close()


async def _read(mailbox: GmailMailbox) -> float:
    """Milliseconds until a hundred emails are there."""
    began = time.perf_counter()
    emails = await mailbox.search(INBOX, MESSAGES)
    taken = 1000 * (time.perf_counter() - began)
    if len(emails) != MESSAGES or any(email.problem for email in emails):
        raise RuntimeError(f"{len(emails)} of {MESSAGES} emails came")
    return taken


async def _longest_stall(account: GoogleAccount, folder: Path) -> float:
    """Milliseconds that the loop was ever late while mail was read anew some times."""
    done = asyncio.Event()
    watching = asyncio.create_task(_late(done))
    for number in range(ROUNDS):
        async with _opened(account, folder / f"stall{number}") as mailbox:
            await _read(mailbox)
    done.set()
    return await watching


async def _late(done: asyncio.Event) -> float:
    longest = 0.0
    while not done.is_set():
        begin = time.perf_counter()
        await asyncio.sleep(TICK)
        longest = max(longest, time.perf_counter() - begin - TICK)
    return 1000 * longest


def _others(google: GoogleProcess, bound: float) -> None:
    """Print what others take."""
    batch = google_readings.clients_batch(google)
    _say("Google's client, its batch", _taken(batch, MESSAGES), bound)
    _say("20 threads", _taken(google_readings.threads(google), MESSAGES), bound)
    _one_after_the_other("Google's client, one by one", google_readings.one_by_one(google), bound)
    try:
        langchain = google_readings.langchain(google)
    except ImportError as error:
        print(f"  {'LangChain, Gmail toolkit':32}{error}")
        return
    _one_after_the_other("LangChain, Gmail toolkit", langchain, bound)


def _taken(reading: Reading, count: int) -> list[float]:
    milliseconds(reading, count)
    return [milliseconds(reading, count) for _ in range(ROUNDS)]


def _one_after_the_other(name: str, reading: Reading, bound: float) -> None:
    """A few messages, and what as many as the others read would take at this rate."""
    milliseconds(reading, 1)
    taken = milliseconds(reading, FEW)
    scaled = taken * (MESSAGES + 1) / (FEW + 1)
    _say(name, [scaled], bound, f"reckoned from {FEW} messages in {taken:.0f} ms")


def _say(name: str, taken: Sequence[float], bound: float, more: str = "") -> None:
    middle = statistics.median(taken)
    print(f"  {name:32}{middle:6.0f} ms {middle / bound:6.2f} ×  {min(taken):6.0f} ms   {more}")


if __name__ == "__main__":
    main()
