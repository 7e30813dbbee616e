import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.error_log import configure_logging
from assistant.profile import Profile
from tests.assistant.scripted import run, step


@pytest.fixture(autouse=True)
def log() -> Iterator[logging.Logger]:
    """Yield the program's logger without handlers; remove those that a test adds."""
    log = logging.getLogger("deskhand")
    before, level = log.handlers[:], log.level
    log.handlers.clear()
    yield log
    for handler in log.handlers:
        handler.close()
    log.handlers[:] = before
    log.setLevel(level)


async def _log_of_a_run(folder: Path) -> str:
    profile = Profile(folder)
    configure_logging(profile)
    await run(
        [step(1, "read_notes"), step(2, "reply_to_user", message="A canary.", details="$step1")]
    )
    return profile.log.read_text("utf-8") if profile.log.exists() else ""


async def test_the_log_names_steps_and_outcomes_but_no_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_LOG_LEVEL", "info")
    text = await _log_of_a_run(tmp_path)
    assert "planned 1 read_notes, 2 reply_to_user" in text
    assert "step 1 done" in text
    assert "replied success" in text
    assert not [content for content in ("canary", "Sarah", "budget") if content in text]


async def test_only_warnings_are_logged_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DESKHAND_LOG_LEVEL", raising=False)
    assert await _log_of_a_run(tmp_path) == ""


async def test_an_unknown_log_level_is_reported_and_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_LOG_LEVEL", "loud")
    text = await _log_of_a_run(tmp_path)
    assert "DESKHAND_LOG_LEVEL is not one of DEBUG, INFO, WARNING, ERROR" in text
    assert "planned" not in text


async def test_the_log_file_belongs_to_its_owner_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_LOG_LEVEL", "INFO")
    await _log_of_a_run(tmp_path)
    assert stat.S_IMODE(Profile(tmp_path).log.parent.stat().st_mode) == 0o700
