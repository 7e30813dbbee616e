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
    """Shows the artifacts pane while there are artifacts and the user has not hidden it.

    Signals:
        content_requested: The text of a mail or document is needed; answer with `show_content`.
        filled: Whether there is anything to show.
    """

    content_requested = Signal(str)
    filled = Signal(bool)

    def __init__(self, tokens: Tokens, opener: Opener) -> None:
        super().__init__()
        self._tokens = tokens
        self._opener = opener
        self._references: tuple[str, ...] = ()
        self._is_wanted = True
        self.setMinimumWidth(260)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        opener.preview_requested.connect(self.preview)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours."""
        self._tokens = tokens
        if self._has_pane:
            self._pane.set_tokens(tokens)

    def open_latest(self) -> None:
        """Open the newest artifact of the conversation."""
        if self._references:
            self._opener.open(self._references[-1])

    def toggle(self) -> None:
        """Hide or show the pane."""
        self._is_wanted = not self.isVisible()
        self.setVisible(self._is_wanted)

    def show_references(self, references: Sequence[str]) -> None:
        """List the artifacts of the conversation, oldest first."""
        self._references = tuple(references)
        if self._has_pane or references:
            self._pane.show_references(references)
        self.setVisible(self._is_wanted and bool(references))
        self.filled.emit(bool(references))

    def preview(self, reference: str) -> None:
        """Preview a mail, event or file, listed or not."""
        self._is_wanted = True
        self._pane.preview(reference)
        self.show()
        self.filled.emit(True)  # noqa: FBT003 — a signal has no names

    def request_missing_content(self) -> None:
        """Request the content again that has not been delivered yet."""
        if self._has_pane and self._pane.pending_reference:
            self.content_requested.emit(self._pane.pending_reference)

    def show_content(self, reference: str, markdown: str) -> None:
        """Show the content of a mail or document."""
        self._pane.show_content(reference, markdown)

    @property
    def _has_pane(self) -> bool:
        return "_pane" in vars(self)

    @cached_property
    def _pane(self) -> "ArtifactsPane":
        from gui.artifacts.artifacts_pane import ArtifactsPane  # noqa: PLC0415 — on first use

        pane = ArtifactsPane(self._tokens, self._opener, self.content_requested.emit)
        pane.close_button.clicked.connect(self.toggle)
        self._layout.addWidget(pane)
        return pane
