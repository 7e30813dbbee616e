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


def parse_format(given: object) -> object:
    """Convert ".PDF", "Word" or "Markdown" to a format; return any other value unchanged."""
    if not isinstance(given, str):
        return given
    name = given.strip().lstrip(".").lower()
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
        given = _require_visible(str(output_path).strip())
        kind = _format_from_path(given, kind)
        given_path = Path(given).expanduser() if given.startswith("~/") else Path(given)
        if given.endswith(("/", os.sep)) or (folder / given_path).is_dir():
            given_path /= safe_filename(title, f".{kind}")
        path = _inside_folder(folder, given_path, kind) or _outside_folder(
            folder / given_path, kind
        )
        inside = path.is_relative_to(folder)
        if not inside and not path.parent.is_dir():
            raise ToolError(f"There is no folder {path.parent} to put the document in.")
        return cls(path, kind, inside)


def _require_visible(given: str) -> str:
    if any(unicodedata.category(sign).startswith("C") for sign in given):
        raise ToolError("The path for the document has invisible characters in it.")
    return given


def _format_from_path(given: str, kind: DocumentFormat) -> DocumentFormat:
    """Return the format of the path's suffix, if it does not contradict the requested one."""
    suffix = parse_format(Path(given).suffix)
    for known in DOCUMENT_FORMATS:
        if suffix == known and kind in {known, "docx"}:
            return known
        if suffix == known:
            raise ToolError(f"The path ends in .{suffix}, but the format is {kind}.")
    return kind


def _inside_folder(folder: Path, given: Path, kind: DocumentFormat) -> Path | None:
    """Return the path in the folder, with safe names; None if it leads out of the folder."""
    if given.is_absolute() or ".." in given.parts:
        return None
    *folders, name = given.parts
    safe = folder.joinpath(*(safe_filename(part, "") for part in folders))
    path = safe / safe_filename(name, f".{kind}")
    return path if path.resolve().is_relative_to(folder) else None


def _outside_folder(path: Path, kind: DocumentFormat) -> Path:
    parent = path.parent.resolve()
    return parent / safe_filename(path.name, f".{kind}")
