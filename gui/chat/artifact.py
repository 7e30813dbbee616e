"""An artifact as a chip shows it: what kind of thing, its name, its size, and where it is."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gui.chat.rendering import visible_line

_ICONS = {
    ".pdf": "text", ".docx": "text", ".odt": "text", ".md": "text", ".txt": "text",
    ".html": "code", ".ics": "calendar", ".csv": "table", ".xlsx": "table",
    ".png": "image", ".jpg": "image", ".jpeg": "image",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a chip says about the thing behind a reference."""

    reference: str
    icon: str
    name: str
    note: str


def describe(reference: str) -> Artifact:
    """Look at what a reference names: a path, a URL, `mail:<id>` or `event:<id>`."""
    scheme = urlsplit(reference).scheme if ":" in reference else ""
    if scheme == "mail":
        return Artifact(reference, "mail", "Email", "In your mailbox")
    if scheme == "event":
        return Artifact(reference, "calendar", "Event", "In your calendar")
    if scheme in {"http", "https"}:
        return Artifact(reference, "link", urlsplit(reference).hostname or reference, "Web page")
    return _describe_file(reference, Path(reference))


def _describe_file(reference: str, path: Path) -> Artifact:
    name = visible_line(path.name)
    kind = path.suffix.lstrip(".").upper() or "File"
    icon = _ICONS.get(path.suffix.lower(), "file")
    try:
        size = in_words(path.stat().st_size)
    except OSError:
        return Artifact(reference, icon, name, f"{kind} · not found")
    return Artifact(reference, icon, name, f"{kind} · {size} · {visible_line(path.parent.name)}")


def in_words(size: int) -> str:
    """Give a number of bytes as people read it."""
    if size < 1000:
        return f"{size} bytes" if size != 1 else "1 byte"
    amount = float(size)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 999.5 or unit == "GB":
            break
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
