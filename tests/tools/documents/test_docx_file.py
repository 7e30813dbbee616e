from io import BytesIO
from typing import Any

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH

from tools.documents.document_model import DocumentModel
from tools.documents.docx_file import docx_bytes


@pytest.fixture(scope="module")
def document(model: DocumentModel) -> Any:
    return docx.Document(BytesIO(docx_bytes(model)))


def test_the_title_is_the_title_and_in_the_properties(document: Any, model: DocumentModel) -> None:
    assert document.paragraphs[0].style.name == "Title"
    assert document.paragraphs[0].text == "Quarterly report"
    assert document.core_properties.title == "Quarterly report"
    assert document.core_properties.created == model.written
    assert document.core_properties.author == ""


def test_structure_has_real_styles(document: Any) -> None:
    styles = {paragraph.text: paragraph.style.name for paragraph in document.paragraphs}
    assert styles["Needs you"] == "Heading 2"
    assert styles["first"] == styles["inner"] == "List Bullet"
    assert styles["three"] == "List Number"
    assert styles["a quotation"] == "Quote"
    assert styles["if a < b:\n    pass"] == "Code"


def test_runs_are_styled(document: Any) -> None:
    (paragraph,) = (p for p in document.paragraphs if p.text.startswith("Some bold"))
    styled = {run.text: run for run in paragraph.runs}
    assert styled["bold"].bold
    assert styled["italic"].italic
    assert styled["struck"].font.strike
    assert styled["code"].style.name == "Code Characters"


def test_links_are_relationships_to_outside_targets_only(document: Any) -> None:
    targets = [
        relation.target_ref
        for relation in document.part.rels.values()
        if relation.reltype.endswith("/hyperlink")
    ]
    assert targets == ["https://example.org/?a=1&b=2"]
    links = [link for p in document.paragraphs for link in p.hyperlinks]
    assert [(link.text, link.url) for link in links] == [("link", targets[0])]


def test_each_numbered_list_begins_where_it_says(document: Any) -> None:
    numbering = document.part.numbering_part.element
    starts = {}
    for paragraph in document.paragraphs:
        if paragraph.style.name == "List Number":
            number = paragraph._p.pPr.numPr.numId.val
            starts[paragraph.text] = numbering.num_having_numId(number).xpath(
                "w:lvlOverride/w:startOverride/@w:val"
            )
    assert starts == {"three": ["3"], "four": ["3"], "again one": ["1"]}


def test_lists_nest_by_level(document: Any) -> None:
    levels = {
        p.text: p._p.pPr.numPr.ilvl.val for p in document.paragraphs if p._p.pPr.numPr is not None
    }
    assert levels["first"] == 0
    assert levels["inner"] == 1


def test_the_table_repeats_its_header_and_aligns_numbers(document: Any) -> None:
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["Item", "Amount"],
        ["Tea", "3.50"],
        ["Milk <script>", "1.20"],
    ]
    assert table.rows[0]._tr.xpath("w:trPr/w:tblHeader")
    assert table.rows[1].cells[1].paragraphs[0].alignment == WD_ALIGN_PARAGRAPH.RIGHT


def test_right_to_left_paragraphs_are_marked(document: Any) -> None:
    (paragraph,) = (p for p in document.paragraphs if "שלום" in p.text)
    assert paragraph._p.xpath("w:pPr/w:bidi")
