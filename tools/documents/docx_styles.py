"""The styles and list numbering of a Word file, defined in one place."""

import docx
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Pt, RGBColor
from docx.styles.style import ParagraphStyle
from docx.text.paragraph import Paragraph

MAX_LIST_LEVEL = 8  # levels are counted from 0; the format has nine
LIST_INDENT = 360  # twentieths of a point, for every level
_BULLETS = "•–◦•–◦•–◦"
_NUMBERS = ("decimal", "lowerLetter", "lowerRoman") * 3


class ListNumbering:
    """The list definitions of one document: bullets, and numbers restarted for each list."""

    def __init__(self, document: Document) -> None:
        self._numbering = document.part.numbering_part.element
        self._bullets = self._define([("bullet", sign) for sign in _BULLETS])
        self._numbers = self._define(
            [(form, f"%{level + 1}.") for level, form in enumerate(_NUMBERS)]
        )
        self._bulleted: int = self._numbering.add_num(self._bullets).numId

    def begin(self, *, ordered: bool, start: int, level: int) -> int:
        """Start a list; return its number."""
        if not ordered:
            return self._bulleted
        number = self._numbering.add_num(self._numbers)
        number.add_lvlOverride(ilvl=level).add_startOverride(start)
        return int(number.numId)

    def _define(self, levels: list[tuple[str, str]]) -> int:
        defined = self._numbering.findall(qn("w:abstractNum"))
        used = [int(one.get(qn("w:abstractNumId"))) for one in defined]
        id = max(used, default=-1) + 1
        inner = "".join(_level(level, form, text) for level, (form, text) in enumerate(levels))
        xml = (
            f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{id}">'
            f'<w:multiLevelType w:val="multilevel"/>{inner}</w:abstractNum>'
        )
        self._numbering.insert(0, parse_xml(xml))
        return id


def _level(level: int, form: str, text: str) -> str:
    return (
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
        f'<w:pPr><w:ind w:left="{LIST_INDENT * (level + 1)}" w:hanging="{LIST_INDENT}"/></w:pPr>'
        f'<w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:color w:val="69717B"/></w:rPr>'
        f"</w:lvl>"
    )


def add_to_list(paragraph: Paragraph, number: int, level: int) -> None:
    """Make a paragraph the first one of a list item."""
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()  # noqa: SLF001 — no public way
    properties.get_or_add_ilvl().val = level
    properties.get_or_add_numId().val = number


CODE = "Code"
CODE_CHARACTERS = "Code Characters"
LINK = "Hyperlink"
TABLE = "Plain Lines"
TABLE_TEXT = "Table Text"
TABLE_HEADING = "Table Heading"

_FONT = "Calibri"
_FIXED_FONT = "Consolas"
_INK = RGBColor(0x1F, 0x24, 0x29)
_MUTED = RGBColor(0x62, 0x6A, 0x74)
_ACCENT = RGBColor(0x1F, 0x5F, 0x99)
_HEADING_SIZES = (18, 15, 12.5, 11.5, 11, 11)
_TABLE_STYLE = f"""
<w:style {nsdecls("w")} w:type="table" w:customStyle="1" w:styleId="PlainLines">
  <w:name w:val="{TABLE}"/><w:basedOn w:val="TableNormal"/>
  <w:tblPr>
    <w:tblBorders>
      <w:bottom w:val="single" w:sz="4" w:color="D5D9DE"/>
      <w:insideH w:val="single" w:sz="4" w:color="D5D9DE"/>
    </w:tblBorders>
    <w:tblCellMar>
      <w:top w:w="40" w:type="dxa"/><w:left w:w="100" w:type="dxa"/>
      <w:bottom w:w="40" w:type="dxa"/><w:right w:w="100" w:type="dxa"/>
    </w:tblCellMar>
  </w:tblPr>
  <w:tblStylePr w:type="firstRow">
    <w:tcPr><w:tcBorders>
      <w:bottom w:val="single" w:sz="8" w:color="69717B"/>
    </w:tcBorders></w:tcPr>
  </w:tblStylePr>
</w:style>"""


def styled_document() -> Document:
    """Create an empty document with all styles."""
    document = docx.Document()
    _use_one_font(document)
    _set_page(document)
    _style_text(document)
    _style_headings(document)
    _style_lists(document)
    _style_quotes_and_code(document)
    _style_tables(document)
    _style_links(document)
    return document


def _use_one_font(document: Document) -> None:
    """Set the font, and remove the theme's font, which would override it."""
    for fonts in document.styles.element.iter(qn("w:rFonts")):
        for attribute in ("asciiTheme", "hAnsiTheme"):
            fonts.attrib.pop(qn(f"w:{attribute}"), None)
        for attribute in ("ascii", "hAnsi"):
            fonts.set(qn(f"w:{attribute}"), _FONT)


