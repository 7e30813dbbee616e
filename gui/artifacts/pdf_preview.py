"""The preview of a PDF; imported on first use."""

from pathlib import Path

from PySide6.QtGui import QColor, QPalette
from PySide6.QtPdf import QPdfDocument
from PySide6.QtPdfWidgets import QPdfView
from PySide6.QtWidgets import QFrame, QWidget

from gui.theme.colors import Tokens


class PdfPreview(QPdfView):
    """The pages of a file below each other, as wide as the pane."""

    def __init__(self, path: Path, tokens: Tokens, parent: QWidget) -> None:
        super().__init__(parent)
        # Not a child of the view: told of its document's end when it is half gone, it would crash.
        document = QPdfDocument(parent)
        self.destroyed.connect(document.deleteLater)
        document.load(str(path))
        self.setDocument(document)
        self.setPageMode(QPdfView.PageMode.MultiPage)
        self.setZoomMode(QPdfView.ZoomMode.FitToWidth)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(f"Pages of {path.name}")
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Dark, QColor(tokens.surface))
        self.setPalette(palette)
