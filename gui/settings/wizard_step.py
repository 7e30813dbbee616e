"""Wizard step: a numbered step with its title, content and stage."""

from collections.abc import Iterable
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QLabel, QWidget

from gui.settings.form_widgets import (
    icon_text_grid,
    link_label,
    push_button,
    set_link_text,
    set_style_name,
)
from gui.theme.icons import paint

StepStage = Literal["later", "now", "done", "failed"]
_STAGE_NAMES: dict[StepStage, str] = {
    "later": "comes later",
    "now": "to do now",
    "done": "done",
    "failed": "did not work",
}
_SIDE = 24  # pixels of the icon


class WizardStep(QWidget):
    """A numbered heading, with a summary or an error, and the content while it is the current step.

    Attributes:
        summary: The summary or error, with links.
        change_button: Does the finished step again.
    """

    def __init__(self, number: int, title: str, content: QWidget) -> None:
        super().__init__()
        self.stage: StepStage = "later"
        self._name = f"Step {number}: {title}"
        self._content = content
        self._icon = _StepIcon(number)
        self._title, self.summary = QLabel(title), link_label("")
        self.change_button = push_button("Change…")
        self.change_button.setAccessibleName(f"Change: {title}")
        grid = icon_text_grid(self, spacing=6)
        grid.setHorizontalSpacing(10)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(self._icon, 0, 0, top)
        grid.addWidget(self._title, 0, 1)
        grid.addWidget(self.change_button, 0, 2, 2, 1, top)
        grid.addWidget(self.summary, 1, 1)
        grid.addWidget(content, 2, 1, 1, 2)
        self._title.setMinimumHeight(_SIDE)
        self.show_stage("later")

    @property
    def words(self) -> str:
        """The summary or error."""
        return self.summary.accessibleName()

    def show_stage(
        self,
        stage: StepStage,
        words: str = "",
        *,
        links: Iterable[str] = (),
        changeable: bool = False,
    ) -> None:
        """Show the stage.

        Args:
            stage: the stage.
            words: a summary of the finished step, or the error.
            links: URLs in the words that can be opened.
            changeable: whether the finished step can be done again now.
        """
        self.stage = stage
        self._icon.show_stage(stage)
        self._content.setVisible(stage in {"now", "failed"})
        set_style_name(self._title, "muted" if stage == "later" else "heading")
        set_style_name(self.summary, "error" if stage == "failed" else "muted")
        set_link_text(self.summary, words, *((url, url) for url in links))
        self.summary.setVisible(bool(words))
        self.change_button.setVisible(changeable)
        self.setAccessibleName(f"{self._name}, {_STAGE_NAMES[stage]}. {words}".rstrip())

    def announce(self) -> None:
        """Have a screen reader read the stage."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))


class _StepIcon(QLabel):
    """The number of a step in a circle, or an icon for done or failed."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self._stage: StepStage = "later"
        self.setFixedSize(QSize(_SIDE, _SIDE))

    def show_stage(self, stage: StepStage) -> None:
        """Paint another stage, in the color that the style sheet gives its name."""
        self._stage = stage
        set_style_name(self, {"done": "success", "failed": "error"}.get(stage, "muted"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the number or the icon."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        color = self.palette().windowText().color()
        if self._stage in {"done", "failed"}:
            paint(painter, "check-circle" if self._stage == "done" else "cross-circle", area, color)
            return
        accent = self.palette().color(QPalette.ColorRole.Accent)
        is_now = self._stage == "now"
        painter.setPen(QPen(accent if is_now else color, 1.5))
        painter.setBrush(accent if is_now else Qt.GlobalColor.transparent)
        painter.drawEllipse(area.adjusted(1, 1, -1, -1))
        page = self.window().palette().color(QPalette.ColorRole.Window)
        painter.setPen(page if is_now else color)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, str(self._number))
