"""Benchmark: asking a model, beside bare httpx and beside other agents, all of one instant server.

Prints ratios measured in one run, of the time that each process had for itself: what else a busy
machine does is not its own. Run with `python -m tests.benchmarks model`.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tests.benchmarks import loop_blocks, token_cost
from tests.benchmarks.instant_server import instant_server
from tests.benchmarks.model_peers import PEERS
from tests.benchmarks.peer_process import MissingError, Peer, Ready, Took

ROUNDS = {10: 9, 50: 5}  # of so many calls, so many runs
FLOOR = "httpx_and_json"
AGENTS = ("smolagents", "openai_agents", "langgraph", "pydantic_ai")
FASTER = {10: 4, 50: 12}  # than the fastest agent, at least


@dataclass(frozen=True)
class Call:
    """One call of a run, as the median of the runs: milliseconds."""

    wall: float
    own: float


def main() -> None:
    """Measure and print."""
    with instant_server() as address:
        _stepwise(address)
        loop_blocks.measure(address)
        token_cost.measure(address)


def _stepwise(address: str) -> None:
    with contextlib.ExitStack() as stack:
        peers = {name: stack.enter_context(Peer(name, address)) for name in PEERS}
        ready = _ready(peers)
        first = {name: peers[name].run(1) for name in ready}
        _print_ready(ready, first)
        for calls, rounds in ROUNDS.items():
            _print_calls(calls, _calls([peers[name] for name in ready], calls, rounds))


def _ready(peers: Mapping[str, Peer]) -> dict[str, Ready]:
    ready = {}
    for name, peer in peers.items():
        try:
            ready[name] = peer.ready()
        except MissingError as error:
            print(f"skipped {name}: {error}")
    return ready


def _calls(peers: Sequence[Peer], calls: int, rounds: int) -> dict[str, Call]:
    """Run all in turn, so that whatever else the machine does slows all."""
    runs: dict[str, list[Took]] = {peer.name: [] for peer in peers}
    for number in range(rounds + 1):
        for peer in peers:
            took = peer.run(calls)
            if number:  # the first connects
                runs[peer.name].append(took)
    return {
        name: Call(
            median(took.wall for took in each) / calls, median(took.own for took in each) / calls
        )
        for name, each in runs.items()
    }


def _print_ready(ready: Mapping[str, Ready], first: Mapping[str, Took]) -> None:
    print("to be ready, and to have asked once (own time, memory of the process)")
    for name, each in ready.items():
        print(
            f"  {name:18}{each.own:8.0f} ms {each.resident:6.0f} MB"
            f"{each.own + first[name].own:8.0f} ms {first[name].resident:6.0f} MB"
        )


def _print_calls(number: int, calls: Mapping[str, Call]) -> None:
    print(f"a call of a stepwise run of {number}")
    for name, call in calls.items():
        ratio = call.own / calls[FLOOR].own
        print(
            f"  {name:18}{call.wall:8.2f} ms {call.own:8.2f} ms own   × {ratio:5.2f} {FLOOR}"
            f"{'   (at most 1.5)' if name.startswith('deskhand') else ''}"
        )
    fastest = min((calls[name].own for name in AGENTS if name in calls), default=0.0)
    faster = fastest / calls["deskhand"].own
    print(f"  fastest agent ÷ deskhand {faster:8.1f}      (at least {FASTER[number]})")


if __name__ == "__main__":
    main()
