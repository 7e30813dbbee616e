"""The document reader: the text of a docx or odt file as Markdown, for the preview."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from tools.tool_errors import ToolError

MAX_UNPACKED_SIZE = 20_000_000  # bytes, unpacked
MAX_BLOCKS = 2_000


async def read_document(path: Path) -> str:
    """Read the headings, paragraphs, lists and tables of a document as Markdown.

    Raises:
        ToolError: The file is missing, damaged, too large, or of another kind.
    """
    return await asyncio.to_thread(_read, path)


def _read(path: Path) -> str:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ToolError(f"{path.name} is not a kind of document that can be previewed.")
    try:
        _check_unpacked_size(path)
        blocks = [text for _, text in zip(range(MAX_BLOCKS), reader(path), strict=False)]
    except FileNotFoundError as error:
        raise ToolError(f"{path.name} is no longer where it was.") from error
    except (OSError, BadZipFile, KeyError, ValueError) as error:
        raise ToolError(f"{path.name} is damaged and cannot be shown.") from error
    return "\n\n".join(text for text in blocks if text.strip())


def _check_unpacked_size(path: Path) -> None:
    with ZipFile(path) as packed:
        if sum(part.file_size for part in packed.infolist()) > MAX_UNPACKED_SIZE:
            raise ToolError(f"{path.name} is too large to preview; open it instead.")


def _docx(path: Path) -> Iterator[str]:
    import docx  # noqa: PLC0415 — heavy, and only needed for a preview
    from docx.table import Table  # noqa: PLC0415

    for block in docx.Document(str(path)).iter_inner_content():
        if isinstance(block, Table):
            yield _table([[cell.text for cell in row.cells] for row in block.rows])
        else:
            style = block.style.name if block.style else ""
            level = block._element.xpath(_LEVEL)  # noqa: SLF001 — no public API
            yield _markdown_paragraph(
                style or "", int(level[0]) if level else 0, _escaped(block.text)
            )


def _odt(path: Path) -> Iterator[str]:
    from odf.opendocument import load  # noqa: PLC0415
    from odf.teletype import extractText  # noqa: PLC0415

    def inside(node: Any, depth: int) -> Iterator[str]:
        for child in node.childNodes:
            name = getattr(child, "tagName", "")
            if name == "text:h":
                level = int(child.getAttribute("outlinelevel") or 1)
                yield f"{'#' * level} {_escaped(extractText(child))}"
            elif name == "text:p":
                title = child.getAttribute("stylename") == "Title"
                yield f"{'# ' if title else _bullet(depth)}{_escaped(extractText(child))}"
            elif name == "table:table":
                yield _table([[extractText(cell) for cell in row] for row in _rows(child)])
            elif hasattr(child, "childNodes"):
                yield from inside(child, depth + (name == "text:list"))

    yield from inside(load(str(path)).text, 0)


def _rows(table: Any) -> Iterator[list[Any]]:
    for node in table.childNodes:
        if node.tagName == "table:table-row":
            yield [cell for cell in node.childNodes if cell.tagName == "table:table-cell"]
        elif node.childNodes:
            yield from _rows(node)


_READERS: Mapping[str, Callable[[Path], Iterator[str]]] = {".docx": _docx, ".odt": _odt}
_LEVEL = "./w:pPr/w:numPr/w:ilvl/@w:val"
_LISTED = re.compile(r"List (Bullet|Number|Paragraph)?\s*(\d?)")
_HEADING = re.compile(r"Heading (\d)")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")


def _markdown_paragraph(style: str, level: int, text: str) -> str:
    if style == "Title":
        return f"# {text}"
    if heading := _HEADING.match(style):
        return f"{'#' * min(6, int(heading[1]))} {text}"
    if listed := _LISTED.match(style):
        return f"{_bullet(max(level + 1, int(listed[2] or 1)))}{text}"
    return f"> {text}" if "Quote" in style else text


def _bullet(depth: int) -> str:
    return f"{'    ' * (depth - 1)}- " if depth else ""


def _table(rows: list[list[str]]) -> str:
    if not rows:
        return ""
    lines = [f"| {' | '.join(' '.join(_escaped(cell).split()) for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("\n", "  \n")
