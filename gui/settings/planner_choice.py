"""Planner choice: the planner that turns requests into steps."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QVBoxLayout, QWidget

from gui.widgets.choice_buttons import (
    INDICATOR_GAP,
    INDICATOR_SIZE,
    ThemedCheckBox,
    ThemedRadioButton,
)

if TYPE_CHECKING:
    from assistant.settings.model_settings import PlannerKind, PlanningSettings

_CHOICES: "tuple[tuple[PlannerKind, str, str], ...]" = (
    (
        "written",
        "A model writes the whole plan",
        "One call, checked before anything runs. The model reads your words and what you asked"
        " before, never what is in your mail.",
    ),
    (
        "stepwise",
        "A model goes step by step",
        "It reads what each step gives before it decides on the next one. Slower, and it sees what"
        " is in your mail.",
    ),
    (
        "built-in",
        "The built-in planner, without a model",
        "Understands certain phrases, at once and for nothing.",
    ),
)


class PlannerChoice(QWidget):
    """Three ways to plan, and a short cut.

    Signals:
        chosen: Another planner should plan: its kind.
        known_phrases_chosen: What the built-in planner understands exactly should ask no model,
            or should.
    """

    chosen = Signal(str)
    known_phrases_chosen = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._buttons: dict[str, ThemedRadioButton] = {}
        group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for kind, title, words in _CHOICES:
            choice = ThemedRadioButton(title)
            choice.setAccessibleDescription(words)
            choice.clicked.connect(lambda _=False, kind=kind: self.chosen.emit(kind))
            group.addButton(choice)
            self._buttons[kind] = choice
            column.addWidget(choice)
            column.addWidget(_under(words))
        self._known = ThemedCheckBox("Phrases that the built-in planner knows ask no model")
        self._known.clicked.connect(self.known_phrases_chosen)
        column.addWidget(self._known)

    def show_planning(self, planning: "PlanningSettings", *, has_model: bool) -> None:
        """Show what is chosen; without a model there is only one choice."""
        kind = planning.planner if has_model else "built-in"
        self._buttons[kind].setChecked(True)
        for name, choice in self._buttons.items():
            choice.setEnabled(has_model or name == kind)
        self._known.setChecked(planning.known_phrases)
        self._known.setEnabled(kind == "written")


def _under(words: str) -> QLabel:
    label = QLabel(words)
    label.setObjectName("muted")
    label.setWordWrap(True)
    label.setContentsMargins(INDICATOR_SIZE + INDICATOR_GAP, 0, 0, 8)
    return label
