"""The window controller: commands, menu, session and all signal connections of the main window."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from gui.conversations.history import ConversationHistory
from gui.runs.chat_session import ChatSession
from gui.shell.actions import WindowActions
from gui.shell.dialogs import WindowDialogs
from gui.shell.main_window import MainWindow
from gui.theme.colors import Theme, tokens_of

MENU = (
    "new_chat", "search", "open_latest", "", "accounts", "reset_sample", "open_documents", "",
    "toggle_side_bar", "toggle_artifacts", "appearance", "settings", "", "shortcuts", "about", "",
    "quit",
)  # fmt: skip
THEMES = ("theme_system", "theme_light", "theme_dark")


class WindowController(QObject):
    """Makes a window do what it shows."""

    def __init__(self, window: MainWindow, history: ConversationHistory) -> None:
        super().__init__(window)
        self._window = window
        self._history = history
        self._dialogs = WindowDialogs(window, window.opener)
        self.session = ChatSession(history, window.chat, self)
        self.actions = WindowActions(self._handlers(), self)
        side_bar, artifacts = self.actions["toggle_side_bar"], self.actions["toggle_artifacts"]
        window.header.give(side_bar, artifacts, self._made_menu())
        window.addActions(self.actions.all())
        self._connect()
        self.actions[f"theme_{window.preferences.theme}"].setChecked(True)
        self.session.open_last()
        self._list_conversations()

    @property
    def has_conversations(self) -> bool:
        """Whether there is anything to show at the next start."""
        return bool(self._history.store.conversations())

    def _handlers(self) -> dict[str, Callable[[], object]]:
        window = self._window
        return {
            "new_chat": window.new_chat,
            "search": self._search,
            "focus_composer": window.chat.focus_composer,
            "open_latest": window.artifacts.open_latest,
            "toggle_side_bar": self._toggle_side_bar,
            "toggle_artifacts": window.artifacts.toggle,
            "theme_system": lambda: window.choose_theme(Theme.SYSTEM),
            "theme_light": lambda: window.choose_theme(Theme.LIGHT),
            "theme_dark": lambda: window.choose_theme(Theme.DARK),
            "accounts": window.accounts_requested.emit,
            "reset_sample": window.reset_sample_requested.emit,
            "open_documents": window.documents_requested.emit,
            "menu": window.header.show_menu,
            "settings": lambda: window.settings_requested.emit("", ""),
            "shortcuts": self._dialogs.shortcuts,
            "about": self._dialogs.about,
            "open_window": window.raise_window,
            "quit": window.quit_requested.emit,
        }

    def _made_menu(self) -> QMenu:
        menu = QMenu(self._window)
        appearance = QMenu("Appearance", menu)
        self.actions.fill(appearance, THEMES)
        menu.aboutToShow.connect(
            lambda: self.actions.tint(tokens_of(self._window.preferences.theme).text, MENU)
        )
        for name in MENU:
            if name == "appearance":
                menu.addMenu(appearance)
            else:
                self.actions.fill(menu, (name,))
        return menu

    def _connect(self) -> None:
        window, session, history = self._window, self.session, self._history
        chat, side_bar, artifacts = window.chat, window.side_bar, window.artifacts
        chat.submitted.connect(session.submit)
        chat.resubmitted.connect(session.resubmit)
        chat.taken_back.connect(session.take_back)
        chat.stop_requested.connect(session.stop)
        chat.approved.connect(session.answer)
        chat.declined.connect(lambda: session.answer(None))
        chat.link_activated.connect(window.opener.open_link)
        chat.artifact_activated.connect(window.opener.open)
        chat.remedy_requested.connect(self._mend)
        chat.connecting_requested.connect(window.accounts_requested)
        session.opened.connect(self._show_opened)
        session.listed.connect(self._list_conversations)
        session.activity_changed.connect(lambda _activity: side_bar.mark(session.states))
        session.produced.connect(artifacts.show_references)
        side_bar.new_requested.connect(window.new_chat)
        side_bar.opened.connect(self._open_conversation)
        side_bar.filtered.connect(history.filter)
        side_bar.renamed.connect(history.rename)
        side_bar.pin_toggled.connect(history.pin)
        side_bar.deleted.connect(self._delete)
        side_bar.undo_requested.connect(history.undo)
        history.changed.connect(self._list_conversations)
        history.deleted.connect(side_bar.offer_undo)
        history.settled.connect(side_bar.withdraw_undo)
        artifacts.reading_wanted.connect(window.reading_wanted)
        artifacts.filled.connect(self.actions["toggle_artifacts"].setEnabled)
        artifacts.filled.connect(self.actions["open_latest"].setEnabled)
        window.opener.refused.connect(self._dialogs.not_opened)
        window.opener.folder_offered.connect(self._dialogs.offer_folder)
        window.opener.asked.connect(self._dialogs.ask_about_link)

    def _mend(self, remedy: str, request: str) -> None:
        """Do what the button under a reply says."""
        match remedy:
            case "try_again":
                self.session.repeat(request)
            case "new_chat":
                self._window.new_chat()
                self._window.chat.put_request(request)
            case _:
                self._window.settings_requested.emit(remedy, request)

    def _show_opened(self, title: str) -> None:
        self._window.header.show_title(title)
        self._window.setWindowTitle(title or "Deskhand")
        self._window.side_bar.select(self.session.current)

    def _list_conversations(self) -> None:
        self._window.side_bar.show_conversations(self._history.listed(), self.session.current)

    def _open_conversation(self, id: int) -> None:
        if id != self.session.current:
            self.session.show(id)

    def _delete(self, id: int) -> None:
        self._history.delete(id)
        self.session.forget(id)

    def _search(self) -> None:
        self._window.side_bar.show()
        self._window.side_bar.focus_search()

    def _toggle_side_bar(self) -> None:
        self._window.side_bar.setVisible(not self._window.side_bar.isVisible())
