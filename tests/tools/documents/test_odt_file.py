from io import BytesIO
from typing import Any

import pytest
from odf import dc
from odf.opendocument import load
from odf.table import TableCell, TableHeaderRows, TableRow
from odf.teletype import extractText
from odf.text import A, H, List, ListItem, P

from tools.documents.document_model import DocumentModel
from tools.documents.odt_file import odt_bytes


@pytest.fixture(scope="module")
def document(model: DocumentModel) -> Any:
    return load(BytesIO(odt_bytes(model)))


def test_the_title_is_the_title_and_in_the_properties(document: Any) -> None:
    first = document.text.getElementsByType(P)[0]
    assert (first.getAttribute("stylename"), extractText(first)) == (
        "Title",
        "Quarterly report",
    )
    assert extractText(document.meta.getElementsByType(dc.Title)[0]) == "Quarterly report"


def test_headings_have_levels(document: Any) -> None:
    headings = document.text.getElementsByType(H)
    levels = [(extractText(h), str(h.getAttribute("outlinelevel"))) for h in headings]
    assert levels == [("Needs you", "2")]


def test_lists_nest_and_number_by_themselves(document: Any) -> None:
    lists = document.text.getElementsByType(List)
    assert [one.getAttribute("stylename") for one in lists] == [
        "Bullets",
        "Bullets",
        "Numbers",
        "Numbers",
    ]
    starts = [item.getAttribute("startvalue") for item in document.text.getElementsByType(ListItem)]
    assert [str(start) for start in starts if start] == ["3", "1"]


def test_links_are_kept_when_they_work_outside(document: Any) -> None:
    links = document.text.getElementsByType(A)
    assert [(extractText(a), a.getAttribute("href")) for a in links] == [
        ("link", "https://example.org/?a=1&b=2")
    ]


def test_the_table_has_a_header_row(document: Any) -> None:
    rows = document.text.getElementsByType(TableRow)
    cells = [[extractText(c) for c in row.getElementsByType(TableCell)] for row in rows]
    assert cells == [["Item", "Amount"], ["Tea", "3.50"], ["Milk <script>", "1.20"]]
    (header,) = document.text.getElementsByType(TableHeaderRows)
    assert "Item" in extractText(header)


def test_code_keeps_its_blanks(document: Any) -> None:
    texts = [extractText(p) for p in document.text.getElementsByType(P)]
    assert "if a < b:\n    pass" in texts
