"""Wizard step: a numbered step with its title, content and stage."""

from collections.abc import Iterable
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gui.settings.form_widgets import link_label, push_button, set_link_text, set_style_name
from gui.theme.icons import paint

StepStage = Literal["later", "now", "done", "failed"]
_STAGE_NAMES: dict[StepStage, str] = {
    "later": "comes later",
    "now": "to do now",
    "done": "done",
    "failed": "did not work",
}
_SIDE = 24  # pixels of the mark


class WizardStep(QWidget):
    """A heading; below it what is to be done while it is its turn, in short what was done after.

    Signals:
        again_wanted: What was done should be done otherwise.
        link_wanted: A page that its words name should be opened: its address.
    """

    again_wanted = Signal()
    link_wanted = Signal(str)

    def __init__(self, number: int, title: str, content: QWidget) -> None:
        super().__init__()
        self.stage: StepStage = "later"
        self._name = f"Step {number}: {title}"
        self._content = content
        self._mark = _StepIcon(number)
        self._title, self._words = QLabel(title), link_label("")
        self._words.linkActivated.connect(self.link_wanted)
        self._again = push_button("Change…")
        self._again.setAccessibleName(f"Change: {title}")
        self._again.clicked.connect(self.again_wanted)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(self._mark, 0, 0, top)
        grid.addWidget(self._title, 0, 1)
        grid.addWidget(self._again, 0, 2, 2, 1, top)
        grid.addWidget(self._words, 1, 1)
        grid.addWidget(content, 2, 1, 1, 2)
        self._title.setMinimumHeight(_SIDE)
        self.show_stage("later")

    @property
    def words(self) -> str:
        """What is said about it."""
        return self._words.accessibleName()

    def show_stage(
        self,
        stage: StepStage,
        words: str = "",
        *,
        links: Iterable[str] = (),
        changeable: bool = False,
    ) -> None:
        """Say where it stands.

        Args:
            stage: where.
            words: what was done, or what went wrong.
            links: addresses in the words that can be opened.
            changeable: whether what was done can be done otherwise now.
        """
        self.stage = stage
        self._mark.show_stage(stage)
        self._content.setVisible(stage in {"now", "failed"})
        set_style_name(self._title, "muted" if stage == "later" else "heading")
        set_style_name(self._words, "fails" if stage == "failed" else "muted")
        set_link_text(self._words, words, *((url, url) for url in links))
        self._words.setVisible(bool(words))
        self._again.setVisible(changeable)
        self.setAccessibleName(f"{self._name}, {_STAGE_NAMES[stage]}. {words}".rstrip())

    def announce(self) -> None:
        """Tell a screen reader where it stands."""
        said = QAccessibleAnnouncementEvent(self, self.accessibleName())
        QAccessible.updateAccessibility(said)


class _StepIcon(QWidget):
    """The number of a step in a circle, or how it ended."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self._stage: StepStage = "later"
        self._colors = {name: QLabel(self) for name in ("works", "fails", "muted")}
        for name, label in self._colors.items():  # the style sheet gives each its colour
            label.setObjectName(name)
            label.hide()
        self.setFixedSize(QSize(_SIDE, _SIDE))

    def show_stage(self, stage: StepStage) -> None:
        """Take another look."""
        self._stage = stage
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the circle with what is in it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self._stage in {"done", "failed"}:
            drawing, name = ("check-circle", "works")
            if self._stage == "failed":
                drawing, name = ("cross-circle", "fails")
            paint(painter, drawing, area, self._color(name))
            return
        accent = self.palette().color(QPalette.ColorRole.Accent)
        is_now = self._stage == "now"
        painter.setPen(QPen(accent if is_now else self._color("muted"), 1.5))
        painter.setBrush(accent if is_now else Qt.GlobalColor.transparent)
        painter.drawEllipse(area.adjusted(1, 1, -1, -1))
        ground = self.palette().color(QPalette.ColorRole.Window)
        painter.setPen(ground if is_now else self._color("muted"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, str(self._number))

    def _color(self, name: str) -> QColor:
        label = self._colors[name]
        label.ensurePolished()
        return label.palette().windowText().color()
