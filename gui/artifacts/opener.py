"""The opener: opens files and links with the desktop's programs where the policies allow it."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QUrl

INTERNAL_SCHEMES = ("mail:", "event:")
WEB_SCHEMES = ("http:", "https:", "mailto:")


class Opener(QObject):
    """Opens what may be opened; otherwise says why not.

    Signals:
        refused: Something is not opened: the reason in words.
        folder_offered: A file is not opened, its folder can be shown: path and reason.
        asked: A link is opened only after a look: url, where it leads and why it is asked.
        inside: A mail or event is shown in the window: its reference.
    """

    refused = Signal(str)
    folder_offered = Signal(str, str)
    asked = Signal(str, str, str)
    inside = Signal(str)

    def __init__(self, open_url: "Callable[[QUrl], bool]", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_url = open_url

    def open(self, reference: str) -> None:
        """Open a path, a link, or a reference to a mail or an event."""
        if reference.startswith(INTERNAL_SCHEMES):
            self.inside.emit(reference)
        elif reference.lower().startswith(WEB_SCHEMES):
            self.open_link(reference)
        else:
            self._open_file(Path(reference))

    def open_link(self, url: str, text: str = "") -> None:
        """Follow a link, with the words it was shown by where they are known."""
        if url.startswith(INTERNAL_SCHEMES):
            self.inside.emit(url)
            return
        from gui.artifacts.link_policy import ConfirmLink, FollowLink, RefuseLink, check_link  # noqa: PLC0415 — not before the first paint

        match check_link(url, text):
            case FollowLink():
                self.follow(url)
            case ConfirmLink(host=host, reason=reason):
                self.asked.emit(url, host, reason)
            case RefuseLink(reason=reason):
                self.refused.emit(reason)

    def follow(self, url: str) -> None:
        """Open a link that was looked at."""
        from PySide6.QtCore import QUrl  # noqa: PLC0415 — not before the first paint

        self._hand_over(QUrl(url, QUrl.ParsingMode.StrictMode))

    def browse(self, url: str) -> bool:
        """Open a page of the program's own choice; whether the desktop took it."""
        from PySide6.QtCore import QUrl  # noqa: PLC0415 — not before the first paint

        return self._open_url(QUrl(url, QUrl.ParsingMode.StrictMode))

    def show_folder(self, reference: str) -> None:
        """Open the folder that holds a file."""
        folder = Path(reference).parent
        if folder.is_dir():
            self._hand_over_file(folder)
        else:
            self.refused.emit(f"The folder {folder} is no longer there.")

    def open_folder(self, folder: Path) -> None:
        """Open a folder of the program itself."""
        self._hand_over_file(folder)

    def _open_file(self, path: Path) -> None:
        from gui.artifacts.file_policy import MissingFile, OpenFile, ShowInFolder, check_file  # noqa: PLC0415 — not before the first paint

        match check_file(path):
            case OpenFile():
                self._hand_over_file(path)
            case ShowInFolder(reason=reason):
                self.folder_offered.emit(str(path), reason)
            case MissingFile():
                self.refused.emit(f"{path.name} is no longer in {path.parent}.")

    def _hand_over_file(self, path: Path) -> None:
        from PySide6.QtCore import QUrl  # noqa: PLC0415 — not before the first paint

        self._hand_over(QUrl.fromLocalFile(str(path)))

    def _hand_over(self, url: "QUrl") -> None:
        if not self._open_url(url):
            self.refused.emit("The desktop has no program for this.")
