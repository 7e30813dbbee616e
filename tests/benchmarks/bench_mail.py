"""A mailbox of 100,000 messages: its first indexing, and reading the latest ten through the agent.

The messages are those of a public corpus, repeated under new ids and dates.
"""

import asyncio
import email
import email.policy
import itertools
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

from assistant.agent import await_reply
from assistant.runs.request import Request
from assistant.workspace import Workspace
from tests.assistant.scripted import ScriptedApprover
from tests.corpora import as_mbox, spam_assassin
from tools.mail.mailbox import IndexingProgress
from tools.moments.clock import fixed_clock

MESSAGES = 100_000
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ROUNDS = 30
TICK = 0.002  # seconds between two looks at the loop
REPLACED = (b"date:", b"message-id:", b"in-reply-to:", b"references:")


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> None:
    mbox = as_mbox(_messages(), folder / "all.mbox")
    print(f"{MESSAGES:,} messages, {mbox.stat().st_size / 1e6:.0f} MB")
    workspace = _connected(folder / "profile", mbox)
    await _index(workspace)
    await _read_latest(workspace, mbox)
    await workspace.close()


def _connected(profile: Path, mbox: Path) -> Workspace:
    clock = fixed_clock(NOW)
    Workspace.open(profile, clock=clock, environment={}).accounts.connect_files("mbox", mbox)
    return Workspace.open(profile, clock=clock, report=_Progress(), environment={})


def _messages() -> Iterator[bytes]:
    sources = [path.read_bytes() for path in spam_assassin()]
    for number, raw in enumerate(itertools.islice(itertools.cycle(sources), MESSAGES)):
        yield _under_a_new_name(raw, number)


def _under_a_new_name(raw: bytes, number: int) -> bytes:
    head, blank, body = raw.partition(b"\n\n")
    lines, dropped = [], False
    for line in head.split(b"\n"):
        dropped = line.lower().startswith(REPLACED) or (dropped and line[:1] in b" \t")
        if not dropped and not line.startswith(b"From "):
            lines.append(line)
    moment = NOW - timedelta(minutes=5 * (MESSAGES - number))
    lines.append(f"Date: {format_datetime(moment)}".encode())
    lines.append(f"Message-ID: <{number}@corpus.example>".encode())
    return b"\n".join(lines) + blank + body


class _Progress:
    """Keeps the last report."""

    def __init__(self) -> None:
        self.last: IndexingProgress | None = None
        self.reports = 0

    def __call__(self, progress: IndexingProgress) -> None:
        self.last = progress
        self.reports += 1


async def _index(workspace: Workspace) -> None:
    seen = workspace.report
    start = time.perf_counter()
    first = asyncio.create_task(workspace.providers.refresh())
    await asyncio.sleep(3)
    cancelling = time.perf_counter()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    stopped = time.perf_counter() - cancelling
    if isinstance(seen, _Progress) and seen.last:
        print(f"cancelled at {seen.last.done:,} of {seen.last.total:,}; stopped in {stopped:.2f} s")
    done = asyncio.Event()
    stalls = asyncio.create_task(_longest_stall(done))
    await workspace.providers.refresh()
    taken = time.perf_counter() - start
    done.set()
    print(f"first indexing, resumed: {taken:.1f} s   {taken / 60:.2f} × the 60 s it may take")
    print(f"longest stall of the event loop meanwhile: {await stalls:.1f} ms")
    if isinstance(seen, _Progress):
        print(f"progress reports: {seen.reports}")


async def _longest_stall(done: asyncio.Event) -> float:
    longest = 0.0
    while not done.is_set():
        begin = time.perf_counter()
        await asyncio.sleep(TICK)
        longest = max(longest, time.perf_counter() - begin - TICK)
    return 1000 * longest


async def _read_latest(workspace: Workspace, mbox: Path) -> None:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run = workspace.agent.run(Request("Read my latest 10 emails"), ScriptedApprover())
        reply = (await await_reply(run)).reply
        times.append(1000 * (time.perf_counter() - start))
    if reply.details.count("](mail:") != 10:
        raise RuntimeError(f"expected ten emails: {reply}")
    floor = _floor(mbox)
    middle = statistics.median(times)
    print(f"“Read my latest 10 emails”: {middle:.1f} ms (worst {max(times):.1f})")
    print(f"  {middle / 50:.2f} × the 50 ms it may take, {middle / floor:.1f} × the floor")
    print(f"  floor: reading and parsing ten messages with Python's email: {floor:.1f} ms")


def _floor(mbox: Path) -> float:
    with mbox.open("rb") as file:
        file.seek(-200_000, 2)
        ten = file.read().split(b"\nFrom corpus@example.org")[-10:]
    start = time.perf_counter()
    for raw in ten:
        message = email.message_from_bytes(raw, policy=email.policy.default)
        body = message.get_body(("plain", "html"))
        if body is not None:
            body.get_payload(decode=True)
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()
