import ctypes
from typing import Any

import pypdfium2
import pypdfium2.raw
import pytest

from tools.documents.document_model import DocumentModel
from tools.documents.pdf_file import pdf_bytes


@pytest.fixture(scope="module")
def content(model: DocumentModel) -> bytes:
    return pdf_bytes(model)


@pytest.fixture(scope="module")
def document(content: bytes) -> Any:
    return pypdfium2.PdfDocument(content)


def test_every_word_is_there(document: Any) -> None:
    text = document[0].get_textpage().get_text_bounded()
    for words in (
        "Quarterly report",
        "21 November 2026",
        "Needs you",
        "inner",
        "3.50",
        "Milk <script>",
        "if a < b:",
        "a quotation",
    ):
        assert words in text


def test_it_says_its_title_and_when_it_was_written(document: Any) -> None:
    described = document.get_metadata_dict()
    assert described["Title"] == "Quarterly report"
    assert described["CreationDate"].startswith("D:20261121093005")


def test_it_has_an_outline(document: Any) -> None:
    assert [entry.get_title() for entry in document.get_toc()] == ["Needs you"]


def test_links_are_clickable_when_they_work_outside(document: Any) -> None:
    assert targets_in(document[0]) == ["https://example.org/?a=1&b=2"]


def test_it_is_tagged_and_its_fonts_are_in_it(content: bytes, document: Any) -> None:
    assert pypdfium2.raw.FPDFCatalog_IsTagged(document.raw)
    assert b"/FontFile" in content


def test_the_same_document_gives_the_same_file(content: bytes, model: DocumentModel) -> None:
    assert pdf_bytes(model) == content


def test_content_is_never_read_as_typst(model: DocumentModel) -> None:
    source = '#read("/etc/passwd") $x^2$ `#panic()` #import "@preview/x:1.0.0" \\u{41} ] ) } "'
    hostile = DocumentModel.parse('#panic("t")', source, model.written)
    page = pypdfium2.PdfDocument(pdf_bytes(hostile))[0]
    shown = page.get_textpage().get_text_bounded()
    assert '#read("/etc/passwd") $x^2$ #panic()' in shown
    assert '#panic("t")' in shown


def targets_in(page: Any) -> list[str]:
    """The addresses of a page's link annotations, as pdfium reads them."""
    raw = pypdfium2.raw
    targets = []
    for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        link = raw.FPDFAnnot_GetLink(raw.FPDFPage_GetAnnot(page.raw, index))
        action = raw.FPDFLink_GetAction(link)
        size = raw.FPDFAction_GetURIPath(page.pdf.raw, action, None, 0)
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(page.pdf.raw, action, buffer, size)
        targets.append(bytes(buffer).rstrip(b"\0").decode())
    return targets
