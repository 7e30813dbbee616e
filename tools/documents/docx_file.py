"""A Word file: the document with real headings, lists, tables and links."""

from dataclasses import dataclass, replace
from importlib.resources import files
from io import BytesIO
from typing import Any

import docx
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.oxml.table import CT_Row
from docx.shared import Cm, Emu, Twips
from docx.table import Table as WordTable
from docx.text.paragraph import Paragraph as WordParagraph
from docx.text.run import Run as WordRun

from tools.documents.document_model import (
    Alignment,
    CodeBlock,
    DocumentBlock,
    DocumentModel,
    HeadingBlock,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    Runs,
    TableBlock,
    TextRun,
    column_weights,
    is_right_to_left,
)

_ALIGNMENTS = {"center": WD_ALIGN_PARAGRAPH.CENTER, "right": WD_ALIGN_PARAGRAPH.RIGHT}


_MAX_LIST_LEVEL = 8  # levels are counted from 0; the format has nine
_LIST_INDENT = 360  # twentieths of a point, for every level
_BULLETS, _NUMBERS = 9, 10  # ids in word-numbering.xml


@dataclass(frozen=True)
class _Context:
    """The surroundings of a block: the depth of lists, and whether it is quoted."""

    depth: int = 0
    quoted: bool = False


def docx_bytes(model: DocumentModel) -> bytes:
    """Render the model as a Word file."""
    document = _styled_document()
    properties = document.core_properties
    properties.title = model.title[:255]
    properties.author = properties.comments = properties.last_modified_by = ""
    properties.created = properties.modified = model.written
    document.add_paragraph(model.title, style="Title")
    document.add_paragraph(model.day, style="Subtitle")
    _WordWriter(document).write(model.blocks, _Context())
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def _styled_document() -> Document:
    """Create an empty document with the page and styles of every exported file."""
    document = docx.Document()
    styles = document.styles.element
    for default in styles.xpath("w:docDefaults | w:style"):
        styles.remove(default)
    wanted = _resource("word-styles.xml")
    styles.insert(0, wanted[0])  # the defaults, which have to precede the latent styles
    styles.extend(wanted)
    page = document.sections[0]
    page.page_width, page.page_height = Cm(21), Cm(29.7)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Cm(2.6)
    number = OxmlElement("w:fldSimple")
    number.set(qn("w:instr"), "PAGE")
    page.footer.paragraphs[0]._p.append(number)  # noqa: SLF001 — python-docx has no fields
    return document


def _resource(name: str) -> Any:
    return parse_xml(files("resources").joinpath("documents", name).read_bytes())


