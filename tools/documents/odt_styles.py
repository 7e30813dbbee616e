"""The styles of an OpenDocument text, named as LibreOffice names them."""

from odf.element import Element
from odf.opendocument import OpenDocumentText
from odf.style import (
    FontFace,
    Footer,
    FooterStyle,
    HeaderFooterProperties,
    ListLevelLabelAlignment,
    ListLevelProperties,
    MasterPage,
    PageLayout,
    PageLayoutProperties,
    ParagraphProperties,
    Style,
    TableCellProperties,
    TableProperties,
    TextProperties,
)
from odf.text import (
    ListLevelStyleBullet,
    ListLevelStyleNumber,
    ListStyle,
    P,
    PageNumber,
)

INK, MUTED, ACCENT, LINE, TINT = "#1f2429", "#626a74", "#1f5f99", "#d5d9de", "#f4f5f7"
BULLETS = "Bullets"
NUMBERS = "Numbers"

_LEVELS = range(1, 11)
_FAMILY = "Carlito"
_FIXED = "DejaVu Sans Mono"
_HEADING_SIZES = ("18pt", "15pt", "12.5pt", "11.5pt", "11pt", "11pt")
_BULLET_SIGNS = "•–◦•–◦•–◦•"
_FORMATS = ("1", "a", "i", "1", "a", "i", "1", "a", "i", "1")


def styled_document() -> OpenDocumentText:
    """Create an empty document with all styles."""
    document = OpenDocumentText()
    _declare_fonts(document)
    _set_page(document)
    _style_text(document)
    _style_headings(document)
    _style_quotes_and_code(document)
    _style_tables(document)
    _style_lists(document)
    return document


def encoded_name(name: str) -> str:
    """Encode the name of a style as in the file, with `_20_` for a blank."""
    return name.replace(" ", "_20_")


def _declare_fonts(document: OpenDocumentText) -> None:
    generics = {_FAMILY: ("Carlito, Calibri", "swiss"), _FIXED: (_FIXED, "modern")}
    for name, (family, generic) in generics.items():
        document.fontfacedecls.addElement(
            FontFace(name=name, fontfamily=family, fontfamilygeneric=generic, fontpitch="variable")
        )


def _set_page(document: OpenDocumentText) -> None:
    layout = PageLayout(name="Page")
    layout.addElement(
        PageLayoutProperties(
            pagewidth="21cm", pageheight="29.7cm", margin="2.6cm", printorientation="portrait"
        )
    )
    layout.addElement(_footer_space())
    document.automaticstyles.addElement(layout)
    footer = Footer()
    number = P(stylename=encoded_name("Footer"))
    number.addElement(PageNumber(selectpage="current"))
    footer.addElement(number)
    master = MasterPage(name="Standard", pagelayoutname=layout)
    master.addElement(footer)
    document.masterstyles.addElement(master)


def _footer_space() -> FooterStyle:
    space = FooterStyle()
    space.addElement(HeaderFooterProperties(minheight="0.6cm", margintop="0.5cm"))
    return space


def _paragraph_style(
    document: OpenDocumentText,
    name: str,
    parent: str = "Standard",
    text: dict[str, str] | None = None,
    **paragraph: str,
) -> Style:
    style = Style(name=encoded_name(name), displayname=name, family="paragraph")
    if name != parent:
        style.setAttribute("parentstylename", encoded_name(parent))
    style.addElement(ParagraphProperties(**paragraph))
    style.addElement(TextProperties(**(text or {})))
    document.styles.addElement(style)
    return style


