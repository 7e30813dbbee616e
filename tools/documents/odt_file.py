"""An OpenDocument text: the document with real headings, numbered lists, tables and links."""

import re
from importlib.resources import files
from io import BytesIO, StringIO
from xml.sax import make_parser
from xml.sax.handler import feature_namespaces

from odf import dc, meta
from odf.element import Element
from odf.load import LoadParser
from odf.opendocument import OpenDocumentText
from odf.style import ParagraphProperties, Style, TableColumnProperties, TextProperties
from odf.table import Table as OdfTable
from odf.table import TableCell, TableColumn, TableHeaderRows, TableRow
from odf.teletype import addTextToElement
from odf.text import A, H, List, ListItem, P, Span

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


def odt_bytes(model: DocumentModel) -> bytes:
    """Render the model as an OpenDocument text."""
    document = _styled_document()
    _set_metadata(document, model)
    writer = _OdtWriter(document)
    writer.paragraph(document.text, (TextRun(model.title),), "Title")
    writer.paragraph(document.text, (TextRun(model.day),), "Subtitle")
    writer.write(document.text, model.blocks, "Text body")
    file = BytesIO()
    document.write(file)
    return file.getvalue()


def _styled_document() -> OpenDocumentText:
    """Create an empty document with the page and styles of every exported file."""
    document = OpenDocumentText()
    document._parsing = "styles.xml"  # noqa: SLF001 — as odfpy's own loader does
    parser = make_parser()  # noqa: S317 — of our own file
    parser.setFeature(feature_namespaces, True)  # noqa: FBT003 — its form
    parser.setContentHandler(LoadParser(document))
    source = files("resources").joinpath("documents", "opendocument-styles.xml").read_text("utf-8")
    parser.parse(StringIO(re.sub(r">\s+<", "><", source)))
    return document


def _set_metadata(document: OpenDocumentText, model: DocumentModel) -> None:
    written = model.written.replace(
        tzinfo=None, microsecond=0
    ).isoformat()  # the format has no zones
    for element, text in (
        (dc.Title(), model.title),
        (meta.CreationDate(), written),
        (dc.Date(), written),
    ):
        element.addText(text)
        document.meta.addElement(element)


