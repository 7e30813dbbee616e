"""The PDF view and its document are deleted together, without a crash."""

from pathlib import Path

import shiboken6
from PySide6.QtGui import QPainter, QPdfWriter
from PySide6.QtPdf import QPdfDocument
from PySide6.QtPdfWidgets import QPdfView
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.artifacts.preview import create_pdf_view
from gui.theme.colors import LIGHT


def _pdf(path: Path) -> Path:
    writer = QPdfWriter(str(path))
    painter = QPainter(writer)
    painter.drawText(200, 200, "A page")
    painter.end()
    return path


def _shown(path: Path, pane: QWidget) -> QPdfView:
    preview = create_pdf_view(path, LIGHT, pane)
    layout = pane.layout()
    assert layout is not None
    layout.addWidget(preview)
    return preview


def test_a_document_is_deleted_with_its_view(qtbot: QtBot, tmp_path: Path) -> None:
    pane = QWidget()
    qtbot.addWidget(pane)
    QVBoxLayout(pane)
    first = _shown(_pdf(tmp_path / "a.pdf"), pane)
    pane.show()
    assert first.document().pageCount() == 1
    first.deleteLater()
    qtbot.waitUntil(lambda: not pane.findChildren(QPdfDocument))
    assert _shown(_pdf(tmp_path / "b.pdf"), pane).document().pageCount() == 1


def test_a_window_with_a_pdf_view_can_be_deleted(qapp: QApplication, tmp_path: Path) -> None:
    pane = QWidget()
    QVBoxLayout(pane)
    preview = _shown(_pdf(tmp_path / "a.pdf"), pane)
    pane.show()
    qapp.processEvents()
    shiboken6.delete(pane)
    assert not shiboken6.isValid(preview)
