"""The buttons of the settings, none of which is pressed by an Enter that was meant for a field."""

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget


def button(words: str, name: str = "") -> QPushButton:
    """A button; `name` is how the style sheet knows it."""
    made = QPushButton(words)
    made.setObjectName(name)
    made.setAutoDefault(False)
    return made


def row_of(*parts: QWidget | None) -> QHBoxLayout:
    """Parts beside each other; None is the room that is left."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return row
