"""Markdown leaf blocks: paragraphs, headings, code and tables added to the element tree."""

import re
from xml.etree.ElementTree import Element, SubElement

from markdown.extensions.tables import TableProcessor
from markdown.util import AtomicString, code_escape

_MAX_TEXT_LENGTH = 20_000  # characters of a paragraph; a longer one is not parsed
_DELIMITER_ROW = re.compile(r" *+\|? *+:?-++:? *+(?:\| *+:?-++:? *+)*+\|? *+$")
_LINK_DEFINITION = re.compile(
    r"""(?x) \[ ([^\[\]]++) \]: [ ]*+ (?: <([^<>]++)> | ([^\s<>]++) )
    (?: [ ]++ (?: "[^"]*+" | '[^']*+' | \([^()]*+\) ) )? [ ]*+ $"""
)
_CHECKBOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


class LeafBlocks:
    """Adds text, code and tables to the tree, and collects link reference definitions."""

    def __init__(self, tables: TableProcessor, references: dict[str, tuple[str, str]]) -> None:
        self._tables = tables
        self._references = references

    def add(self, leaf: str, parent: Element, lines: list[str], language: str) -> None:
        """Add a block; `leaf` is "fence", "indented", "table", or the tag of a text."""
        match leaf:
            case "fence" | "indented":
                _add_code(parent, lines, language)
            case "table":
                self._add_table(parent, lines)
            case "p":
                self._add_paragraph(parent, lines)
            case _:
                _add_text(leaf, parent, lines)

    def is_table(self, header: str, delimiters: str) -> bool:
        """Whether two lines are the header and delimiter row of a table."""
        if "|" not in header or "|" not in delimiters or not _DELIMITER_ROW.match(delimiters):
            return False
        return self._tables.test(Element("div"), f"{header}\n{delimiters}")

    def _add_table(self, parent: Element, lines: list[str]) -> None:
        text = "\n".join(lines)
        is_table = self._tables.test(parent, text)
        if not is_table or len(self._tables.separator) * len(lines) > len(text):  # mostly padding
            _add_text("p", parent, lines)
            return
        self._tables.run(parent, [text])
        table = parent[-1]
        if len(lines) == 2:
            table.remove(table[1])  # an empty row
        for cell in table.iter():
            cell.text = cell.text and cell.text.replace("\\|", "|")

    def _add_paragraph(self, parent: Element, lines: list[str]) -> None:
        definitions = 0
        for definition in map(_LINK_DEFINITION.match, lines):
            if definition is None:
                break
            target = definition[2] or definition[3]
            self._references.setdefault(normalize_label(definition[1]), (target, ""))
            definitions += 1
        if definitions == len(lines):
            return
        first, *others = lines[definitions:]
        if parent.tag == "li" and not len(parent):
            first = _CHECKBOXES.get(first[:4], first[:4]) + first[4:]
        _add_text("p", parent, [first, *others])


def normalize_label(label: str) -> str:
    """Normalize a link label, for lookups regardless of case and blanks."""
    return " ".join(label.split()).casefold()


def tighten_list(items: Element) -> None:
    """Replace the paragraphs of a tight list's items by their bare text."""
    for item in items:
        before: Element | None = None
        for child in list(item):
            if child.tag != "p":
                before = child
                continue
            if before is None:
                item.text = child.text
            else:
                before.tail = child.text
            item.remove(child)


def _add_code(parent: Element, lines: list[str], language: str) -> None:
    code = SubElement(SubElement(parent, "pre"), "code")
    if language:
        code.set("class", f"language-{language}")
    code.text = AtomicString(code_escape("".join(f"{line}\n" for line in lines)))


def _add_text(tag: str, parent: Element, lines: list[str]) -> None:
    text = "\n".join(lines).rstrip()
    is_short = len(text) <= _MAX_TEXT_LENGTH
    SubElement(parent, tag).text = text if is_short else AtomicString(code_escape(text))
