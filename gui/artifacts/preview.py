"""The preview of a file: text, Markdown, images and PDF; loads no remote resource."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QColor, QColorSpace, QImageReader, QPalette, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QStackedLayout, QTextBrowser, QWidget

from gui.artifacts.opener import Opener
from gui.theme.colors import Tokens

if TYPE_CHECKING:
    from PySide6.QtPdfWidgets import QPdfView

MAX_TEXT_LENGTH = 200_000  # characters
MAX_IMAGE_PIXELS = 40_000_000
_TEXT_SUFFIXES = frozenset(
    [".txt", ".log", ".csv", ".tsv", ".json", ".ics", ".html", ".htm", ".eml"]
)
_IMAGE_SUFFIXES = frozenset([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"])


class Preview(QWidget):
    """Shows text, Markdown, images and PDF, or a note that there is no preview."""

    def __init__(self, tokens: Tokens, opener: Opener) -> None:
        super().__init__()
        self._tokens = tokens
        self._text = _TextPreview()
        self._image = _ImagePreview()
        self._pdf: QWidget | None = None
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._text)
        self._stack.addWidget(self._image)
        self._text.anchorClicked.connect(lambda url: opener.open_link(url.toString()))

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply other colours."""
        self._tokens = tokens
        self._text.document().setDefaultStyleSheet(
            f"a {{ color: {tokens.accent}; }} code, pre {{ background: {tokens.surface}; }}"
            "h1 { font-size: 18px; } h2 { font-size: 16px; } h3, h4, h5, h6 { font-size: 15px; }"
            "li, p { margin-top: 4px; margin-bottom: 4px; }"
        )

    def show_reference(self, reference: str) -> None:
        """Preview a file, or show the URL of a link."""
        if "://" in reference or reference.startswith("mailto:"):
            self.show_text(reference)
            return
        path = Path(reference)
        try:
            self._show_file(path)
        except OSError:
            self.show_text(f"{path.name} is no longer where it was.")

    def show_text(self, text: str) -> None:
        """Show plain text."""
        self._text.setPlainText(text)
        self._stack.setCurrentWidget(self._text)

    def show_markdown(self, markdown: str) -> None:
        """Show Markdown as safe HTML."""
        from tools.markdown.rendering import safe_html  # noqa: PLC0415 — not before the first paint

        self._text.setHtml(safe_html(markdown[:MAX_TEXT_LENGTH]))
        self._stack.setCurrentWidget(self._text)

    def _show_file(self, path: Path) -> None:
        """Show a file by its suffix; raise OSError where it is missing."""
        path.stat()
        suffix = path.suffix.lower()
        if suffix == ".md":
            self.show_markdown(_read_beginning(path))
        elif suffix in _TEXT_SUFFIXES:
            self.show_text(_read_beginning(path))
        elif suffix in _IMAGE_SUFFIXES:
            self._show_image(path)
        elif suffix == ".pdf":
            self._show_pdf(path)
        else:
            self.show_text("There is no preview for this kind of file. Open it to read it.")

    def _show_image(self, path: Path) -> None:
        reader = QImageReader(str(path))
        reader.setAutoTransform(True)
        size = reader.size()
        if not size.isValid() or size.width() * size.height() > MAX_IMAGE_PIXELS:
            self.show_text("This picture is too large for a preview, or damaged.")
            return
        reader.setScaledSize(size.scaled(size.boundedTo(_MAX_SIZE), _KEEP_RATIO))
        image = reader.read()
        image.convertToColorSpace(QColorSpace(QColorSpace.NamedColorSpace.SRgb))
        self._image.show_pixmap(QPixmap.fromImage(image))
        self._stack.setCurrentWidget(self._image)

    def _show_pdf(self, path: Path) -> None:
        if self._pdf is not None:
            self._stack.removeWidget(self._pdf)
            self._pdf.deleteLater()
        self._pdf = create_pdf_view(path, self._tokens, self)
        self._stack.addWidget(self._pdf)
        self._stack.setCurrentWidget(self._pdf)


class _TextPreview(QTextBrowser):
    """Selectable text that loads no resource and opens no link itself."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Preview")
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(20)
        self.viewport().setAutoFillBackground(False)

    def loadResource(self, type: int, name: QUrl | str) -> object:  # noqa: A002, ARG002
        return None


class _ImagePreview(QLabel):
    """An image scaled down to the available space, never up."""

    def __init__(self) -> None:
        super().__init__()
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumSize(1, 1)
        self.setAccessibleName("Preview of the picture")
        self._pixmap = QPixmap()

    def show_pixmap(self, pixmap: QPixmap) -> None:
        self._pixmap = pixmap
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._pixmap.isNull():
            return
        density = self.devicePixelRatioF()
        available = (self.size() * density).boundedTo(self._pixmap.size())
        fitted = self._pixmap.scaled(
            available, _KEEP_RATIO, Qt.TransformationMode.SmoothTransformation
        )
        fitted.setDevicePixelRatio(density)
        self.setPixmap(fitted)


_KEEP_RATIO = Qt.AspectRatioMode.KeepAspectRatio
_MAX_SIZE = QSize(2000, 2000)


def _read_beginning(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(MAX_TEXT_LENGTH + 1)
    return f"{text[:MAX_TEXT_LENGTH]}\n…" if len(text) > MAX_TEXT_LENGTH else text


def create_pdf_view(path: Path, tokens: Tokens, parent: QWidget) -> "QPdfView":
    """Return a view of all pages, as wide as the parent."""
    from PySide6.QtPdf import QPdfDocument  # noqa: PLC0415 — only when there is a PDF
    from PySide6.QtPdfWidgets import QPdfView  # noqa: PLC0415

    view = QPdfView(parent)
    # Not a child of the view, which would be notified of its end when half destroyed, and crash.
    document = QPdfDocument(parent)
    view.destroyed.connect(document.deleteLater)
    document.load(str(path))
    view.setDocument(document)
    view.setPageMode(QPdfView.PageMode.MultiPage)
    view.setZoomMode(QPdfView.ZoomMode.FitToWidth)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setAccessibleName(f"Pages of {path.name}")
    palette = view.palette()
    palette.setColor(QPalette.ColorRole.Dark, QColor(tokens.surface))
    view.setPalette(palette)
    return view
