"""The table of requests and the steps they take, read from the text files beside this module."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from assistant.runs.plan import Plan

_HERE = Path(__file__).parent
_VALUE = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\](?!\.)|[^\s"\[]+)')

Steps = tuple[tuple[str, dict[str, object]], ...]


def understood() -> Iterator[tuple[str, Steps]]:
    """Every request with its expected steps, without the reply."""
    lines = (_HERE / "phrasings.txt").read_text("utf-8").splitlines()
    steps: list[tuple[str, dict[str, object]]] = []
    is_open = False
    for line in lines:
        if line.startswith("#") or not line:
            continue
        if line.startswith("→"):
            steps = steps if is_open else []
            is_open = True
            steps += [_step(line[1:].strip())] if len(line) > 1 else []
        else:
            is_open = False
            yield line, tuple(steps)


def not_understood() -> list[str]:
    """Requests that must be left to somebody else."""
    return (_HERE / "not_understood.txt").read_text("utf-8").splitlines()


def steps_of(plan: Plan) -> Steps:
    """The steps of a plan without its reply, as the table writes them."""
    return tuple((step.action, dict(step.parameters)) for step in plan.steps[:-1])


def _step(written: str) -> tuple[str, dict[str, object]]:
    action, _, parameters = written.partition(" ")
    return action, {match[1]: json.loads(match[2]) for match in _VALUE.finditer(parameters)}
