"""Settings window: a list of pages and the selected page."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QStackedWidget, QWidget

from gui.settings.accounts_page import AccountsPage
from gui.settings.models_page import ModelsPage


class SettingsWindow(QDialog):
    """A non-modal dialog."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.accounts, self.models = AccountsPage(), ModelsPage()
        self._list, self._stack = QListWidget(), QStackedWidget()
        self._list.setObjectName("pages")
        self._list.setAccessibleName("Pages")
        self._list.setFixedWidth(172)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._list)
        row.addWidget(self._stack, 1)
        self._list.currentRowChanged.connect(self._stack.setCurrentIndex)
        for title, page in (("Accounts", self.accounts), ("Models", self.models)):
            self._list.addItem(title)
            self._stack.addWidget(page)
        self._list.setCurrentRow(0)
        self.resize(self.sizeHint())

    def show_page(self, page: QWidget) -> None:
        """Show a page, and raise the window."""
        self._list.setCurrentRow(self._stack.indexOf(page))
        self.come_forward()

    def come_forward(self) -> None:
        """Raise the window with its last page."""
        self.show()
        self.raise_()
        self.activateWindow()

    def sizeHint(self) -> QSize:
        """Return a size with space for a form, no larger than the screen."""
        screen = self.screen().availableSize()
        return QSize(min(860, screen.width() - 40), min(680, screen.height() - 80))
