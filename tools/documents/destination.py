"""The destination of a new document: its format and path, decided before anything is written."""

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BeforeValidator

from tools.safe_files import safe_filename
from tools.tool_errors import ToolError

DocumentFormat: TypeAlias = Literal["docx", "odt", "pdf", "html", "md"]

DOCUMENT_FORMATS: tuple[DocumentFormat, ...] = get_args(DocumentFormat)
FORMAT_NAMES: dict[DocumentFormat, str] = {
    "docx": "Word document",
    "odt": "OpenDocument text",
    "pdf": "PDF",
    "html": "web page",
    "md": "Markdown file",
}
_OTHER_NAMES: dict[str, DocumentFormat] = {
    "word": "docx",
    "doc": "docx",
    "opendocument": "odt",
    "htm": "html",
    "markdown": "md",
}


def parse_format(name: object) -> object:
    """Convert ".PDF", "Word" or "Markdown" to a format; return any other value unchanged."""
    if not isinstance(name, str):
        return name
    name = name.strip().lstrip(".").lower()
    return _OTHER_NAMES.get(name, name)


DocumentFormatArgument: TypeAlias = Annotated[DocumentFormat, BeforeValidator(parse_format)]
"""A format as an argument of a tool."""


@dataclass(frozen=True)
class DocumentDestination:
    """An absolute path, its format, and whether it is inside the documents folder."""

    path: Path
    format: DocumentFormat
    inside: bool

    @classmethod
    def choose(
        cls, folder: Path, title: str, kind: DocumentFormat, output_path: str | None
    ) -> "DocumentDestination":
        """Choose the path of a new document from its title or the given path.

        Raises:
            ToolError: The path has invisible characters, another format or no existing folder.
        """
        folder = folder.resolve()
        if not (output_path or "").strip():
            return cls(folder / safe_filename(title, f".{kind}"), kind, inside=True)
        text = str(output_path).strip()
        if any(unicodedata.category(character).startswith("C") for character in text):
            raise ToolError("The path for the document has invisible characters in it.")
        kind = _format_from_path(text, kind)
        relative = Path(text).expanduser() if text.startswith("~/") else Path(text)
        if text.endswith(("/", os.sep)) or (folder / relative).is_dir():
            relative /= safe_filename(title, f".{kind}")
        path = _inside_folder(folder, relative, kind)
        if path is None:
            path = folder / relative
            path = path.parent.resolve() / safe_filename(path.name, f".{kind}")
        inside = path.is_relative_to(folder)
        if not inside and not path.parent.is_dir():
            raise ToolError(f"There is no folder {path.parent} to put the document in.")
        return cls(path, kind, inside)


def _format_from_path(path: str, kind: DocumentFormat) -> DocumentFormat:
    """Return the format of the path's suffix, if it does not contradict the requested one."""
    suffix = parse_format(Path(path).suffix)
    for known in DOCUMENT_FORMATS:
        if suffix == known and kind in {known, "docx"}:
            return known
        if suffix == known:
            raise ToolError(f"The path ends in .{suffix}, but the format is {kind}.")
    return kind


def _inside_folder(folder: Path, relative: Path, kind: DocumentFormat) -> Path | None:
    """Return the path in the folder, with safe names; None if it leads out of the folder."""
    if relative.is_absolute() or ".." in relative.parts:
        return None
    *folders, name = relative.parts
    safe = folder.joinpath(*(safe_filename(part, "") for part in folders))
    path = safe / safe_filename(name, f".{kind}")
    return path if path.resolve().is_relative_to(folder) else None
