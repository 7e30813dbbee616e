"""The preview of a file: text, Markdown, images and PDF; loads no remote resource."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QColorSpace, QImageReader, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QStackedLayout, QTextBrowser, QWidget

from gui.theme.colors import Tokens

MAX_TEXT_LENGTH = 200_000  # characters
MAX_IMAGE_PIXELS = 40_000_000
_TEXT_SUFFIXES = frozenset(
    [".txt", ".log", ".csv", ".tsv", ".json", ".ics", ".html", ".htm", ".eml"]
)
_IMAGE_SUFFIXES = frozenset([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"])


class Preview(QWidget):
    """Shows text, Markdown, pictures and PDF; says so where it cannot.

    Signals:
        link_activated: A link was clicked; nothing was opened.
    """

    link_activated = Signal(str)

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self._text = _TextPreview()
        self._picture = _ImagePreview()
        self._pdf: QWidget | None = None
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._text)
        self._stack.addWidget(self._picture)
        self._text.anchorClicked.connect(lambda url: self.link_activated.emit(url.toString()))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take other colours."""
        self._tokens = tokens
        self._text.document().setDefaultStyleSheet(
            f"a {{ color: {tokens.accent}; }} code, pre {{ background: {tokens.surface}; }}"
            "h1 { font-size: 18px; } h2 { font-size: 16px; } h3, h4, h5, h6 { font-size: 15px; }"
            "li, p { margin-top: 4px; margin-bottom: 4px; }"
        )

    def show_reference(self, reference: str) -> None:
        """Look into a file; say of a link where it leads."""
        if "://" in reference or reference.startswith("mailto:"):
            self.show_words(reference)
        else:
            self._show_file(Path(reference))

    def show_words(self, words: str) -> None:
        """Show plain words."""
        self._text.setPlainText(words)
        self._stack.setCurrentWidget(self._text)

    def show_markdown(self, markdown: str) -> None:
        """Show Markdown, made safe."""
        from tools.markdown.rendering import safe_html  # noqa: PLC0415 — not before the first paint

        self._text.setHtml(safe_html(markdown[:MAX_TEXT_LENGTH]))
        self._stack.setCurrentWidget(self._text)

    def _show_file(self, path: Path) -> None:
        try:
            self._way_for(path)(path)
        except OSError:
            self.show_words(f"{path.name} is no longer where it was.")

    def _way_for(self, path: Path) -> Callable[[Path], None]:
        suffix = path.suffix.lower()
        if suffix == ".md":
            return lambda file: self.show_markdown(_beginning(file))
        if suffix in _TEXT_SUFFIXES:
            return lambda file: self.show_words(_beginning(file))
        if suffix in _IMAGE_SUFFIXES:
            return self._show_picture
        return self._show_pdf if suffix == ".pdf" else self._say_no_preview

    def _say_no_preview(self, path: Path) -> None:
        path.stat()
        self.show_words("There is no preview for this kind of file. Open it to read it.")

    def _show_picture(self, path: Path) -> None:
        path.stat()
        reader = QImageReader(str(path))
        reader.setAutoTransform(True)
        size = reader.size()
        if not size.isValid() or size.width() * size.height() > MAX_IMAGE_PIXELS:
            self.show_words("This picture is too large for a preview, or damaged.")
            return
        reader.setScaledSize(size.scaled(size.boundedTo(_LARGEST), _KEEP))
        image = reader.read()
        image.convertToColorSpace(QColorSpace(QColorSpace.NamedColorSpace.SRgb))
        self._picture.show_pixmap(QPixmap.fromImage(image))
        self._stack.setCurrentWidget(self._picture)

    def _show_pdf(self, path: Path) -> None:
        from gui.artifacts.pdf_preview import PdfPreview  # noqa: PLC0415 — QtPdf is loaded when needed

        path.stat()
        if self._pdf is not None:
            self._stack.removeWidget(self._pdf)
            self._pdf.deleteLater()
        self._pdf = PdfPreview(path, self._tokens, self)
        self._stack.addWidget(self._pdf)
        self._stack.setCurrentWidget(self._pdf)


class _TextPreview(QTextBrowser):
    """Text that can be selected and whose links are only told of; loads no resource."""

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
    """A picture that fits its place and never grows beyond its own size."""

    def __init__(self) -> None:
        super().__init__()
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumSize(1, 1)
        self.setAccessibleName("Preview of the picture")
        self._whole = QPixmap()

    def show_pixmap(self, whole: QPixmap) -> None:
        self._whole = whole
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._whole.isNull():
            return
        density = self.devicePixelRatioF()
        room = (self.size() * density).boundedTo(self._whole.size())
        fitted = self._whole.scaled(room, _KEEP, Qt.TransformationMode.SmoothTransformation)
        fitted.setDevicePixelRatio(density)
        self.setPixmap(fitted)


_KEEP = Qt.AspectRatioMode.KeepAspectRatio
_LARGEST = QSize(2000, 2000)


def _beginning(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(MAX_TEXT_LENGTH + 1)
    return f"{text[:MAX_TEXT_LENGTH]}\n…" if len(text) > MAX_TEXT_LENGTH else text
