"""The artifacts dock at the right of the window; creates the pane on first use."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.artifacts.opener import Opener
from gui.theme.colors import Tokens

if TYPE_CHECKING:
    from gui.artifacts.artifacts_pane import ArtifactsPane


class ArtifactsDock(QWidget):
    """Shows the pane while the conversation has artifacts and the person wants to see them.

    Signals:
        reading_wanted: Show what this mail or document says; `show_reading` is the answer.
        filled: Whether there is something to show.
    """

    reading_wanted = Signal(str)
    filled = Signal(bool)

    def __init__(self, tokens: Tokens, opener: Opener) -> None:
        super().__init__()
        self._tokens = tokens
        self._opener = opener
        self._references: tuple[str, ...] = ()
        self._wanted = True
        self._made = False
        self.setMinimumWidth(260)
        self._place = QVBoxLayout(self)
        self._place.setContentsMargins(0, 0, 0, 0)
        opener.inside.connect(self.look_into)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._tokens = tokens
        if self._made:
            self._pane.set_tokens(tokens)

    def open_latest(self) -> None:
        """Open what the conversation made last."""
        if self._references:
            self._opener.open(self._references[-1])

    def toggle(self) -> None:
        """Hide the pane, or show it again."""
        self._wanted = not self.isVisible()
        self.setVisible(self._wanted)

    def show_references(self, references: Sequence[str]) -> None:
        """List the artifacts of the conversation, oldest first."""
        self._references = tuple(references)
        if self._made or references:
            self._pane.show_references(references)
        self.setVisible(self._wanted and bool(references))
        self.filled.emit(bool(references))

    def look_into(self, reference: str) -> None:
        """Show a mail, event or file, whether it is listed or not."""
        self._wanted = True
        self._pane.look_into(reference)
        self.show()
        self.filled.emit(True)  # noqa: FBT003 — a signal has no names

    def ask_again(self) -> None:
        """Ask for a reading that nobody has answered yet."""
        if self._made and self._pane.awaited:
            self.reading_wanted.emit(self._pane.awaited)

    def show_reading(self, reference: str, markdown: str) -> None:
        """Show what was read for a reference."""
        self._pane.show_reading(reference, markdown)

    @cached_property
    def _pane(self) -> "ArtifactsPane":
        from gui.artifacts.artifacts_pane import ArtifactsPane  # noqa: PLC0415 — only when there is one

        pane = ArtifactsPane(self._tokens, self)
        pane.open_requested.connect(self._opener.open)
        pane.folder_requested.connect(self._opener.show_folder)
        pane.link_activated.connect(self._opener.open_link)
        pane.close_requested.connect(self.toggle)
        pane.reading_wanted.connect(self.reading_wanted)
        self._place.addWidget(pane)
        self._made = True
        return pane