def _set_page(document: Document) -> None:
    page = document.sections[0]
    page.page_width, page.page_height = Cm(21), Cm(29.7)
    page.left_margin = page.right_margin = Cm(2.6)
    page.top_margin = page.bottom_margin = Cm(2.6)


def _paragraph_style(document: Document, name: str, based_on: str = "Normal") -> ParagraphStyle:
    """Return the style with this name, created if the template has none."""
    if name in document.styles:
        style = document.styles[name]
    else:
        style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles[based_on]
    if not isinstance(style, ParagraphStyle):
        raise TypeError(f"{name} is no paragraph style")
    return style


def _space(style: ParagraphStyle, before: float, after: float, line: float = 1.15) -> None:
    style.paragraph_format.space_before = Pt(before)
    style.paragraph_format.space_after = Pt(after)
    style.paragraph_format.line_spacing = line


def _style_text(document: Document) -> None:
    body = _paragraph_style(document, "Normal")
    body.font.size, body.font.color.rgb = Pt(11), _INK
    _space(body, 0, 8, 1.2)
    title = _paragraph_style(document, "Title")
    title.font.size, title.font.color.rgb = Pt(26), _INK
    _space(title, 0, 2, 1.05)
    _remove_border(title)
    subtitle = _paragraph_style(document, "Subtitle")
    subtitle.font.size, subtitle.font.color.rgb = Pt(10.5), _MUTED
    subtitle.font.italic = subtitle.font.bold = False
    _space(subtitle, 0, 20)
    footer = _paragraph_style(document, "Footer")
    footer.font.size, footer.font.color.rgb = Pt(9), _MUTED
    footer.paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER


def _remove_border(style: ParagraphStyle) -> None:
    properties = style.element.get_or_add_pPr()
    for border in properties.findall(qn("w:pBdr")):
        properties.remove(border)


def _style_headings(document: Document) -> None:
    for level, size in enumerate(_HEADING_SIZES, start=1):
        style = _paragraph_style(document, f"Heading {level}")
        style.font.size, style.font.color.rgb = Pt(size), _INK
        style.font.bold, style.font.italic = True, level > 3
        _space(style, max(22 - 3 * level, 10), 5, 1.1)


def _style_lists(document: Document) -> None:
    for name in ("List Bullet", "List Number", "List Continue"):
        style = _paragraph_style(document, name)
        _space(style, 0, 4, 1.2)
        for together in style.element.get_or_add_pPr().findall(qn("w:contextualSpacing")):
            style.element.pPr.remove(together)


def _style_quotes_and_code(document: Document) -> None:
    quote = _paragraph_style(document, "Quote")
    quote.font.italic, quote.font.color.rgb = False, _MUTED
    quote.paragraph_format.left_indent = Cm(0.5)
    _add_to_properties(
        quote,
        '<w:pBdr {}><w:left w:val="single" w:sz="18" w:space="10" w:color="C9CED5"/></w:pBdr>',
    )
    code = _paragraph_style(document, CODE)
    code.font.size = Pt(9.5)
    _use_fixed_font(code.element.get_or_add_rPr())
    _space(code, 4, 10, 1.1)
    _add_to_properties(code, '<w:shd {} w:val="clear" w:color="auto" w:fill="F4F5F7"/>')


def _add_to_properties(style: ParagraphStyle, xml: str) -> None:
    properties = style.element.get_or_add_pPr()
    added = parse_xml(xml.format(nsdecls("w")))
    properties.insert_element_before(added, "w:tabs", "w:spacing", "w:ind", "w:jc")


def _style_tables(document: Document) -> None:
    document.styles.element.append(parse_xml(_TABLE_STYLE))
    text = _paragraph_style(document, TABLE_TEXT)
    text.font.size = Pt(10)
    _space(text, 1, 1, 1.1)
    heading = _paragraph_style(document, TABLE_HEADING, based_on=TABLE_TEXT)
    heading.font.bold = True
    heading.paragraph_format.keep_with_next = True


def _style_links(document: Document) -> None:
    link = document.styles.add_style(LINK, WD_STYLE_TYPE.CHARACTER)
    link.font.color.rgb, link.font.underline = _ACCENT, True
    code = document.styles.add_style(CODE_CHARACTERS, WD_STYLE_TYPE.CHARACTER)
    code.font.size = Pt(10)
    _use_fixed_font(code.element.get_or_add_rPr())


def _use_fixed_font(properties: object) -> None:
    fonts = properties.get_or_add_rFonts()  # type: ignore[attr-defined]  # no public type
    for attribute in ("ascii", "hAnsi", "cs"):
        fonts.set(qn(f"w:{attribute}"), _FIXED_FONT)
