"""The header above the chat: title of the conversation, and buttons for the panes and the menu."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget


class Header(QWidget):
    """One line with the title in the middle of its buttons."""

    def __init__(self, side_bar: QAction, artifacts: QAction, menu: QMenu) -> None:
        super().__init__()
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = _Title()
        self.menu_button = QToolButton()
        self.menu_button.setToolTip("Menu (F10)")
        self.menu_button.setAccessibleName("Menu")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(menu)
        self.artifacts_button = _button(artifacts)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 8, 6)
        row.setSpacing(4)
        row.addWidget(_button(side_bar))
        row.addWidget(self._title, 1)
        row.addWidget(self.artifacts_button)
        row.addWidget(self.menu_button)

    def show_title(self, title: str) -> None:
        """Name the conversation that is shown."""
        self._title.show_title(title)


class _Title(QLabel):
    """A title that elides in the middle, with the whole in a tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("title")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._whole = ""

    def show_title(self, title: str) -> None:
        self._whole = title
        self.setToolTip(title)
        self._elide()

    def resizeEvent(self, event: object) -> None:  # noqa: ARG002
        self._elide()

    def _elide(self) -> None:
        middle = Qt.TextElideMode.ElideMiddle
        self.setText(self.fontMetrics().elidedText(self._whole, middle, self.width() - 8))


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setAccessibleName(action.text())
    return button
