"""The real window on a real desktop: keys in, report out, and everything there after a restart."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.conversation_store import ConversationStore, Turn
from assistant.profile import Profile
from tests.assistant.model_client.model_responses import responds
from tests.e2e.model_server_thread import model_server
from tests.e2e.virtual_desktop import PROGRAMS, WAIT_SECONDS, Desktop, desktop, need, until
from tests.gui.settings.model_window import PLAN

pytestmark = pytest.mark.desktop

REQUEST = "Read the latest 10 emails, summarize them, and create a report"
DEMO = ("--demo", "--now", "2026-11-20T10:30:00+01:00")


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Desktop]:
    """A desktop without a tray."""
    need(*PROGRAMS)
    with desktop(tmp_path) as made:
        yield made


@pytest.fixture
def screen_with_tray(tmp_path: Path) -> Iterator[Desktop]:
    """A desktop with a tray at its top."""
    need(*PROGRAMS, "trayer")
    tray = ["trayer", "--edge", "top", "--widthtype", "pixel", "--width", "60", "--height", "30"]
    with desktop(tmp_path, tray) as made:
        yield made


def _turns(profile: Path) -> list[Turn]:
    database = Profile(profile / "demo").database
    if not database.exists():
        return []
    try:
        with closing(ConversationStore(database)) as store:
            return [turn for one in store.conversations() for turn in store.turns(one.id)]
    except sqlite3.OperationalError:  # the program writes at this moment
        return []


def _answered(profile: Path) -> list[Turn]:
    return [turn for turn in _turns(profile) if turn.reply is not None]


def _tray_menu_opens(screen: Desktop) -> bool:
    """Click the icon; the first click may only take away a notice of the program."""
    before = len(screen.windows())
    screen.click(screen.tray_icons()[0], button=3)
    return len(screen.windows()) > before


def test_a_request_typed_into_the_window_ends_in_a_report_that_opens(
    screen: Desktop, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    program = screen.deskhand(profile, *DEMO)
    until(lambda: "Deskhand" in screen.titles(), "the window")
    screen.type(REQUEST)
    screen.press("Return")
    until(lambda: _answered(profile), "the reply")

    (turn,) = _answered(profile)
    assert turn.reply is not None
    assert (turn.text, turn.reply.status) == (REQUEST, "success")
    assert [step.outcome for step in turn.steps] == ["done"] * 4
    (report,) = turn.reply.artifacts
    assert Path(report).is_file()
    screen.press("ctrl+o")
    until(lambda: screen.opened, "the report")
    assert screen.opened == [Path(report).as_uri()]

    screen.press("ctrl+q")
    assert program.wait(timeout=WAIT_SECONDS) == 0
    again = screen.deskhand(profile, *DEMO)
    until(lambda: any(title.startswith("Read the latest 10") for title in screen.titles()), "it")
    screen.press("ctrl+o")
    until(lambda: len(screen.opened) == 2, "the report again")
    assert screen.opened[1] == Path(report).as_uri()
    screen.press("ctrl+q")
    assert again.wait(timeout=WAIT_SECONDS) == 0


def test_text_typed_during_startup_is_kept(screen: Desktop, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    program = screen.deskhand(profile, *DEMO)
    until(lambda: "Deskhand" in screen.titles(), "the window")
    for text in ("Read my latest 5 emails", "Read my latest 3 emails"):
        screen.type(text)
        screen.press("Return")
    until(lambda: len(_answered(profile)) == 2, "both replies")
    assert len({turn.conversation_id for turn in _answered(profile)}) == 1
    screen.press("ctrl+q")
    assert program.wait(timeout=WAIT_SECONDS) == 0


def test_a_second_start_raises_the_first(screen: Desktop, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    program = screen.deskhand(profile, *DEMO)
    until(lambda: "Deskhand" in screen.titles(), "the window")
    screen.type("Read my latest 5 emails")
    screen.press("Return")
    until(lambda: _answered(profile), "the reply, so that everything is loaded")
    assert screen.deskhand(profile, *DEMO).wait(timeout=WAIT_SECONDS) == 0
    assert program.poll() is None
    program.terminate()
    assert program.wait(timeout=WAIT_SECONDS) == 0


def test_closing_the_window_ends_the_program_where_there_is_no_tray(
    screen: Desktop, tmp_path: Path
) -> None:
    program = screen.deskhand(tmp_path / "profile", *DEMO)
    until(lambda: "Deskhand" in screen.titles(), "the window")
    screen.press("alt+F4")
    assert program.wait(timeout=WAIT_SECONDS) == 0


def test_a_quick_command_of_the_tray_is_answered_and_found_again(
    screen_with_tray: Desktop, tmp_path: Path
) -> None:
    screen, profile = screen_with_tray, tmp_path / "profile"
    program = screen.deskhand(profile, *DEMO)
    until(lambda: "Deskhand" in screen.titles(), "the window")
    until(screen.tray_icons, "the icon in the tray")
    screen.press("alt+F4")
    until(lambda: not screen.windows(), "the window to hide")
    assert program.poll() is None

    until(lambda: _tray_menu_opens(screen), "the menu")
    screen.press("Down", "Down", "Down", "Return")
    until(lambda: _answered(profile), "the reply")
    (turn,) = _answered(profile)
    assert turn.reply is not None
    assert (turn.text, turn.reply.status) == ("Read my latest 10 emails", "success")
    assert [step.outcome for step in turn.steps] == ["done", "done"]
    until(lambda: "Read my latest 10 emails — Deskhand" in screen.titles(), "the window in front")

    until(lambda: _tray_menu_opens(screen), "the menu again")
    screen.press("Up", "Return")
    assert program.wait(timeout=WAIT_SECONDS) == 0
    again = screen.deskhand(profile, *DEMO)
    until(lambda: "Read my latest 10 emails — Deskhand" in screen.titles(), "it again")
    again.terminate()
    assert again.wait(timeout=WAIT_SECONDS) == 0


def test_a_model_of_the_environment_writes_is_stopped_and_is_asked_again(
    screen: Desktop, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    words = [f"wave{number} " for number in range(2000)]
    script = (
        responds(PLAN),
        responds(*words, pause=0.02),
        responds(PLAN),
        responds("The sea ", "is wide."),
    )
    with model_server(*script) as server:
        screen.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_MODEL": "tiny"}
        program = screen.deskhand(profile, *DEMO)
        until(lambda: "Deskhand" in screen.titles(), "the window")
        screen.type("Write me a letter about the sea, in your own words")
        screen.press("Return")
        until(lambda: len(server.asked) == 2, "the second call, which writes")
        time.sleep(1)  # for some of the text
        screen.press("Escape")
        until(lambda: _answered(profile), "the stopped reply")
        (stopped,) = _answered(profile)
        assert stopped.reply is not None
        assert stopped.reply.details.startswith("wave0 wave1 ")
        assert server.last.left
        screen.press("Up", "End")
        screen.type(" please")
        screen.press("Return")
        until(lambda: _answered(profile) not in ([], [stopped]), "another reply in its place")
        (turn,) = _answered(profile)
        assert turn.reply is not None
        assert turn.text == f"{stopped.text} please"
        assert turn.reply.details == "The sea is wide."
        screen.press("ctrl+comma")
        until(lambda: "Settings — Deskhand" in screen.titles(), "the settings")
        screen.press("Escape", "ctrl+q")
        assert program.wait(timeout=WAIT_SECONDS) == 0
