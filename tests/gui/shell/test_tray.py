"""The app icon, the tray menu and the window preferences."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from assistant.quick_commands import QUICK_COMMANDS
from gui.shell.preferences import WindowPreferences
from gui.shell.tray import TrayIcon
from gui.theme.app_icon import ICON_SIZES, Activity, app_icon, app_icon_pixmap
from gui.theme.colors import Theme


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("size", ICON_SIZES)
def test_the_icon_has_contrast_at_every_size(size: int) -> None:
    image = app_icon_pixmap(size).toImage()
    bell = image.pixelColor(size // 2, round(size * 0.55))
    ground = image.pixelColor(round(size * 0.15), size // 2)
    assert bell.lightness() - ground.lightness() > 100
    assert image.pixelColor(0, 0).alpha() < 128


@pytest.mark.usefixtures("qapp")
def test_every_activity_has_its_own_icon() -> None:
    pictures = [app_icon_pixmap(22, activity).toImage() for activity in Activity]
    assert all(one != other for i, one in enumerate(pictures) for other in pictures[i + 1 :])
    assert not app_icon(Activity.NEEDS_YOU).isNull()


def test_the_menu_offers_the_quick_commands(qapp: QObject, qtbot: QtBot) -> None:
    tray = TrayIcon(qapp)
    tray.show_commands([QUICK_COMMANDS[0]])
    actions = {action.text(): action for action in tray.menu.actions() if action.text()}
    assert list(actions) == ["Open Deskhand", "New chat", "Read latest mail", "Quit"]
    with qtbot.waitSignal(tray.command_chosen) as asked:
        actions["Read latest mail"].trigger()
    assert asked.args == [QUICK_COMMANDS[0].request]


def test_invalid_preferences_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text("theme=purple\nlayout/window=nonsense\n[[[")
    preferences = WindowPreferences(tmp_path)
    assert preferences.theme is Theme.SYSTEM
    assert preferences.layout("window").isEmpty()


def test_a_notice_is_marked_once(tmp_path: Path) -> None:
    preferences = WindowPreferences(tmp_path)
    assert not preferences.mark_noticed("stays in tray")
    preferences.save()
    assert WindowPreferences(tmp_path).mark_noticed("stays in tray")
