"""The window controller: commands, menu, session and signal connections of the main window.

Imported and created after the first paint.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from assistant.conversation_store import ConversationStore
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
    """Connects the widgets of the main window to conversations, session and commands.

    The commands "accounts", "reset_sample" and "open_documents" need a workspace: the app
    controller connects their actions.
    """

    def __init__(self, window: MainWindow, store: ConversationStore) -> None:
        super().__init__(window)
        self.window = window
        self.history = ConversationHistory(store, self)
        self.session = ChatSession(self.history, window.chat, self)
        self._dialogs = WindowDialogs(window, window.opener)
        self.actions = WindowActions(self._handlers(), self)
        side_bar, artifacts = self.actions["toggle_side_bar"], self.actions["toggle_artifacts"]
        window.header.set_actions(side_bar, artifacts, self._create_menu())
        window.addActions(self.actions.all())
        self._connect()
        self.actions[f"theme_{window.preferences.theme}"].setChecked(True)
        self.session.open_last()
        self._list_conversations()
        for text in window.take_early_requests():
            self.session.submit(text)

    def new_chat(self) -> None:
        """Show an empty page for a new conversation."""
        self.session.show(None)
        self.window.chat.focus_composer()

    def ask(self, text: str) -> None:
        """Submit a request in a new conversation and raise the window."""
        self.window.raise_window()
        self.new_chat()
        self.session.submit(text)

    def close(self) -> None:
        """Finish a pending deletion and store the layout."""
        self.history.finish_deletion()
        self.window.preferences.has_conversations = bool(self.history.store.conversations())
        self.window.save_layout()

    def _handlers(self) -> dict[str, Callable[[], object]]:
        window = self.window
        return {
            "new_chat": self.new_chat,
            "search": self._search,
            "focus_composer": window.chat.focus_composer,
            "open_latest": window.artifacts.open_latest,
            "toggle_side_bar": self._toggle_side_bar,
            "toggle_artifacts": window.artifacts.toggle,
            "theme_system": lambda: window.choose_theme(Theme.SYSTEM),
            "theme_light": lambda: window.choose_theme(Theme.LIGHT),
            "theme_dark": lambda: window.choose_theme(Theme.DARK),
            "menu": window.header.show_menu,
            "settings": lambda: window.settings_requested.emit("", ""),
            "shortcuts": self._dialogs.show_shortcuts,
            "about": self._dialogs.show_about,
            "open_window": window.raise_window,
            "quit": window.quit_requested.emit,
        }

    def _create_menu(self) -> QMenu:
        menu = QMenu(self.window)
        appearance = QMenu("Appearance", menu)
        self.actions.fill(appearance, THEMES)
        menu.aboutToShow.connect(
            lambda: self.actions.tint(tokens_of(self.window.preferences.theme).text, MENU)
        )
        for name in MENU:
            if name == "appearance":
                menu.addMenu(appearance)
            else:
                self.actions.fill(menu, (name,))
        return menu

    def _connect(self) -> None:
        window, session, history = self.window, self.session, self.history
        chat, side_bar, artifacts = window.chat, window.side_bar, window.artifacts
        conversations, opener = side_bar.view, window.opener
        composer, transcript = chat.panel.composer, chat.signals
        composer.submitted.connect(session.submit)
        composer.resubmitted.connect(session.resubmit)
        composer.stop_requested.connect(session.stop)
        chat.panel.taken_back.connect(session.take_back)
        chat.empty_state.requested.connect(session.submit)
        transcript.request_suggested.connect(session.submit)
        transcript.link_activated.connect(opener.open_link)
        transcript.artifact_activated.connect(opener.open)
        transcript.remedy_requested.connect(self._apply_remedy)
        session.opened.connect(self._show_opened)
        session.list_changed.connect(self._list_conversations)
        session.activity_changed.connect(lambda _: conversations.show_states(session.states))
        session.artifacts_changed.connect(artifacts.show_references)
        side_bar.new_button.clicked.connect(self.new_chat)
        side_bar.search.textChanged.connect(history.filter)
        side_bar.undo_bar.button.clicked.connect(history.undo)
        conversations.opened.connect(self._open_conversation)
        conversations.conversations.renamed.connect(history.rename)
        conversations.pin_toggled.connect(history.toggle_pin)
        conversations.deleted.connect(self._delete)
        history.changed.connect(self._list_conversations)
        history.deleted.connect(side_bar.undo_bar.show_deleted)
        history.undo_ended.connect(side_bar.undo_bar.hide)
        artifacts.filled.connect(self.actions["toggle_artifacts"].setEnabled)
        artifacts.filled.connect(self.actions["open_latest"].setEnabled)
        opener.refused.connect(self._dialogs.show_refusal)
        opener.folder_offered.connect(self._dialogs.offer_folder)
        opener.confirmation_needed.connect(self._dialogs.confirm_link)

    def _apply_remedy(self, remedy: str, request: str) -> None:
        """Apply the remedy of the button under a reply."""
        match remedy:
            case "try_again":
                self.session.repeat(request)
            case "new_chat":
                self.new_chat()
                self.window.chat.put_request(request)
            case _:
                self.window.settings_requested.emit(remedy, request)

    def _show_opened(self, title: str) -> None:
        self.window.header.show_title(title)
        self.window.setWindowTitle(title or "Deskhand")
        self.window.side_bar.view.select(self.session.current)

    def _list_conversations(self) -> None:
        self.window.side_bar.show_conversations(self.history.listed(), self.session.current)

    def _open_conversation(self, id: int) -> None:
        if id != self.session.current:
            self.session.show(id)

    def _delete(self, id: int) -> None:
        self.history.delete(id)
        self.session.forget(id)

    def _search(self) -> None:
        self.window.side_bar.show()
        self.window.side_bar.focus_search()

    def _toggle_side_bar(self) -> None:
        self.window.side_bar.setVisible(not self.window.side_bar.isVisible())