class _OdtWriter:
    """Adds blocks to the elements of a document, with automatic styles where needed."""

    def __init__(self, document: OpenDocumentText) -> None:
        self._document = document
        self._made: set[str] = set()
        self._tables = 0
        self._postponed: list[TableBlock] = []

    def write(self, parent: Element, blocks: tuple[DocumentBlock, ...], style: str) -> None:
        """Add blocks; `style` is the style of their plain paragraphs."""
        for block in blocks:
            self._write(parent, block, style)
            if parent is self._document.text:
                for table in self._postponed:
                    self._table(parent, table)
                self._postponed.clear()

    def paragraph(
        self, parent: Element, runs: Runs, style: str, alignment: Alignment = "left"
    ) -> None:
        """Add one paragraph."""
        element = P(stylename=self._paragraph_style(style, runs, alignment))
        self._fill(element, runs)
        parent.addElement(element)

    def _write(self, parent: Element, block: DocumentBlock, style: str) -> None:
        match block:
            case HeadingBlock():
                self._heading(parent, block)
            case ParagraphBlock(runs):
                self.paragraph(parent, runs, style)
            case CodeBlock(text):
                self.paragraph(parent, (TextRun(text),), "Preformatted Text")
            case QuoteBlock(blocks):
                self.write(parent, blocks, "Quotations")
            case ListBlock():
                self._list(parent, block)
            case TableBlock() if parent is not self._document.text:
                self._postponed.append(block)  # the format has no tables in lists
            case TableBlock():
                self._table(parent, block)
            case _:
                self.paragraph(parent, (), "Horizontal Line")

    def _heading(self, parent: Element, block: HeadingBlock) -> None:
        style = self._paragraph_style(f"Heading {block.level}", block.runs, "left")
        element = H(outlinelevel=block.level, stylename=style)
        self._fill(element, block.runs)
        parent.addElement(element)

    def _list(self, parent: Element, block: ListBlock) -> None:
        element = List(stylename="Numbers" if block.ordered else "Bullets")
        for number, blocks in enumerate(block.items):
            item = ListItem()
            if block.ordered and number == 0:
                item.setAttribute("startvalue", str(block.start))
            self.write(item, blocks, "List item")
            element.addElement(item)
        parent.addElement(element)

    def _table(self, parent: Element, block: TableBlock) -> None:
        self._tables += 1
        table = OdfTable(name=f"Table {self._tables}", stylename="Lines")
        for share in column_weights(block):
            table.addElement(TableColumn(stylename=self._column_style(share)))
        header = TableHeaderRows()
        header.addElement(self._row(block.header, block, "HeadCell", "Table Heading"))
        table.addElement(header)
        for cells in block.rows:
            table.addElement(self._row(cells, block, "Cell", "Table Contents"))
        parent.addElement(table)

    def _row(
        self, cells: tuple[Runs, ...], block: TableBlock, cell_style: str, style: str
    ) -> TableRow:
        row = TableRow()
        for runs, alignment in zip(cells, block.alignments, strict=True):
            cell = TableCell(stylename=cell_style, valuetype="string")
            self.paragraph(cell, runs, style, alignment)
            row.addElement(cell)
        return row

    def _fill(self, element: Element, runs: Runs) -> None:
        for run in runs:
            inside = element
            if run.link:
                inside = A(href=run.link, type="simple", stylename=_encoded_name("Internet link"))
                element.addElement(inside)
            style = self._character_style(run)
            if style:
                span = Span(stylename=style)
                inside.addElement(span)
                inside = span
            addTextToElement(inside, run.text)

    def _paragraph_style(self, name: str, runs: Runs, alignment: Alignment) -> str:
        """Return the named style, or an automatic variant for its direction or alignment."""
        mirrored = is_right_to_left(runs)
        if not mirrored and alignment == "left":
            return _encoded_name(name)
        style_name = f"{_encoded_name(name)}_{alignment}{'_rtl' if mirrored else ''}"
        properties = {"textalign": {"left": "start", "right": "end"}.get(alignment, alignment)}
        if mirrored:
            properties["writingmode"] = "rl-tb"
        style = Style(name=style_name, family="paragraph", parentstylename=_encoded_name(name))
        style.addElement(ParagraphProperties(**properties))
        self._add_once(style_name, style)
        return style_name

    def _character_style(self, run: TextRun) -> str:
        if run.code and not (run.bold or run.italic or run.strike):
            return _encoded_name("Source Text")
        properties = _text_properties(run)
        if not properties:
            return ""
        style_name = "-".join(sorted(properties))
        style = Style(name=style_name, family="text")
        style.addElement(TextProperties(**properties))
        self._add_once(style_name, style)
        return style_name

    def _column_style(self, share: int) -> str:
        style_name = f"Column{share}"
        # LibreOffice rounds small shares away.
        style = Style(name=style_name, family="table-column")
        style.addElement(TableColumnProperties(relcolumnwidth=f"{share}000*"))
        self._add_once(style_name, style)
        return style_name

    def _add_once(self, name: str, style: Style) -> None:
        if name not in self._made:
            self._made.add(name)
            self._document.automaticstyles.addElement(style)


def _text_properties(run: TextRun) -> dict[str, str]:
    wanted = {
        "fontweight": (run.bold, "bold"),
        "fontstyle": (run.italic, "italic"),
        "textlinethroughstyle": (run.strike, "solid"),
        "fontname": (run.code, "DejaVu Sans Mono"),
    }
    return {name: value for name, (is_wanted, value) in wanted.items() if is_wanted}


def _encoded_name(name: str) -> str:
    """Encode the name of a style as in the file, with `_20_` for a blank."""
    return name.replace(" ", "_20_")
