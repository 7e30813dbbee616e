"""The numbering of a Word file: bullets, and numbers that start anew with every list."""

from docx.document import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.text.paragraph import Paragraph

DEEPEST = 8  # levels are counted from 0; the format has nine
INDENT = 360  # twentieths of a point, for every level
_BULLETS = "•–◦•–◦•–◦"
_NUMBERS = ("decimal", "lowerLetter", "lowerRoman") * 3


class Numbering:
    """The lists of one document."""

    def __init__(self, document: Document) -> None:
        self._numbering = document.part.numbering_part.element
        self._bullets = self._define([("bullet", sign) for sign in _BULLETS])
        self._numbers = self._define(
            [(form, f"%{level + 1}.") for level, form in enumerate(_NUMBERS)]
        )
        self._bulleted: int = self._numbering.add_num(self._bullets).numId

    def begin(self, *, ordered: bool, start: int, level: int) -> int:
        """The number of a new list."""
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
        f'<w:pPr><w:ind w:left="{INDENT * (level + 1)}" w:hanging="{INDENT}"/></w:pPr>'
        f'<w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:color w:val="69717B"/></w:rPr>'
        f"</w:lvl>"
    )


def put_in_list(paragraph: Paragraph, number: int, level: int) -> None:
    """Make a paragraph the head of an item."""
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()  # noqa: SLF001 — no public way
    properties.get_or_add_ilvl().val = level
    properties.get_or_add_numId().val = number
