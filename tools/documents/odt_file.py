"""An OpenDocument text: a manuscript in real headings, numbered lists, tables and links."""

from datetime import datetime
from io import BytesIO

from odf import dc, meta
from odf.element import Element
from odf.opendocument import OpenDocumentText
from odf.style import ParagraphProperties, Style, TableColumnProperties, TextProperties
from odf.table import Table as OdfTable
from odf.table import TableCell, TableColumn, TableHeaderRows, TableRow
from odf.teletype import addTextToElement
from odf.text import A, H, List, ListItem, P, Span

from tools.documents import odt_styles as styles
from tools.documents.blocks import (
    Alignment,
    Block,
    Code,
    Heading,
    ListBlock,
    Paragraph,
    Quote,
    Run,
    Runs,
    Table,
    column_shares,
    reads_right_to_left,
)
from tools.documents.manuscript import Manuscript


def odt_bytes(manuscript: Manuscript) -> bytes:
    """The manuscript as an OpenDocument text."""
    document = styles.styled_document()
    _describe(document, manuscript)
    writer = _TextWriter(document)
    writer.paragraph(document.text, (Run(manuscript.title),), "Title")
    writer.paragraph(document.text, (Run(manuscript.day),), "Subtitle")
    writer.write(document.text, manuscript.blocks, "Text body")
    file = BytesIO()
    document.write(file)
    return file.getvalue()


def _describe(document: OpenDocumentText, manuscript: Manuscript) -> None:
    written = _local(manuscript.written)
    for element, text in (
        (dc.Title(), manuscript.title),
        (meta.CreationDate(), written),
        (dc.Date(), written),
    ):
        element.addText(text)
        document.meta.addElement(element)


def _local(moment: datetime) -> str:
    """The moment as OpenDocument takes it: without an offset."""
    return moment.replace(tzinfo=None, microsecond=0).isoformat()


class _TextWriter:
    """Writes blocks into the elements of a document, making automatic styles as they are needed."""

    def __init__(self, document: OpenDocumentText) -> None:
        self._document = document
        self._made: set[str] = set()
        self._tables = 0
        self._held: list[Table] = []

    def write(self, parent: Element, blocks: tuple[Block, ...], style: str) -> None:
        """Write blocks; `style` is that of their plain paragraphs."""
        for block in blocks:
            self._write(parent, block, style)
            if parent is self._document.text:
                self._write_held_tables()

    def _write_held_tables(self) -> None:
        for table in self._held:
            self._table(self._document.text, table)
        self._held.clear()

    def paragraph(
        self, parent: Element, runs: Runs, style: str, alignment: Alignment = "left"
    ) -> None:
        """Write one paragraph."""
        element = P(stylename=self._paragraph_style(style, runs, alignment))
        self._fill(element, runs)
        parent.addElement(element)

    def _write(self, parent: Element, block: Block, style: str) -> None:
        match block:
            case Heading():
                self._heading(parent, block)
            case Paragraph(runs):
                self.paragraph(parent, runs, style)
            case Code(text):
                self.paragraph(parent, (Run(text),), "Preformatted Text")
            case Quote(blocks):
                self.write(parent, blocks, "Quotations")
            case ListBlock():
                self._list(parent, block)
            case Table() if parent is not self._document.text:
                self._held.append(block)  # the format has no tables in lists
            case Table():
                self._table(parent, block)
            case _:
                self.paragraph(parent, (), "Horizontal Line")

    def _heading(self, parent: Element, block: Heading) -> None:
        style = self._paragraph_style(f"Heading {block.level}", block.runs, "left")
        element = H(outlinelevel=block.level, stylename=style)
        self._fill(element, block.runs)
        parent.addElement(element)

    def _list(self, parent: Element, block: ListBlock) -> None:
        made = List(stylename=styles.NUMBERS if block.ordered else styles.BULLETS)
        for place, blocks in enumerate(block.items):
            item = ListItem()
            if block.ordered and place == 0:
                item.setAttribute("startvalue", str(block.start))
            self.write(item, blocks, "List item")
            made.addElement(item)
        parent.addElement(made)

    def _table(self, parent: Element, block: Table) -> None:
        self._tables += 1
        table = OdfTable(name=f"Table {self._tables}", stylename="Lines")
        for share in column_shares(block):
            table.addElement(TableColumn(stylename=self._column_style(share)))
        header = TableHeaderRows()
        header.addElement(self._row(block.header, block, "HeadCell", "Table Heading"))
        table.addElement(header)
        for cells in block.rows:
            table.addElement(self._row(cells, block, "Cell", "Table Contents"))
        parent.addElement(table)

    def _row(self, cells: tuple[Runs, ...], block: Table, look: str, style: str) -> TableRow:
        row = TableRow()
        for runs, alignment in zip(cells, block.alignments, strict=True):
            cell = TableCell(stylename=look, valuetype="string")
            self.paragraph(cell, runs, style, alignment)
            row.addElement(cell)
        return row

    def _fill(self, element: Element, runs: Runs) -> None:
        for run in runs:
            inside = element
            if run.link:
                inside = A(href=run.link, type="simple", stylename=styles.named("Internet link"))
                element.addElement(inside)
            style = self._character_style(run)
            if style:
                span = Span(stylename=style)
                inside.addElement(span)
                inside = span
            addTextToElement(inside, run.text)

    def _paragraph_style(self, name: str, runs: Runs, alignment: Alignment) -> str:
        """The named style, or an automatic one under it for another direction or alignment."""
        backwards = reads_right_to_left(runs)
        if not backwards and alignment == "left":
            return styles.named(name)
        made = f"{styles.named(name)}_{alignment}{'_rtl' if backwards else ''}"
        properties = {"textalign": {"left": "start", "right": "end"}.get(alignment, alignment)}
        if backwards:
            properties["writingmode"] = "rl-tb"
        style = Style(name=made, family="paragraph", parentstylename=styles.named(name))
        style.addElement(ParagraphProperties(**properties))
        self._add_once(made, style)
        return made

    def _character_style(self, run: Run) -> str:
        if run.code and not (run.bold or run.italic or run.strike):
            return styles.named("Source Text")
        properties = _text_properties(run)
        if not properties:
            return ""
        made = "-".join(sorted(properties))
        style = Style(name=made, family="text")
        style.addElement(TextProperties(**properties))
        self._add_once(made, style)
        return made

    def _column_style(self, share: int) -> str:
        made = f"Column{share}"
        # LibreOffice rounds small shares away.
        style = Style(name=made, family="table-column")
        style.addElement(TableColumnProperties(relcolumnwidth=f"{share}000*"))
        self._add_once(made, style)
        return made

    def _add_once(self, name: str, style: Style) -> None:
        if name not in self._made:
            self._made.add(name)
            self._document.automaticstyles.addElement(style)


def _text_properties(run: Run) -> dict[str, str]:
    wanted = {
        "fontweight": (run.bold, "bold"),
        "fontstyle": (run.italic, "italic"),
        "textlinethroughstyle": (run.strike, "solid"),
        "fontname": (run.code, "DejaVu Sans Mono"),
    }
    return {name: value for name, (is_wanted, value) in wanted.items() if is_wanted}
