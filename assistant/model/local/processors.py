"""Processors: how many threads a model gets without taking the computer from its user."""

import os
from contextlib import suppress
from pathlib import Path

QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container on Linux: microseconds in every so many


def fitting_threads(quota: Path = QUOTA) -> int:
    """The cores that this program may use but one, at least one.

    The threads of a model wait for each other at every layer: one that has to share its core
    slows all of them, and two on two busy cores are slower than one.
    """
    import psutil  # noqa: PLC0415 — comes with an extra

    logical = os.cpu_count() or 1
    cores = psutil.cpu_count(logical=False) or logical
    return max(1, min(_allowed(logical) * cores // logical, _granted(quota, cores)) - 1)


def _allowed(logical: int) -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return logical


def _granted(quota: Path, cores: int) -> int:
    with suppress(OSError, ValueError):  # there is none, or it says "max"
        time, period = map(int, quota.read_text("ascii").split())
        return time // period
    return cores
