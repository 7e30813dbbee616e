"""The artifacts pane: list of artifacts with a preview of the selected one."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.artifacts.artifact_list import (
    ARTIFACT_ROLE,
    ROW_HEIGHT,
    ArtifactDelegate,
    ArtifactListModel,
)
from gui.artifacts.preview import Preview
from gui.chat.artifact_description import ArtifactDescription, describe_artifact
from gui.theme import icons
from gui.theme.colors import Tokens
from gui.widgets.hover_list import HoverListView

INTERNAL_SCHEMES = ("mail:", "event:")
DOCUMENT_SUFFIXES = (".docx", ".odt")
MAX_VISIBLE_ROWS = 4  # shown without scrolling


class ArtifactsPane(QWidget):
    """Lists artifacts, newest first, with a preview of the chosen one.

    Signals:
        open_requested: Open this reference outside.
        folder_requested: Show the folder that holds this file.
        reading_wanted: Show what this mail or document says; `show_reading` is the answer.
        link_activated: A link in a preview was clicked; nothing was opened.
        close_requested: The pane should go away.
    """

    open_requested = Signal(str)
    folder_requested = Signal(str)
    reading_wanted = Signal(str)
    link_activated = Signal(str)
    close_requested = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("artifactsPane")
        self.setAccessibleName("Results")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._shown: tuple[str, ...] = ()
        self._reading = ""
        self.awaited = ""
        self._model = ArtifactListModel(self)
        self._list = HoverListView()
        self._row = ArtifactDelegate(tokens, self._list)
        self._close = QToolButton()
        self._close.setToolTip("Hide results (Ctrl+J)")
        self._rule = QFrame(frameShape=QFrame.Shape.HLine)
        self._open = QPushButton("Open")
        self._folder = QPushButton("Show in folder")
        self._preview = Preview(tokens)
        self._lay_out()
        self._connect()
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._row.tokens = tokens
        self._close.setIcon(icons.icon("cross", tokens.muted, 16))
        self._preview.set_tokens(tokens)

    def show_references(self, references: Sequence[str]) -> None:
        """List these, given oldest first, and look into the newest when it is new."""
        newest_first = tuple(reversed(references))
        if newest_first == self._shown:
            return
        self._shown = newest_first
        self._model.show([describe_artifact(reference) for reference in newest_first])
        for part in (self._list, self._rule):
            part.setVisible(bool(newest_first))
        self._list.setFixedHeight(min(len(newest_first), MAX_VISIBLE_ROWS) * ROW_HEIGHT + 4)
        if newest_first:
            self._list.setCurrentIndex(self._model.index(0))

    def look_into(self, reference: str) -> None:
        """Preview a reference, listed or not."""
        index = self._model.row_of(reference)
        self._list.setCurrentIndex(index)
        if not index.isValid():
            self._list.clearSelection()
            self._show(describe_artifact(reference))

    def show_reading(self, reference: str, markdown: str) -> None:
        """Show what was read for a reference, unless another one is looked into by now."""
        if reference == self._reading:
            self.awaited = ""
            self._preview.show_markdown(markdown)

    def _lay_out(self) -> None:
        heading = QLabel("Results")
        heading.setObjectName("heading")
        self._close.setAccessibleName("Hide results")
        self._set_up_list()
        self._rule.setObjectName("rule")
        self._rule.hide()
        self._list.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        column.addLayout(_row(heading, None, self._close))
        column.addWidget(self._list)
        column.addWidget(self._rule)
        column.addWidget(self._preview, 1)
        column.addLayout(_row(self._open, self._folder, None))

    def _set_up_list(self) -> None:
        self._list.setModel(self._model)
        self._list.setItemDelegate(self._row)
        self._list.setAccessibleName("Results of this conversation, newest first")
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setIconSize(QSize(20, 20))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _connect(self) -> None:
        self._close.clicked.connect(self.close_requested)
        self._list.selectionModel().currentChanged.connect(self._look)
        self._list.activated.connect(self._activate)
        self._open.clicked.connect(lambda: self.open_requested.emit(self._reading))
        self._folder.clicked.connect(lambda: self.folder_requested.emit(self._reading))
        self._preview.link_activated.connect(self.link_activated)

    def _look(self, index: QModelIndex) -> None:
        if index.isValid():
            self._show(index.data(ARTIFACT_ROLE))

    def _activate(self, index: QModelIndex) -> None:
        if self._open.isVisible():
            self.open_requested.emit(index.data(ARTIFACT_ROLE).reference)

    def _show(self, artifact: ArtifactDescription) -> None:
        self._reading = artifact.reference
        inside = artifact.reference.startswith(INTERNAL_SCHEMES)
        self._open.setVisible(not inside)
        self._folder.setVisible(not inside and "://" not in artifact.reference)
        if inside or artifact.reference.lower().endswith(DOCUMENT_SUFFIXES):
            self._preview.show_words("Looking it up…")
            self.awaited = artifact.reference
            self.reading_wanted.emit(artifact.reference)
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