class _WordWriter:
    """Appends blocks to a document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._numbering = document.part.numbering_part.element
        for definition in list(_resource("word-numbering.xml")):
            self._numbering.insert(0, definition)
        self._bullets = int(self._numbering.add_num(_BULLETS).numId)
        self._link_ids: dict[str, str] = {}

    def write(self, blocks: tuple[DocumentBlock, ...], context: _Context) -> None:
        plain = "Quote" if context.quoted else "ListContinue" if context.depth else "Normal"
        for block in blocks:
            match block:
                case HeadingBlock(level, runs):
                    self._paragraph(runs, f"Heading{level}", context)
                case ParagraphBlock(runs):
                    self._paragraph(runs, plain, context)
                case CodeBlock(text):
                    self._paragraph((TextRun(text),), "Code", context)
                case QuoteBlock(quoted):
                    self.write(quoted, replace(context, quoted=True))
                case ListBlock():
                    self._list(block, context)
                case TableBlock():
                    self._table(block)
                case _:
                    self._rule()

    def _paragraph(self, runs: Runs, style: str, context: _Context) -> WordParagraph:
        paragraph = self._document.add_paragraph()
        self._fill(paragraph, runs, style)
        if context.depth:
            paragraph.paragraph_format.left_indent = Twips(_LIST_INDENT * context.depth)
        return paragraph

    def _fill(self, paragraph: WordParagraph, runs: Runs, style: str) -> None:
        paragraph._p.style = style  # noqa: SLF001 — by id; python-docx searches all for a name
        mirrored = is_right_to_left(runs)
        if mirrored:
            properties = paragraph._p.get_or_add_pPr()  # noqa: SLF001 — no public API
            after = ("w:spacing", "w:ind", "w:contextualSpacing", "w:jc")
            properties.insert_element_before(OxmlElement("w:bidi"), *after)
        for run in runs:
            written = paragraph.add_run(run.text)
            self._style(written, run)
            if mirrored:
                written.font.rtl = True
            if run.link:
                self._link(paragraph, written, run.link)

    def _style(self, written: WordRun, run: TextRun) -> None:
        if run.link or run.code:
            written._r.style = "Hyperlink" if run.link else "CodeCharacters"  # noqa: SLF001
        if run.bold:
            written.bold = True
        if run.italic:
            written.italic = True
        if run.strike:
            written.font.strike = True

    def _link(self, paragraph: WordParagraph, run: WordRun, target: str) -> None:
        if target not in self._link_ids:
            self._link_ids[target] = self._document.part.relate_to(
                target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True
            )
        link = OxmlElement("w:hyperlink")
        link.set(qn("r:id"), self._link_ids[target])
        link.append(run._r)  # noqa: SLF001 — python-docx reads links and does not make them
        paragraph._p.append(link)  # noqa: SLF001

    def _list(self, block: ListBlock, context: _Context) -> None:
        level = min(context.depth, _MAX_LIST_LEVEL)
        number = self._begin_numbering(block.start, level) if block.ordered else self._bullets
        style = "ListNumber" if block.ordered else "ListBullet"
        inside = replace(context, depth=level + 1)
        for item in block.items:
            first, rest = _split_item(item)
            paragraph = self._document.add_paragraph()
            self._fill(paragraph, first, style)
            properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()  # noqa: SLF001 — no public API
            properties.get_or_add_ilvl().val = level
            properties.get_or_add_numId().val = number
            self.write(rest, inside)

    def _begin_numbering(self, start: int, level: int) -> int:
        """Define numbers that start anew; return their id."""
        numbers = self._numbering.add_num(_NUMBERS)
        numbers.add_lvlOverride(ilvl=level).add_startOverride(start)
        return int(numbers.numId)

    def _table(self, block: TableBlock) -> None:
        table = self._document.add_table(rows=1 + len(block.rows), cols=len(block.alignments))
        table.style = self._document.styles["Plain Lines"]
        self._set_columns(table, block)
        header, *rows = table._tbl.tr_lst  # noqa: SLF001 — each row of a table reads all of it
        self._row(table, header, block.header, block.alignments, "TableHeading")
        header.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # on every page again
        for row, cells in zip(rows, block.rows, strict=True):
            self._row(table, row, cells, block.alignments, "TableText")
        self._document.add_paragraph(style="Table Text")

    def _set_columns(self, table: WordTable, block: TableBlock) -> None:
        page = self._document.sections[0]
        width = (page.page_width or 0) - (page.left_margin or 0) - (page.right_margin or 0)
        shares = column_weights(block)
        widths = [Emu(width * share // sum(shares)) for share in shares]
        for column, wide in zip(table.columns, widths, strict=True):
            column.width = wide
        for row in table._tbl.tr_lst:  # noqa: SLF001 — some programs read the cells only
            for cell, wide in zip(row.tc_lst, widths, strict=True):
                cell.width = wide

    def _row(
        self,
        table: WordTable,
        row: CT_Row,
        cells: tuple[Runs, ...],
        alignments: tuple[Alignment, ...],
        style: str,
    ) -> None:
        for cell, runs, alignment in zip(row.tc_lst, cells, alignments, strict=True):
            paragraph = WordParagraph(cell.p_lst[0], table)
            self._fill(paragraph, runs, style)
            if alignment in _ALIGNMENTS:
                paragraph.alignment = _ALIGNMENTS[alignment]

    def _rule(self) -> None:
        paragraph = self._document.add_paragraph()
        border = OxmlElement("w:pBdr")
        line = OxmlElement("w:bottom")
        for name, value in {"val": "single", "sz": "4", "space": "1", "color": "C9CED5"}.items():
            line.set(qn(f"w:{name}"), value)
        border.append(line)
        paragraph._p.get_or_add_pPr().append(border)  # noqa: SLF001 — no borders in python-docx


def _split_item(item: tuple[DocumentBlock, ...]) -> tuple[Runs, tuple[DocumentBlock, ...]]:
    """Split a list item into the text beside the bullet and the blocks below it."""
    match item:
        case [ParagraphBlock(runs), *_]:
            return runs, item[1:]
    return (), item
