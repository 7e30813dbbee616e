"""A destination: where a new document goes, decided before anything is written."""

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from tools.documents.formats import FORMATS, Format, format_meant
from tools.documents.shelf import safe_name
from tools.tool import ToolError


@dataclass(frozen=True)
class Destination:
    """A whole path, the format it stands for, and whether it lies in the documents folder."""

    path: Path
    format: Format
    inside: bool

    @classmethod
    def chosen(
        cls, folder: Path, title: str, kind: Format, output_path: str | None
    ) -> "Destination":
        """Decide where a document with this title goes.

        Raises:
            ToolError: the path cannot be meant, or leads to a folder that is not there.
        """
        folder = folder.resolve()
        if not (output_path or "").strip():
            return cls(folder / safe_name(title, f".{kind}"), kind, inside=True)
        given = _readable(str(output_path).strip())
        kind = _format_of(given, kind)
        place = Path(given).expanduser() if given.startswith("~/") else Path(given)
        if given.endswith(("/", os.sep)) or (folder / place).is_dir():
            place /= safe_name(title, f".{kind}")
        path = _within(folder, place, kind) or _resolved(folder / place, kind)
        inside = path.is_relative_to(folder)
        if not inside and not path.parent.is_dir():
            raise ToolError(f"There is no folder {path.parent} to put the document in.")
        return cls(path, kind, inside)


def _readable(given: str) -> str:
    if any(unicodedata.category(sign).startswith("C") for sign in given):
        raise ToolError("The path for the document has characters in it that cannot be seen.")
    return given


def _format_of(given: str, kind: Format) -> Format:
    """The format the path says, where none but the usual one was asked for."""
    said = format_meant(Path(given).suffix)
    for known in FORMATS:
        if said == known and kind in {known, "docx"}:
            return known
        if said == known:
            raise ToolError(f"The path ends in .{said}, but the format is {kind}.")
    return kind


def _within(folder: Path, place: Path, kind: Format) -> Path | None:
    """The path under the folder, each part with a safe name; None when it leads out of it."""
    if place.is_absolute() or ".." in place.parts:
        return None
    *folders, name = place.parts
    safe = folder.joinpath(*(safe_name(part, "") for part in folders))
    path = safe / safe_name(name, f".{kind}")
    return path if path.resolve().is_relative_to(folder) else None


def _resolved(path: Path, kind: Format) -> Path:
    parent = path.parent.resolve()
    return parent / safe_name(path.name, f".{kind}")
