"""The binding to Qt keeps its references: some releases lose one to None on most void calls."""

import sys

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot


def test_void_calls_keep_the_reference_count_of_none(qtbot: QtBot) -> None:
    del qtbot
    owner = QObject()
    before = sys.getrefcount(None)
    for _ in range(5_000):
        owner.setObjectName("name")
        owner.blockSignals(False)  # noqa: FBT003 — Qt's own form
    assert abs(sys.getrefcount(None) - before) < 500
