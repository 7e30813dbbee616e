"""The artifact list: Qt model and delegate."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gui.chat.artifact_description import ArtifactDescription
from gui.theme import icons
from gui.theme.colors import Tokens
from gui.widgets.hover_list import HoverListView, paint_row_background

ARTIFACT_ROLE = int(Qt.ItemDataRole.UserRole)
ROW_HEIGHT = 52

ModelIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ArtifactListModel(QAbstractListModel):
    """A list of artifacts."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._artifacts: tuple[ArtifactDescription, ...] = ()

    def show(self, artifacts: Sequence[ArtifactDescription]) -> None:
        """Replace the listed artifacts."""
        self.beginResetModel()
        self._artifacts = tuple(artifacts)
        self.endResetModel()

    def row_of(self, reference: str) -> QModelIndex:
        """Return the index of a reference; an invalid one when it is not listed."""
        for row, artifact in enumerate(self._artifacts):
            if artifact.reference == reference:
                return self.index(row)
        return QModelIndex()

    def rowCount(self, parent: ModelIndex = _ROOT) -> int:
        """Return the number of artifacts."""
        return 0 if parent.isValid() else len(self._artifacts)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return artifact, name, tooltip or accessible text of a row."""
        artifact = self._artifacts[index.row()]
        return {
            ARTIFACT_ROLE: artifact,
            int(Qt.ItemDataRole.DisplayRole): artifact.name,
            int(Qt.ItemDataRole.ToolTipRole): f"{artifact.name}\n{artifact.note}",
            int(Qt.ItemDataRole.AccessibleTextRole): f"{artifact.name}, {artifact.note}",
        }.get(int(role))


class ArtifactDelegate(QStyledItemDelegate):
    """Paints icon, name and details in the colours of the tokens."""

    def __init__(self, tokens: Tokens, lines: HoverListView) -> None:
        super().__init__(lines)
        self._lines = lines
        self.tokens = tokens

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:  # noqa: ARG002
        """Return a height for two lines of text."""
        return QSize(option.rect.width(), max(ROW_HEIGHT, 2 * option.fontMetrics.height() + 16))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Paint icon, name and details."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row_background(painter, option.rect, self._lines, index, self.tokens)
        artifact = index.data(ARTIFACT_ROLE)
        area = option.rect.adjusted(12, 6, -12, -6)
        icon_area = QRectF(area.left(), area.center().y() - 10, 20, 20)
        icons.paint(painter, artifact.icon, icon_area, QColor(self.tokens.accent))
        self._paint_text(painter, area.adjusted(32, 0, 0, 0), artifact)
        painter.restore()

    def _paint_text(self, painter: QPainter, area: QRect, artifact: ArtifactDescription) -> None:
        upper = QRect(area.left(), area.top(), area.width(), area.height() // 2)
        painter.setPen(QColor(self.tokens.text))
        _paint_line(painter, upper, artifact.name)
        small = QFont(painter.font())
        small.setPixelSize(12)
        painter.setFont(small)
        painter.setPen(QColor(self.tokens.muted))
        _paint_line(painter, upper.translated(0, upper.height()), artifact.note)


def _paint_line(painter: QPainter, area: QRect, text: str) -> None:
    middle = Qt.TextElideMode.ElideMiddle
    shown = painter.fontMetrics().elidedText(text, middle, area.width())
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
