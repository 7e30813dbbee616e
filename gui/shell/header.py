"""The header above the chat, and the banner below it for a message that needs attention."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from gui.theme import icons
from gui.theme.colors import Tokens
from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMenu


class Header(QWidget):
    """The title of the conversation between buttons, which work once `set_actions` was called."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = ElidedLabel("title")
        self._side_bar_button = QToolButton()
        self._artifacts_button = QToolButton()
        self._artifacts_button.setEnabled(False)
        self.menu_button = QToolButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 8, 6)
        row.setSpacing(4)
        row.addWidget(self._side_bar_button)
        row.addWidget(self._title, 1)
        row.addWidget(self._artifacts_button)
        row.addWidget(self.menu_button)
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours."""
        for button, name in (
            (self._side_bar_button, "panel-left"),
            (self._artifacts_button, "panel-right"),
            (self.menu_button, "more"),
        ):
            button.setIcon(icons.icon(name, tokens.text, 18))
            action = button.defaultAction()
            if action:
                action.setIcon(button.icon())

    def set_actions(self, side_bar: "QAction", artifacts: "QAction", menu: "QMenu") -> None:
        """Connect the buttons to their actions and the menu."""
        for button, action in (
            (self._side_bar_button, side_bar),
            (self._artifacts_button, artifacts),
        ):
            action.setIcon(button.icon())
            button.setDefaultAction(action)
            button.setAccessibleName(action.text())
        self.menu_button.setToolTip("Menu (F10)")
        self.menu_button.setAccessibleName("Menu")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(menu)

    def show_menu(self) -> None:
        """Open the menu from the keyboard."""
        self.menu_button.showMenu()

    def show_title(self, title: str) -> None:
        """Show the title of the open conversation."""
        self._title.show_text(title)


class Banner(QWidget):
    """A message that needs the user's attention, with a button to act on it; hidden at first."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._label = ElidedLabel("normal")
        self.button = QPushButton()
        self.button.setObjectName("small")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self.button)
        self.hide()

    def show_notice(self, message: str, button_text: str) -> None:
        """Show a message and label the button; an empty message hides the banner."""
        self._label.show_text(message)
        self.button.setText(button_text)
        self.setAccessibleName(message)
        self.setVisible(bool(message))
