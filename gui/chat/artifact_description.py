"""The description of an artifact: its icon, name, size and location."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gui.widgets.visible_text import show_invisible_line

_ICONS = {
    ".pdf": "text", ".docx": "text", ".odt": "text", ".md": "text", ".txt": "text",
    ".html": "code", ".ics": "calendar", ".csv": "table", ".xlsx": "table",
    ".png": "image", ".jpg": "image", ".jpeg": "image",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ArtifactDescription:
    """The display of an artifact; `note` is its kind, size and folder."""

    reference: str
    icon: str
    name: str
    note: str


def describe_artifact(reference: str) -> ArtifactDescription:
    """Describe a reference: a path, a URL, `mail:<id>` or `event:<id>`; reads the file's size."""
    scheme = urlsplit(reference).scheme if ":" in reference else ""
    if scheme == "mail":
        return ArtifactDescription(reference, "mail", "Email", "In your mailbox")
    if scheme == "event":
        return ArtifactDescription(reference, "calendar", "Event", "In your calendar")
    if scheme in {"http", "https"}:
        return ArtifactDescription(
            reference, "link", urlsplit(reference).hostname or reference, "Web page"
        )
    return _describe_file(reference, Path(reference))


def _describe_file(reference: str, path: Path) -> ArtifactDescription:
    name = show_invisible_line(path.name)
    kind = path.suffix.lstrip(".").upper() or "File"
    icon = _ICONS.get(path.suffix.lower(), "file")
    try:
        size = format_size(path.stat().st_size)
    except OSError:
        return ArtifactDescription(reference, icon, name, f"{kind} · not found")
    return ArtifactDescription(
        reference, icon, name, f"{kind} · {size} · {show_invisible_line(path.parent.name)}"
    )


def format_size(size: int) -> str:
    """Format a number of bytes: "2.3 kB"."""
    if size < 1000:
        return f"{size} bytes" if size != 1 else "1 byte"
    amount = float(size)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 999.5 or unit == "GB":
            break
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
