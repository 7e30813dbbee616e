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
    """Opens files and links after a check; emits a signal where it does not open them.

    Signals:
        refused: A file or link is not opened: the reason.
        folder_offered: A file is not opened, but its folder can be: path and reason.
        confirmation_needed: A link is opened only after confirmation: URL, destination, reason.
        preview_requested: A mail or event is previewed in the window: its reference.
    """

    refused = Signal(str)
    folder_offered = Signal(str, str)
    confirmation_needed = Signal(str, str, str)
    preview_requested = Signal(str)

    def __init__(self, open_url: "Callable[[QUrl], bool]", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_url = open_url

    def open(self, reference: str) -> None:
        """Open a path, a link, or a reference to a mail or an event."""
        if reference.startswith(INTERNAL_SCHEMES):
            self.preview_requested.emit(reference)
        elif reference.lower().startswith(WEB_SCHEMES):
            self.open_link(reference)
        else:
            self._open_file(Path(reference))

    def open_link(self, url: str, text: str = "") -> None:
        """Open a link; `text` is the text it was displayed as, "" if unknown."""
        if url.startswith(INTERNAL_SCHEMES):
            self.preview_requested.emit(url)
            return
        from gui.artifacts.link_policy import ConfirmLink, FollowLink, RefuseLink, check_link  # noqa: PLC0415 — not before the first paint

        match check_link(url, text):
            case FollowLink():
                self.follow(url)
            case ConfirmLink(host=host, reason=reason):
                self.confirmation_needed.emit(url, host, reason)
            case RefuseLink(reason=reason):
                self.refused.emit(reason)

    def follow(self, url: str) -> None:
        """Open a link that was confirmed."""
        from PySide6.QtCore import QUrl  # noqa: PLC0415 — not before the first paint

        self._open_with_desktop(QUrl(url, QUrl.ParsingMode.StrictMode))

    def browse(self, url: str) -> bool:
        """Open a trusted URL; return whether the desktop accepted it."""
        from PySide6.QtCore import QUrl  # noqa: PLC0415 — not before the first paint

        return self._open_url(QUrl(url, QUrl.ParsingMode.StrictMode))

    def show_folder(self, reference: str) -> None:
        """Open the folder that holds a file."""
        folder = Path(reference).parent
        if folder.is_dir():
            self._open_path(folder)
        else:
            self.refused.emit(f"The folder {folder} is no longer there.")

    def open_folder(self, folder: Path) -> None:
        """Open a folder."""
        self._open_path(folder)

    def _open_file(self, path: Path) -> None:
        from gui.artifacts.file_policy import MissingFile, OpenFile, ShowInFolder, check_file  # noqa: PLC0415 — not before the first paint

        match check_file(path):
            case OpenFile():
                self._open_path(path)
            case ShowInFolder(reason=reason):
                self.folder_offered.emit(str(path), reason)
            case MissingFile():
                self.refused.emit(f"{path.name} is no longer in {path.parent}.")

    def _open_path(self, path: Path) -> None:
        from PySide6.QtCore import QUrl  # noqa: PLC0415 — not before the first paint

        self._open_with_desktop(QUrl.fromLocalFile(str(path)))

    def _open_with_desktop(self, url: "QUrl") -> None:
        if not self._open_url(url):
            self.refused.emit("The desktop has no program for this.")
