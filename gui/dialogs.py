"""The dialogs of the window: what it says and asks about itself and about what is opened."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from gui.artifacts.opener import Opener
from gui.words import ABOUT


class Dialogs:
    """Shows dialogs over a window."""

    def __init__(self, window: QWidget, opener: Opener) -> None:
        self._window = window
        self._opener = opener

    def shortcuts(self) -> None:
        """List the keys."""
        from gui.shortcut_sheet import ShortcutSheet  # noqa: PLC0415 — not before the first paint

        ShortcutSheet(self._window).open()

    def about(self) -> None:
        """Say what the program is."""
        self._tell(*ABOUT)

    def not_opened(self, why: str) -> None:
        """Say why something was not opened."""
        self._tell("Not opened", why)

    def offer_folder(self, path: str, reason: str) -> None:
        """Offer the folder of a file that is not opened."""
        self._ask(
            "Show it in its folder?",
            f"Deskhand does not open this file itself. {reason}\n\n{path}",
            "Show in folder",
            lambda: self._opener.show_folder(path),
        )

    def ask_about_link(self, url: str, host: str, reason: str) -> None:
        """Show where a link leads before it is followed."""
        self._ask(f"Go to {host}?", f"{reason}\n\n{url}", "Open", lambda: self._opener.follow(url))

    def _tell(self, title: str, words: str) -> None:
        from gui.questions import tell  # noqa: PLC0415 — not before the first paint

        tell(self._window, title, words)

    def _ask(self, title: str, words: str, verb: str, then: Callable[[], None]) -> None:
        from gui.questions import confirm  # noqa: PLC0415 — not before the first paint

        confirm(self._window, title, words, verb, then)
