"""The main window: lays out its panes and connects their signals."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QSplitter, QVBoxLayout, QWidget

from gui import icons
from gui.actions import Actions
from gui.artifacts.opener import Opener
from gui.artifacts.side import ArtifactsSide
from gui.chat.pane import ChatPane
from gui.conversations.history import History
from gui.conversations.side_bar import SideBar
from gui.dialogs import Dialogs
from gui.header import Header
from gui.preferences import Preferences
from gui.session import Session
from gui.status_line import StatusLine
from gui.style_sheet import style_sheet
from gui.theme import Theme, Tokens, palette_of, tokens_of

MENU = (
    "new_chat", "search", "open_latest", "", "connect_mail", "reset_sample", "open_documents", "",
    "toggle_side_bar", "toggle_artifacts", "appearance", "", "shortcuts", "about", "", "quit",
)  # fmt: skip
IN_HEADER = ("toggle_side_bar", "toggle_artifacts")
THEMES = ("theme_system", "theme_light", "theme_dark")


class MainWindow(QMainWindow):
    """The one window.

    Signals:
        painted: The first frame is on the screen.
        closing: The person closed the window; it stays until somebody hides or quits it.
        quit_requested: The program should end.
        connect_mail_requested: A mail folder should be connected.
        reset_sample_requested: The sample workspace should be put back as it was.
        documents_requested: The folder with the made documents should be shown.
        reading_wanted: What this mail or document says should be shown with `show_reading`.
    """

    painted = Signal()
    closing = Signal()
    quit_requested = Signal()
    connect_mail_requested = Signal()
    reset_sample_requested = Signal()
    documents_requested = Signal()
    reading_wanted = Signal(str)

    def __init__(self, history: History, preferences: Preferences, opener: Opener) -> None:
        super().__init__()
        self.setWindowTitle("Deskhand")
        self._history = history
        self.preferences = preferences
        self.opener = opener
        self._was_painted = False
        tokens = tokens_of(preferences.theme)
        self._dress(tokens)  # before there is anything that would have to follow
        self.chat = ChatPane(tokens)
        self.session = Session(history, self.chat, self)
        self.status = StatusLine()
        self._side_bar = SideBar(tokens)
        self._artifacts = ArtifactsSide(tokens, opener)
        self._dialogs = Dialogs(self, opener)
        self._actions = Actions(self._handlers(), self)
        self._menu = self._made_menu()
        self._header = Header(
            self._actions["toggle_side_bar"], self._actions["toggle_artifacts"], self._menu
        )
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._lay_out()
        self._connect()
        self._actions[f"theme_{preferences.theme}"].setChecked(True)
        self._tint(tokens)
        self._restore()

    def begin(self) -> None:
        """Show the conversations and the last of them."""
        self.session.open_last()
        self._list_conversations()
        self.chat.focus_composer()

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
        self._artifacts.show_reading(reference, markdown)

    def show_workspace(self, account: str, planner: str, *, sample: bool) -> None:
        """Say what is worked on, and ask it for what was wanted before it was there."""
        self.status.show_account(account)
        self.status.show_planner(planner)
        self._actions["reset_sample"].setVisible(sample)
        self._artifacts.ask_again()

    def keep_layout(self) -> None:
        """Remember where everything is."""
        self.preferences.keep_layout("window", self.saveGeometry())
        self.preferences.keep_layout("panes", self._splitter.saveState())
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

    def _handlers(self) -> dict[str, Callable[[], object]]:
        return {
            "new_chat": self.new_chat,
            "search": self._search,
            "focus_composer": self.chat.focus_composer,
            "open_latest": self._artifacts.open_latest,
            "toggle_side_bar": self._toggle_side_bar,
            "toggle_artifacts": self._artifacts.toggle,
            "theme_system": lambda: self._choose_theme(Theme.SYSTEM),
            "theme_light": lambda: self._choose_theme(Theme.LIGHT),
            "theme_dark": lambda: self._choose_theme(Theme.DARK),
            "connect_mail": self.connect_mail_requested.emit,
            "reset_sample": self.reset_sample_requested.emit,
            "open_documents": self.documents_requested.emit,
            "menu": lambda: self._header.menu_button.showMenu(),  # noqa: PLW0108 — made later
            "shortcuts": self._dialogs.shortcuts,
            "about": self._dialogs.about,
            "open_window": self.raise_window,
            "quit": self.quit_requested.emit,
        }

    def _made_menu(self) -> QMenu:
        menu = QMenu(self)
        appearance = QMenu("Appearance", menu)
        self._actions.fill(appearance, THEMES)
        menu.aboutToShow.connect(
            lambda: self._actions.tint(tokens_of(self.preferences.theme).text, MENU)
        )
        for name in MENU:
            if name == "appearance":
                menu.addMenu(appearance)
            else:
                self._actions.fill(menu, (name,))
        return menu

    def _lay_out(self) -> None:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self.chat, 1)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        for pane, stretch in ((self._side_bar, 0), (middle, 1), (self._artifacts, 0)):
            self._splitter.addWidget(pane)
            self._splitter.setStretchFactor(self._splitter.indexOf(pane), stretch)
        self._side_bar.setMinimumWidth(200)
        middle.setMinimumWidth(360)
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self._splitter, 1)
        rows.addWidget(self.status)
        self.setCentralWidget(whole)
        self.addActions(self._actions.all())

    def _connect(self) -> None:
        session, chat, side_bar = self.session, self.chat, self._side_bar
        chat.submitted.connect(session.submit)
        chat.stop_requested.connect(session.stop)
        chat.approved.connect(lambda: session.answer(approved=True))
        chat.declined.connect(lambda: session.answer(approved=False))
        chat.link_activated.connect(self.opener.open_link)
        chat.artifact_activated.connect(self.opener.open)
        chat.remedy_requested.connect(self._dialogs.remedy)
        session.opened.connect(self._show_opened)
        session.listed.connect(self._list_conversations)
        session.activity_changed.connect(lambda _activity: side_bar.mark(session.states))
        session.produced.connect(self._artifacts.show_references)
        side_bar.new_requested.connect(self.new_chat)
        side_bar.opened.connect(self._open_conversation)
        side_bar.filtered.connect(self._history.filter)
        side_bar.renamed.connect(self._history.rename)
        side_bar.pin_toggled.connect(self._history.pin)
        side_bar.deleted.connect(self._delete)
        side_bar.undo_requested.connect(self._history.undo)
        self._history.changed.connect(self._list_conversations)
        self._history.deleted.connect(side_bar.offer_undo)
        self._history.settled.connect(side_bar.withdraw_undo)
        self._artifacts.reading_wanted.connect(self.reading_wanted)
        self._artifacts.filled.connect(self._actions["toggle_artifacts"].setEnabled)
        self._artifacts.filled.connect(self._actions["open_latest"].setEnabled)
        self.opener.refused.connect(self._dialogs.not_opened)
        self.opener.folder_offered.connect(self._dialogs.offer_folder)
        self.opener.asked.connect(self._dialogs.ask_about_link)

    def _show_opened(self, title: str) -> None:
        self._header.show_title(title)
        self.setWindowTitle(title or "Deskhand")
        self._side_bar.select(self.session.current)

    def _list_conversations(self) -> None:
        self._side_bar.show_conversations(self._history.listed(), self.session.current)

    def _open_conversation(self, id: int) -> None:
        if id != self.session.current:
            self.session.show(id)

    def _delete(self, id: int) -> None:
        self._history.delete(id)
        self.session.forget(id)

    def _search(self) -> None:
        self._side_bar.show()
        self._side_bar.focus_search()

    def _toggle_side_bar(self) -> None:
        self._side_bar.setVisible(not self._side_bar.isVisible())

    def _choose_theme(self, theme: Theme) -> None:
        self.preferences.theme = theme
        self._apply_theme()

    def _apply_theme(self) -> None:
        tokens = tokens_of(self.preferences.theme)
        self._dress(tokens)
        self._tint(tokens)
        for part in (self._side_bar, self.chat, self._artifacts):
            part.set_tokens(tokens)

    def _dress(self, tokens: Tokens) -> None:
        QApplication.setPalette(palette_of(tokens))
        self.setStyleSheet(style_sheet(tokens))

    def _tint(self, tokens: Tokens) -> None:
        self._actions.tint(tokens.text, IN_HEADER)
        self._header.menu_button.setIcon(icons.icon("more", tokens.text, 18))

    def _restore(self) -> None:
        if not self.restoreGeometry(self.preferences.layout("window")):
            room = QGuiApplication.primaryScreen().availableSize()
            self.resize(min(1200, room.width() - 40), min(800, room.height() - 60))
        if not self._splitter.restoreState(self.preferences.layout("panes")):
            self._splitter.setSizes([260, 600, 340])
        self._side_bar.show()
