"""Form widgets: labels, buttons, icons and fields that the settings forms share."""

from html import escape

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.theme.icons import paint


def push_button(words: str, name: str = "") -> QPushButton:
    """A button; `name` is how the style sheet knows it."""
    made = QPushButton(words)
    made.setObjectName(name)
    made.setAutoDefault(False)
    return made


def horizontal_row(*parts: QWidget | None) -> QHBoxLayout:
    """Parts beside each other; None is the room that is left."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return row


_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


def text_label(words: str = "", name: str = "told") -> QLabel:
    """Plain words; `name` is how the style sheet knows them."""
    label = QLabel(words)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(_SELECTABLE)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    label.setWordWrap(True)
    return label


def link_label(words: str, *links: tuple[str, str], name: str = "told") -> QLabel:
    """Words with links in them, each given by the words it is under and its address.

    Its `linkActivated` gives the address; nothing is opened.
    """
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.RichText)
    by_keys = Qt.TextInteractionFlag.LinksAccessibleByKeyboard
    label.setTextInteractionFlags(
        _SELECTABLE | Qt.TextInteractionFlag.LinksAccessibleByMouse | by_keys
    )
    label.setWordWrap(True)
    set_link_text(label, words, *links)
    return label


def set_link_text(label: QLabel, words: str, *links: tuple[str, str]) -> None:
    """Let a linked sentence say something else."""
    text = escape(words)
    for under, url in links:
        text = text.replace(escape(under), f'<a href="{escape(url)}">{escape(under)}</a>', 1)
    label.setText(text)
    label.setAccessibleName(words)
    has_links = any(under in words for under, _ in links)
    label.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_links else Qt.FocusPolicy.NoFocus)


def set_style_name(label: QLabel, name: str) -> None:
    """Let the style sheet know a label by another name from now on."""
    label.setObjectName(name)
    label.style().polish(label)


class TextIcon(QLabel):
    """A drawing as tall as a line of text; `name` is "works", "fails", "warns" or "muted"."""

    def __init__(self, drawing: str, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._drawing = drawing
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Be as tall as the letters beside it."""
        side = self.fontMetrics().height()
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the drawing."""
        side = min(self.width(), self.height())
        painter = QPainter(self)
        paint(painter, self._drawing, QRectF(0, 0, side, side), self.palette().windowText().color())


class FormField(QWidget):
    """An input with a label, a muted hint, and room for a sentence about an error.

    It is as wide as there is room, or `width` pixels.
    """

    def __init__(
        self,
        label: str,
        entry: QWidget,
        hint: str = "",
        beside: QPushButton | None = None,
        width: int | None = None,
    ) -> None:
        super().__init__()
        self.entry = entry
        self._hint = QLabel(hint)
        self._hint.setObjectName("muted")
        self._hint.setWordWrap(True)
        self._hint.setVisible(bool(hint))
        self._error = QLabel()
        self._error.setObjectName("fails")
        self._error.setWordWrap(True)
        self._error.hide()
        name = QLabel(label)
        name.setBuddy(entry)
        entry.setAccessibleName(label)
        entry.setAccessibleDescription(hint)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(entry, 1)
        if beside is not None:
            line.addWidget(beside)
        if width is not None:
            entry.setMaximumWidth(width)
            line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(name)
        column.addLayout(line)
        column.addWidget(self._error)
        column.addWidget(self._hint)

    @property
    def error(self) -> str:
        """What is wrong; nothing as a rule."""
        return self._error.text()

    def show_error(self, words: str) -> None:
        """Say what is wrong beside the field, or that nothing is any more."""
        self._error.setText(words)
        self._error.setVisible(bool(words))
        self.entry.setAccessibleDescription(words or self._hint.text())
        self.entry.setProperty("wrong", bool(words))
        self.entry.style().polish(self.entry)

    def show_hint(self, words: str) -> None:
        """Say something else about the field."""
        self._hint.setText(words)
        self._hint.setVisible(bool(words))
        self.entry.setAccessibleDescription(words)
