"""Planner choice: the planner that turns requests into steps."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from gui.settings.form_widgets import lay_out_column, text_label
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
        "Understands certain phrases, instantly and free of charge.",
    ),
)


class PlannerChoice(QWidget):
    """A radio button for each planner, and a check box for known phrases.

    Signals:
        chosen: Another planner was chosen; emits its kind.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[str, ThemedRadioButton] = {}
        self.known_phrases = ThemedCheckBox("Phrases that the built-in planner knows ask no model")
        group = QButtonGroup(self)
        parts: list[QWidget] = []
        for kind, title, words in _CHOICES:
            button = ThemedRadioButton(title)
            button.setAccessibleDescription(words)
            button.clicked.connect(lambda _=False, kind=kind: self.chosen.emit(kind))
            group.addButton(button)
            self.buttons[kind] = button
            explanation = text_label(words, "muted")
            explanation.setContentsMargins(INDICATOR_SIZE + INDICATOR_GAP, 0, 0, 8)
            parts += [button, explanation]
        lay_out_column(self, *parts, self.known_phrases, spacing=2)

    def show_planning(self, planning: "PlanningSettings", *, has_model: bool) -> None:
        """Show the settings; without a model only the built-in planner can be chosen."""
        kind = planning.planner if has_model else "built-in"
        self.buttons[kind].setChecked(True)
        for name, button in self.buttons.items():
            button.setEnabled(has_model or name == kind)
        self.known_phrases.setChecked(planning.known_phrases)
        self.known_phrases.setEnabled(kind == "written")