def _style_text(document: OpenDocumentText) -> None:
    plain = {"fontname": _FAMILY, "fontsize": "11pt", "color": INK}
    _paragraph_style(document, "Standard", "Standard", plain)
    _paragraph_style(document, "Text body", marginbottom="0.28cm", lineheight="125%")
    _paragraph_style(document, "Title", text={"fontsize": "26pt"}, marginbottom="0.1cm")
    dimmed = {"fontsize": "10.5pt", "color": MUTED}
    _paragraph_style(document, "Subtitle", text=dimmed, marginbottom="0.8cm")
    small = {"fontsize": "9pt", "color": MUTED}
    _paragraph_style(document, "Footer", text=small, textalign="center")
    _paragraph_style(document, "List item", lineheight="125%", marginbottom="0.1cm")
    _paragraph_style(
        document,
        "Horizontal Line",
        borderbottom=f"0.5pt solid {LINE}",
        margintop="0.2cm",
        marginbottom="0.6cm",
    )
    _character_style(document, "Internet link", color=ACCENT, textunderlinestyle="solid")


def _character_style(document: OpenDocumentText, name: str, **text: str) -> None:
    style = Style(name=encoded_name(name), displayname=name, family="text")
    style.addElement(TextProperties(**text))
    document.styles.addElement(style)


def _style_headings(document: OpenDocumentText) -> None:
    for level, size in enumerate(_HEADING_SIZES, start=1):
        style = _paragraph_style(
            document,
            f"Heading {level}",
            text={
                "fontsize": size,
                "fontweight": "bold",
                "fontstyle": "italic" if level > 3 else "normal",
            },
            margintop=f"{max(0.75 - 0.1 * level, 0.35):.2f}cm",
            marginbottom="0.2cm",
            keepwithnext="always",
        )
        style.setAttribute("defaultoutlinelevel", str(level))


def _style_quotes_and_code(document: OpenDocumentText) -> None:
    _paragraph_style(
        document,
        "Quotations",
        "Text body",
        text={"color": MUTED},
        marginleft="0.5cm",
        borderleft="2pt solid #c9ced5",
        padding="0cm",
        paddingleft="0.35cm",
    )
    fixed = {"fontname": _FIXED, "fontsize": "9pt"}
    _paragraph_style(
        document,
        "Preformatted Text",
        text=fixed,
        backgroundcolor=TINT,
        padding="0.25cm",
        margintop="0.15cm",
        marginbottom="0.4cm",
    )
    _character_style(document, "Source Text", **fixed)


def _style_tables(document: OpenDocumentText) -> None:
    _paragraph_style(document, "Table Contents", text={"fontsize": "10pt"})
    bold = {"fontweight": "bold"}
    _paragraph_style(document, "Table Heading", "Table Contents", text=bold, keepwithnext="always")
    for name, line in {"Cell": f"0.5pt solid {LINE}", "HeadCell": f"1pt solid {MUTED}"}.items():
        cell = Style(name=name, family="table-cell")
        cell.addElement(TableCellProperties(padding="0.12cm", border="none", borderbottom=line))
        document.automaticstyles.addElement(cell)
    table = Style(name="Lines", family="table")
    table.addElement(TableProperties(align="margins", margintop="0.2cm", marginbottom="0.5cm"))
    document.automaticstyles.addElement(table)


def _style_lists(document: OpenDocumentText) -> None:
    for name in (BULLETS, NUMBERS):
        style = ListStyle(name=name)
        for level in _LEVELS:
            style.addElement(_list_level(level, ordered=name == NUMBERS))
        document.styles.addElement(style)


def _list_level(level: int, *, ordered: bool) -> Element:
    if ordered:
        made = ListLevelStyleNumber(level=level, numformat=_FORMATS[level - 1], numsuffix=".")
    else:
        made = ListLevelStyleBullet(level=level, bulletchar=_BULLET_SIGNS[level - 1])
    place = ListLevelProperties(listlevelpositionandspacemode="label-alignment")
    place.addElement(
        ListLevelLabelAlignment(
            labelfollowedby="listtab",
            textindent="-0.6cm",
            marginleft=f"{0.6 * level:.1f}cm",
            listtabstopposition=f"{0.6 * level:.1f}cm",
        )
    )
    made.addElement(place)
    return made
