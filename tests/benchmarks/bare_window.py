"""A bare PySide6 window with the same empty layout as the program's: what the start is beside."""

import sys

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tests.benchmarks.frame import tell_frame

COMMAND = (
    sys.executable,
    "-c",
    "import gc; gc.disable(); from tests.benchmarks.bare_window import main; main()",
)


class BareWindow(QMainWindow):
    """Stock widgets where the program has its own."""

    def __init__(self) -> None:
        super().__init__()
        self._told = False
        middle = _column(
            _row(QToolButton(), QLabel("Title"), QToolButton(), QToolButton()),
            QLabel("What would you like to get done?", alignment=Qt.AlignmentFlag.AlignCenter),
            *(QPushButton(words) for words in ("One request", "Another request", "A third one")),
            QPlainTextEdit(),
        )
        panes = QSplitter()
        panes.addWidget(_column(QLabel("Name"), QPushButton("New chat"), QLineEdit(), QListView()))
        panes.addWidget(middle)
        self.setCentralWidget(_column(panes, QLabel("Status")))
        self.resize(1200, 800)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Tell of the first frame once it is on the screen."""
        super().paintEvent(event)
        if not self._told:
            self._told = True
            QTimer.singleShot(0, _tell)


def main() -> None:
    """Show it, print the moment of the frame, end."""
    app = QApplication(sys.argv[:1])
    window = BareWindow()
    window.show()
    app.exec()


def _column(*parts: QWidget) -> QWidget:
    column = QWidget()
    layout = QVBoxLayout(column)
    for part in parts:
        layout.addWidget(part)
    return column


def _row(*parts: QWidget) -> QWidget:
    row = QWidget()
    layout = QHBoxLayout(row)
    for part in parts:
        layout.addWidget(part)
    return row


def _tell() -> None:
    tell_frame()
    QApplication.exit()
