"""A PDF file: the document set by Typst.

The page is a fixed template; the document reaches it as JSON and is never read as Typst code.
"""

import json
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import Any

import typst

from tools.documents.document_model import DocumentModel, TextRun, is_right_to_left


def pdf_bytes(model: DocumentModel) -> bytes:
    """Render the model as a tagged PDF with an outline, links and page numbers."""
    template = files("resources").joinpath("documents", "page.typ").read_bytes()
    content = typst.compile(
        template,
        format="pdf",
        sys_inputs={"model": json.dumps(_for_template(model))},
        timestamp=model.written,
    )
    if not isinstance(content, bytes):
        raise TypeError("Typst gave no PDF")
    return content


def _for_template(model: DocumentModel) -> dict[str, Any]:
    written = model.written
    units = ("year", "month", "day", "hour", "minute", "second")
    return {
        "title": model.title,
        "day": model.day,
        "date": {unit: getattr(written, unit) for unit in units},
        "blocks": [_as_json(block) for block in model.blocks],
    }


def _as_json(value: object) -> Any:
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    if not is_dataclass(value) or isinstance(value, type):
        return value
    parts = {part.name: _as_json(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, TextRun):
        return parts
    return {"kind": type(value).__name__, "rtl": is_right_to_left(_first_runs(value)), **parts}


def _first_runs(value: Any) -> tuple[TextRun, ...]:
    """Return the runs that decide the direction of a block: its own, or those of its first part."""
    if isinstance(value, tuple):
        return (
            value
            if value and isinstance(value[0], TextRun)
            else _first_runs(value[0])
            if value
            else ()
        )
    for name in ("runs", "items", "blocks", "header"):
        if hasattr(value, name):
            return _first_runs(getattr(value, name))
    return ()
