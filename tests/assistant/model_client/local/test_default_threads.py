"""The default number of threads."""

import os
from pathlib import Path

import psutil
import pytest

from assistant.model_client.local.local_model import default_threads

CORES = psutil.cpu_count(logical=False) or os.cpu_count() or 1


def test_one_core_is_left_to_the_user(tmp_path: Path) -> None:
    assert 1 <= default_threads(tmp_path / "none") <= max(1, CORES - 1)


@pytest.mark.parametrize("quota", ["50000 100000", "100000 100000", "200000 100000"])
def test_a_container_with_up_to_two_cores_gets_one_thread(tmp_path: Path, quota: str) -> None:
    path = tmp_path / "cpu.max"
    path.write_text(quota)
    assert default_threads(path) == 1


@pytest.mark.parametrize("quota", ["max 100000", "", "many"])
def test_no_quota_changes_nothing(tmp_path: Path, quota: str) -> None:
    path = tmp_path / "cpu.max"
    path.write_text(quota)
    assert default_threads(path) == default_threads(tmp_path / "none")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_cores_that_the_program_may_not_use_are_not_counted(tmp_path: Path) -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert default_threads(tmp_path / "none") == 1
    finally:
        os.sched_setaffinity(0, allowed)
