"""The main window: the widgets of the first frame and their layout."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QSplitter, QVBoxLayout, QWidget

from gui.artifacts.artifacts_dock import ArtifactsDock
from gui.artifacts.opener import Opener
from gui.chat.chat_pane import ChatPane
from gui.conversations.side_bar import SideBar
from gui.shell.header import Header
from gui.shell.preferences import WindowPreferences
from gui.shell.status_line import StatusLine
from gui.shell.texts import SAMPLE_REQUESTS
from gui.theme.colors import Theme, palette_of, tokens_of
from gui.theme.style_sheet import style_sheet

if TYPE_CHECKING:
    from gui.conversations.history import ConversationHistory
    from gui.runs.chat_session import ChatSession
    from gui.shell.banner import Banner
    from gui.shell.window_controller import WindowController


class MainWindow(QMainWindow):
    """The one window.

    Signals:
        painted: The first frame is on the screen.
        closing: The person closed the window; it stays until somebody hides or quits it.
        quit_requested: The program should end.
        accounts_requested: What is connected should be shown.
        reset_sample_requested: The sample workspace should be put back as it was.
        settings_requested: The settings should be shown, at what mends this, "" for no reason; and
            the request that it kept from being done.
        need_pressed: What the line over the chat says should be mended.
        documents_requested: The folder with the made documents should be shown.
        reading_wanted: What this mail or document says should be shown with `show_reading`.
    """

    painted = Signal()
    closing = Signal()
    quit_requested = Signal()
    accounts_requested = Signal()
    reset_sample_requested = Signal()
    settings_requested = Signal(str, str)
    need_pressed = Signal()
    documents_requested = Signal()
    reading_wanted = Signal(str)

    def __init__(self, preferences: WindowPreferences, opener: Opener) -> None:
        super().__init__()
        self.setWindowTitle("Deskhand")
        self.preferences = preferences
        self.opener = opener
        self._was_painted = False
        self._workings: WindowController | None = None
        self._early: list[str] = []
        tokens = tokens_of(preferences.theme)
        self._dress()  # before there is anything that would have to follow
        self.chat = ChatPane(tokens)
        self.header = Header(tokens)
        self.status = StatusLine()
        self.side_bar = SideBar(tokens)
        self.artifacts = ArtifactsDock(tokens, opener)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._lay_out()
        self._restore()
        if not preferences.has_conversations:
            self.chat.show_empty(SAMPLE_REQUESTS)
            self.side_bar.show_empty()
        self.chat.submitted.connect(self._early.append)
        self.chat.focus_composer()

    def begin(self, history: "ConversationHistory") -> None:
        """Do what is asked from now on, beginning with the conversation that was open last."""
        from gui.shell.window_controller import WindowController  # noqa: PLC0415 — not before the first paint

        self.chat.submitted.disconnect(self._early.append)
        self._workings = WindowController(self, history)
        for text in self._early:
            self.session.submit(text)

    @property
    def session(self) -> "ChatSession":
        """What is asked and answered."""
        return self._working.session

    def raise_window(self) -> None:
        """Come to the front, from the tray or behind other windows."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        self.chat.focus_composer()

    def new_chat(self) -> None:
        """Show an empty page for a new conversation."""
        self.session.show(None)
        self.chat.focus_composer()

    def ask(self, text: str) -> None:
        """Ask something in a new conversation, with the window in front."""
        self.raise_window()
        self.new_chat()
        self.session.submit(text)

    def show_reading(self, reference: str, markdown: str) -> None:
        """Show what was read for a reference."""
        self.artifacts.show_reading(reference, markdown)

    def show_workspace(self, account: str, *, sample: bool) -> None:
        """Say what is worked on, and ask it for what was wanted before it was there."""
        self.status.show_account(account)
        self._working.actions["reset_sample"].setVisible(sample)
        self.chat.offer_connecting(offered=sample)
        self.artifacts.ask_again()

    def show_need(self, words: str, verb: str) -> None:
        """Say in one line what needs the person, with a button that leads to it; "" for nothing."""
        if words:
            self._banner.show_words(words, verb)
        elif "_banner" in vars(self):
            self._banner.hide()

    def choose_theme(self, theme: Theme) -> None:
        """Wear other colours, now and from the next start on."""
        self.preferences.theme = theme
        self._apply_theme()

    def keep_layout(self) -> None:
        """Remember where everything is."""
        self.preferences.keep_layout("window", self.saveGeometry())
        self.preferences.keep_layout("panes", self._splitter.saveState())
        if self._workings:
            self.preferences.has_conversations = self._workings.has_conversations
        self.preferences.save()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell of the first frame once it is on the screen."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self.painted.emit)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave it to others whether the window hides or the program ends."""
        event.ignore()
        self.keep_layout()
        self.closing.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the desktop from light to dark and back."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ThemeChange and self.preferences.theme is Theme.SYSTEM:
            self._apply_theme()

    @cached_property
    def _banner(self) -> "Banner":
        """The line over the chat, made when there is something to say."""
        from gui.shell.banner import Banner  # noqa: PLC0415 — not before the first paint

        made = Banner()
        made.pressed.connect(self.need_pressed)
        self._middle.insertWidget(1, made)
        return made

    @property
    def _working(self) -> "WindowController":
        if self._workings is None:
            raise RuntimeError("the window has not begun")
        return self._workings

    def _lay_out(self) -> None:
        middle = QWidget()
        self._middle = column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.chat, 1)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        for pane, stretch in ((self.side_bar, 0), (middle, 1), (self.artifacts, 0)):
            self._splitter.addWidget(pane)
            self._splitter.setStretchFactor(self._splitter.indexOf(pane), stretch)
        self.side_bar.setMinimumWidth(200)
        middle.setMinimumWidth(360)
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self._splitter, 1)
        rows.addWidget(self.status)
        self.setCentralWidget(whole)

    def _apply_theme(self) -> None:
        tokens = tokens_of(self.preferences.theme)
        self._dress()
        for part in (self.header, self.side_bar, self.chat, self.artifacts):
            part.set_tokens(tokens)

    def _dress(self) -> None:
        tokens = tokens_of(self.preferences.theme)
        QApplication.setPalette(palette_of(tokens))
        self.setStyleSheet(style_sheet(tokens))

    def _restore(self) -> None:
        if not self.restoreGeometry(self.preferences.layout("window")):
            room = QGuiApplication.primaryScreen().availableSize()
            self.resize(min(1200, room.width() - 40), min(800, room.height() - 60))
        if not self._splitter.restoreState(self.preferences.layout("panes")):
            self._splitter.setSizes([260, 600, 340])
        self.side_bar.show()
