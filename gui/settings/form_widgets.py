"""Form widgets: layouts, labels, buttons, icons and file dialogs that the settings share."""

from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.theme.icons import paint
from gui.widgets.elided_label import ElidedLabel


def push_button(text: str, name: str = "") -> QPushButton:
    """Return a button that Enter in a field does not press; `name` is for the style sheet."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAutoDefault(False)
    return button


def horizontal_row(*parts: QWidget | None) -> QHBoxLayout:
    """Lay out widgets beside each other; None takes the remaining space."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return row


def lay_out_column(
    widget: QWidget,
    *parts: QWidget | QLayout | int,
    spacing: int = 0,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> QVBoxLayout:
    """Lay out the parts of a widget below each other; a number is a gap in pixels."""
    column = QVBoxLayout(widget)
    column.setContentsMargins(*margins)
    column.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            column.addSpacing(part)
        elif isinstance(part, QWidget):
            column.addWidget(part)
        else:
            column.addLayout(part)
    return column


def icon_text_grid(widget: QWidget | None = None, *, spacing: int = 4) -> QGridLayout:
    """Return an empty grid with an icon and a text in each row."""
    grid = QGridLayout(widget) if widget else QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(spacing)
    grid.setColumnStretch(1, 1)
    return grid


class LineList(QWidget):
    """A list of widgets below each other, each with an icon, that is replaced as a whole."""

    def __init__(self, *, spacing: int) -> None:
        super().__init__()
        self._shown: list[QWidget] = []
        self._grid = icon_text_grid(self, spacing=spacing)

    def replace(self, lines: Iterable[tuple["TextIcon", QWidget]]) -> None:
        """Show these lines instead."""
        for old in self._shown:
            old.hide()
            old.deleteLater()
        self._shown = []
        for row, (icon, content) in enumerate(lines):
            self._grid.addWidget(icon, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(content, row, 1)
            self._shown += [icon, content]


def title_row(title: str, subtitle: str, *beside: QWidget) -> QHBoxLayout:
    """Lay out a title over a subtitle, with widgets beside the latter; buttons go to the end."""
    name, details = ElidedLabel("strong"), ElidedLabel("muted")
    name.show_text(title)
    details.show_text(subtitle)
    below = QHBoxLayout()
    below.setSpacing(0)
    for widget in (details, *beside):
        below.addWidget(widget)
    if beside:
        below.addStretch(1)
    words = QVBoxLayout()
    words.setSpacing(0)
    words.addWidget(name)
    words.addLayout(below)
    row = QHBoxLayout()
    row.setSpacing(6)
    row.addLayout(words, 1)
    return row


def menu_button(text: str, name: str, spoken: str) -> QToolButton:
    """Return a button with an empty menu; `spoken` is its accessible name."""
    button = QToolButton()
    button.setObjectName(name)
    button.setText(text)
    button.setAccessibleName(spoken)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setMenu(QMenu(button))
    return button


_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


def text_label(text: str = "", name: str = "normal") -> QLabel:
    """Return a wrapping, selectable label of plain text; `name` is for the style sheet."""
    label = QLabel(text)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(_SELECTABLE)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    label.setWordWrap(True)
    return label


def link_label(text: str, *links: tuple[str, str], name: str = "normal") -> QLabel:
    """Return a label with links, each given by its part of the text and its URL.

    Its `linkActivated` emits the URL; nothing is opened.
    """
    label = text_label(name=name)
    label.setTextFormat(Qt.TextFormat.RichText)
    by_keys = Qt.TextInteractionFlag.LinksAccessibleByKeyboard
    label.setTextInteractionFlags(
        _SELECTABLE | Qt.TextInteractionFlag.LinksAccessibleByMouse | by_keys
    )
    set_link_text(label, text, *links)
    return label


def set_link_text(label: QLabel, text: str, *links: tuple[str, str]) -> None:
    """Set the text and links of a `link_label`."""
    html = escape(text)
    for part, url in links:
        html = html.replace(escape(part), f'<a href="{escape(url)}">{escape(part)}</a>', 1)
    label.setText(html)
    label.setAccessibleName(text)
    has_links = any(part in text for part, _ in links)
    label.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_links else Qt.FocusPolicy.NoFocus)


def set_style_name(label: QLabel, name: str) -> None:
    """Change the name of a label for the style sheet."""
    label.setObjectName(name)
    label.style().polish(label)


def choose_file(parent: QWidget, title: str, filters: str, take: Callable[[Path], None]) -> None:
    """Open the desktop's file dialog; `take` is called with a file that is chosen in it.

    Args:
        parent: the widget that the dialog belongs to.
        title: the title of the dialog.
        filters: Qt's name filters, such as "Client files (*.json)".
        take: receives the path.
    """
    dialog = QFileDialog(parent, title, "", filters)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda path: take(Path(path)))
    dialog.open()


class TextIcon(QLabel):
    """An icon as tall as a line of text; `name` is "success", "error", "warning" or "muted"."""

    def __init__(self, icon: str, name: str) -> None:
        super().__init__()
        self.setFixedSize(self.sizeHint())
        self.show_icon(icon, name)

    def show_icon(self, icon: str, name: str) -> None:
        """Show another icon."""
        self._icon = icon
        set_style_name(self, name)

    def sizeHint(self) -> QSize:
        """Return the height of the text for both sides."""
        side = self.fontMetrics().height()
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon in the color of the style sheet."""
        side = min(self.width(), self.height())
        painter = QPainter(self)
        paint(painter, self._icon, QRectF(0, 0, side, side), self.palette().windowText().color())
