"""A field: something to fill in, with its name over it and what is wrong with it below."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget


class Field(QWidget):
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
