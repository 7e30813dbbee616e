"""The main window: the widgets of the first frame and their layout."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QCloseEvent, QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QSplitter, QVBoxLayout, QWidget

from gui.artifacts.artifacts_dock import ArtifactsDock
from gui.artifacts.opener import Opener
from gui.chat.chat_pane import ChatPane
from gui.chat.suggestions import SAMPLE_REQUESTS
from gui.conversations.side_bar import SideBar
from gui.shell.header import Banner, Header
from gui.shell.preferences import WindowPreferences
from gui.shell.status_line import StatusLine
from gui.theme.colors import Theme, palette_of, style_sheet, tokens_of


class MainWindow(QMainWindow):
    """The only main window; `WindowController` gives it its behaviour after the first paint.

    Signals:
        painted: The first frame is on the screen.
        closing: The user closed the window; it stays visible until it is hidden.
        quit_requested: The program should quit.
        settings_requested: The settings should open: at a remedy ("" for none), and the request
            that it kept from being done.
    """

    painted = Signal()
    closing = Signal()
    quit_requested = Signal()
    settings_requested = Signal(str, str)

    def __init__(self, preferences: WindowPreferences, opener: Opener) -> None:
        super().__init__()
        self.setWindowTitle("Deskhand")
        self.preferences = preferences
        self.opener = opener
        self._was_painted = False
        self._early_requests: list[str] = []
        tokens = tokens_of(preferences.theme)
        self._apply_colors()  # before there are children that would be restyled
        self.chat = ChatPane(tokens)
        self.header = Header(tokens)
        self.banner = Banner()
        self.status = StatusLine()
        self.side_bar = SideBar(tokens)
        self.artifacts = ArtifactsDock(tokens, opener)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._lay_out()
        self._restore_layout()
        if not preferences.has_conversations:
            self.chat.show_empty(SAMPLE_REQUESTS)
            self.side_bar.show_empty()
        for source in self._request_sources():
            source.connect(self._early_requests.append)
        self.chat.focus_composer()

    def take_early_requests(self) -> list[str]:
        """Return the requests submitted so far; later ones are no longer collected."""
        for source in self._request_sources():
            source.disconnect(self._early_requests.append)
        return self._early_requests

    def raise_window(self) -> None:
        """Show the window in front of other windows, also from the tray."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        self.chat.focus_composer()

    def choose_theme(self, theme: Theme) -> None:
        """Apply a theme and store it as the user's choice."""
        self.preferences.theme = theme
        self._apply_theme()

    def save_layout(self) -> None:
        """Store geometry and splitter state in the preferences."""
        self.preferences.set_layout("window", self.saveGeometry())
        self.preferences.set_layout("panes", self._splitter.saveState())
        self.preferences.save()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Emit `painted` once the first frame is on the screen."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self.painted.emit)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Emit `closing` instead of closing: the window hides or the program quits."""
        event.ignore()
        self.save_layout()
        self.closing.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the desktop's light or dark theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ThemeChange and self.preferences.theme is Theme.SYSTEM:
            self._apply_theme()

    def _request_sources(self) -> tuple[SignalInstance, SignalInstance]:
        return self.chat.panel.composer.submitted, self.chat.empty_state.requested

    def _lay_out(self) -> None:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.banner)
        column.addWidget(self.chat, 1)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        for pane, stretch in ((self.side_bar, 0), (middle, 1), (self.artifacts, 0)):
            self._splitter.addWidget(pane)
            self._splitter.setStretchFactor(self._splitter.indexOf(pane), stretch)
        self.side_bar.setMinimumWidth(200)
        middle.setMinimumWidth(360)
        central = QWidget()
        rows = QVBoxLayout(central)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self._splitter, 1)
        rows.addWidget(self.status)
        self.setCentralWidget(central)

    def _apply_theme(self) -> None:
        tokens = tokens_of(self.preferences.theme)
        self._apply_colors()
        for part in (self.header, self.side_bar, self.chat, self.artifacts):
            part.set_tokens(tokens)

    def _apply_colors(self) -> None:
        tokens = tokens_of(self.preferences.theme)
        QApplication.setPalette(palette_of(tokens))
        self.setStyleSheet(style_sheet(tokens))

    def _restore_layout(self) -> None:
        if not self.restoreGeometry(self.preferences.layout("window")):
            available = QGuiApplication.primaryScreen().availableSize()
            self.resize(min(1200, available.width() - 40), min(800, available.height() - 60))
        if not self._splitter.restoreState(self.preferences.layout("panes")):
            self._splitter.setSizes([260, 600, 340])
        self.side_bar.show()
