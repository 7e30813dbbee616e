"""A Word file: the document with real headings, lists, tables and links."""

from dataclasses import dataclass, replace
from io import BytesIO

from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.table import CT_Row
from docx.shared import Emu, Twips
from docx.table import Table as WordTable
from docx.text.paragraph import Paragraph as WordParagraph
from docx.text.run import Run as WordRun

from tools.documents import docx_styles as styles
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
from tools.documents.docx_styles import LIST_INDENT, MAX_LIST_LEVEL, ListNumbering, add_to_list

_ALIGNMENTS = {"center": WD_ALIGN_PARAGRAPH.CENTER, "right": WD_ALIGN_PARAGRAPH.RIGHT}


@dataclass(frozen=True)
class _Context:
    """The surroundings of a block: the depth of lists, and whether it is quoted."""

    depth: int = 0
    quoted: bool = False


def docx_bytes(model: DocumentModel) -> bytes:
    """Render the model as a Word file."""
    document = styles.styled_document()
    _set_properties(document, model)
    _add_page_numbers(document)
    document.add_paragraph(model.title, style="Title")
    document.add_paragraph(model.day, style="Subtitle")
    _WordWriter(document).write(model.blocks, _Context())
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def _set_properties(document: Document, model: DocumentModel) -> None:
    described = document.core_properties
    described.title = model.title[:255]
    described.author = described.comments = described.last_modified_by = ""
    described.created = described.modified = model.written


def _add_page_numbers(document: Document) -> None:
    footer = document.sections[0].footer.paragraphs[0]
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    footer._p.append(field)  # noqa: SLF001 — python-docx has no fields


class _WordWriter:
    """Appends blocks to a document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._numbering = ListNumbering(document)
        self._style_ids = {style.name: style.style_id for style in document.styles}
        self._link_ids: dict[str, str] = {}

    def write(self, blocks: tuple[DocumentBlock, ...], context: _Context) -> None:
        for block in blocks:
            self._write(block, context)

    def _write(self, block: DocumentBlock, context: _Context) -> None:
        match block:
            case HeadingBlock(level, runs):
                self._paragraph(runs, f"Heading {level}", context)
            case ParagraphBlock(runs):
                self._paragraph(runs, _text_style(context), context)
            case CodeBlock(text):
                self._paragraph((TextRun(text),), styles.CODE, context)
            case QuoteBlock(blocks):
                self.write(blocks, replace(context, quoted=True))
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
            paragraph.paragraph_format.left_indent = Twips(LIST_INDENT * context.depth)
        return paragraph

    def _fill(self, paragraph: WordParagraph, runs: Runs, style: str) -> None:
        """Set the style and text of a paragraph.

        Styles are set by id: python-docx reads all of its 160 styles to find one by name.
        """
        paragraph._p.style = self._style_ids[style]  # noqa: SLF001
        mirrored = is_right_to_left(runs)
        if mirrored:
            _set_right_to_left(paragraph)
        for run in runs:
            written = paragraph.add_run(run.text)
            self._style(written, run)
            if mirrored:
                written.font.rtl = True
            if run.link:
                self._link(paragraph, written, run.link)

    def _style(self, written: WordRun, run: TextRun) -> None:
        if run.link or run.code:
            name = styles.LINK if run.link else styles.CODE_CHARACTERS
            written._r.style = self._style_ids[name]  # noqa: SLF001 — as in _fill
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
        level = min(context.depth, MAX_LIST_LEVEL)
        number = self._numbering.begin(ordered=block.ordered, start=block.start, level=level)
        style = "List Number" if block.ordered else "List Bullet"
        inside = replace(context, depth=level + 1)
        for item in block.items:
            head, rest = _split_item(item)
            paragraph = self._document.add_paragraph()
            self._fill(paragraph, head, style)
            add_to_list(paragraph, number, level)
            self.write(rest, inside)

    def _table(self, block: TableBlock) -> None:
        table = self._document.add_table(rows=1 + len(block.rows), cols=len(block.alignments))
        table.style = self._document.styles[styles.TABLE]
        self._set_columns(table, block)
        header, *rows = table._tbl.tr_lst  # noqa: SLF001 — each row of a table reads all of it
        self._row(table, header, block.header, block.alignments, styles.TABLE_HEADING)
        header.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # on every page again
        for row, cells in zip(rows, block.rows, strict=True):
            self._row(table, row, cells, block.alignments, styles.TABLE_TEXT)
        self._document.add_paragraph(style=styles.TABLE_TEXT)

    def _set_columns(self, table: WordTable, block: TableBlock) -> None:
        page = self._document.sections[0]
        width = (page.page_width or 0) - (page.left_margin or 0) - (page.right_margin or 0)
        shares = column_weights(block)
        widths = [Emu(width * share // sum(shares)) for share in shares]
        for column, wide in zip(table.columns, widths, strict=True):
            column.width = wide
        for row in table._tbl.tr_lst:  # noqa: SLF001 — some programs look at the cells alone
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


def _text_style(context: _Context) -> str:
    if context.quoted:
        return "Quote"
    return "List Continue" if context.depth else "Normal"


def _split_item(item: tuple[DocumentBlock, ...]) -> tuple[Runs, tuple[DocumentBlock, ...]]:
    """Split a list item into the text beside the bullet and the blocks below it."""
    match item:
        case [ParagraphBlock(runs), *_]:
            return runs, item[1:]
    return (), item


def _set_right_to_left(paragraph: WordParagraph) -> None:
    properties = paragraph._p.get_or_add_pPr()  # noqa: SLF001 — no public way
    after = ("w:spacing", "w:ind", "w:contextualSpacing", "w:jc")
    properties.insert_element_before(OxmlElement("w:bidi"), *after)
