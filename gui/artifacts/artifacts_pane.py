"""The artifacts pane: list of artifacts with a preview of the selected one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.artifacts.opener import INTERNAL_SCHEMES, Opener
from gui.artifacts.preview import Preview
from gui.chat.artifact_description import ArtifactDescription, describe_artifact
from gui.theme import icons
from gui.theme.colors import Tokens
from gui.widgets.hover_list import HoverListView, ModelIndex, RowDelegate, paint_line

ARTIFACT_ROLE = int(Qt.ItemDataRole.UserRole)
ROW_HEIGHT = 52
DOCUMENT_SUFFIXES = (".docx", ".odt")
MAX_VISIBLE_ROWS = 4  # shown without scrolling


class ArtifactDelegate(RowDelegate):
    """Paints icon, name and details."""

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:  # noqa: ARG002
        """Return a height for two lines of text."""
        return QSize(option.rect.width(), max(ROW_HEIGHT, 2 * option.fontMetrics.height() + 16))

    def paint_row(self, painter: QPainter, area: QRect, index: ModelIndex) -> None:
        """Paint icon, name and details."""
        self.paint_background(painter, area, index)
        artifact = index.data(ARTIFACT_ROLE)
        area = area.adjusted(12, 6, -12, -6)
        icon_area = QRectF(area.left(), area.center().y() - 10, 20, 20)
        icons.paint(painter, artifact.icon, icon_area, QColor(self.tokens.accent))
        line = area.adjusted(32, 0, 0, 0)
        line.setHeight(area.height() // 2)
        paint_line(painter, line, artifact.name, self.tokens.text)
        small = QFont(painter.font())
        small.setPixelSize(12)
        painter.setFont(small)
        paint_line(painter, line.translated(0, line.height()), artifact.note, self.tokens.muted)


class ArtifactsPane(QWidget):
    """Lists artifacts, newest first, with a preview of the selected one.

    Args:
        tokens: colours of the theme.
        opener: opens artifacts and links.
        request_content: requests the text of a mail or document; `show_content` delivers it.
    """

    def __init__(
        self, tokens: Tokens, opener: Opener, request_content: Callable[[str], None]
    ) -> None:
        super().__init__()
        self.setObjectName("artifactsPane")
        self.setAccessibleName("Results")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._opener = opener
        self._request_content = request_content
        self._references: tuple[str, ...] = ()
        self._previewed = ""
        self.pending_reference = ""
        self._model = QStandardItemModel(self)
        self._list = HoverListView()
        self._delegate = ArtifactDelegate(tokens, self._list)
        self.close_button = QToolButton()
        self._rule = QFrame(frameShape=QFrame.Shape.HLine)
        self._open_button = QPushButton("Open")
        self._folder_button = QPushButton("Show in folder")
        self._preview = Preview(tokens, opener)
        self._lay_out()
        self._connect()
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours."""
        self._delegate.tokens = tokens
        self.close_button.setIcon(icons.icon("cross", tokens.muted, 16))
        self._preview.set_tokens(tokens)

    def show_references(self, references: Sequence[str]) -> None:
        """List artifacts, given oldest first, and preview the newest if the list has changed."""
        newest_first = tuple(reversed(references))
        if newest_first == self._references:
            return
        self._references = newest_first
        self._model.clear()
        for reference in newest_first:
            self._model.appendRow(_item(describe_artifact(reference)))
        for part in (self._list, self._rule):
            part.setVisible(bool(newest_first))
        self._list.setFixedHeight(min(len(newest_first), MAX_VISIBLE_ROWS) * ROW_HEIGHT + 4)
        if newest_first:
            self._list.setCurrentIndex(self._model.index(0, 0))

    def preview(self, reference: str) -> None:
        """Preview an artifact, listed or not."""
        if reference in self._references:
            self._list.setCurrentIndex(self._model.index(self._references.index(reference), 0))
        else:
            self._list.setCurrentIndex(QModelIndex())
            self._list.clearSelection()
            self._show(describe_artifact(reference))

    def show_content(self, reference: str, markdown: str) -> None:
        """Show the content of a reference, unless another one is previewed by now."""
        if reference == self._previewed:
            self.pending_reference = ""
            self._preview.show_markdown(markdown)

    def _lay_out(self) -> None:
        heading = QLabel("Results")
        heading.setObjectName("heading")
        self.close_button.setAccessibleName("Hide results")
        self.close_button.setToolTip("Hide results (Ctrl+J)")
        self._set_up_list()
        self._rule.setObjectName("rule")
        self._rule.hide()
        self._list.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        column.addLayout(_row(heading, None, self.close_button))
        column.addWidget(self._list)
        column.addWidget(self._rule)
        column.addWidget(self._preview, 1)
        column.addLayout(_row(self._open_button, self._folder_button, None))

    def _set_up_list(self) -> None:
        self._list.setModel(self._model)
        self._list.setItemDelegate(self._delegate)
        self._list.setAccessibleName("Results of this conversation, newest first")
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setIconSize(QSize(20, 20))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _connect(self) -> None:
        self._list.selectionModel().currentChanged.connect(self._select)
        self._list.activated.connect(self._activate)
        self._open_button.clicked.connect(lambda: self._opener.open(self._previewed))
        self._folder_button.clicked.connect(lambda: self._opener.show_folder(self._previewed))

    def _select(self, index: QModelIndex) -> None:
        if index.isValid():
            self._show(index.data(ARTIFACT_ROLE))

    def _activate(self, index: QModelIndex) -> None:
        if self._open_button.isVisible():
            self._opener.open(index.data(ARTIFACT_ROLE).reference)

    def _show(self, artifact: ArtifactDescription) -> None:
        self._previewed = artifact.reference
        is_internal = artifact.reference.startswith(INTERNAL_SCHEMES)
        self._open_button.setVisible(not is_internal)
        self._folder_button.setVisible(not is_internal and "://" not in artifact.reference)
        if is_internal or artifact.reference.lower().endswith(DOCUMENT_SUFFIXES):
            self._preview.show_text("Loading…")
            self.pending_reference = artifact.reference
            self._request_content(artifact.reference)
        else:
            self._preview.show_reference(artifact.reference)


def _row(*parts: QWidget | None) -> QHBoxLayout:
    row = QHBoxLayout()
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return row


def _item(artifact: ArtifactDescription) -> QStandardItem:
    """Return a model item with name, tooltip, accessible text and the artifact itself."""
    item = QStandardItem(artifact.name)
    item.setEditable(False)
    item.setToolTip(f"{artifact.name}\n{artifact.note}")
    item.setAccessibleText(f"{artifact.name}, {artifact.note}")
    item.setData(artifact, ARTIFACT_ROLE)
    return item
