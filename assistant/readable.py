"""Readable: how values of any shape read as Markdown in a reply or a mail."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import Any


def readable(value: Any) -> str:
    """A value as Markdown text; a result that knows how it reads (`markdown()`) is asked."""
    if _speaks(value):
        return str(value.markdown())
    if entries := _entries(value):
        return "\n".join(_labelled(key, item) for key, item in entries)
    if _is_list(value):
        return "\n".join(_listed(item) for item in value)
    return _scalar(value)


def _speaks(value: Any) -> bool:
    return callable(getattr(value, "markdown", None)) and not isinstance(value, type)


def _entries(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in value.items()]
    if is_dataclass(value) and not isinstance(value, type):
        return [(each.name, getattr(value, each.name)) for each in fields(value)]
    return []


def _labelled(key: str, value: Any) -> str:
    text = _nested(readable(value))
    if text and (_is_list(value) or _entries(value)):
        return f"- **{_words(key)}**:\n    {text}"
    return f"- **{_words(key)}**: {text}"


def _listed(value: Any) -> str:
    text = readable(value)
    if _speaks(value) and text.startswith("- "):
        return text
    if _speaks(value) or not (entries := _entries(value)):
        return f"- {_nested(text)}"
    pairs = [f"**{_words(key)}**: {_nested(readable(item))}" for key, item in entries]
    return f"- {'; '.join(pairs)}"


def _nested(text: str) -> str:
    return text.replace("\n", "\n    ")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)


def _words(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()


def _scalar(value: Any) -> str:
    if value is None or (isinstance(value, Mapping | Sequence) and not value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%a} {value.day} {value:%b %Y, %H:%M}"
    if isinstance(value, date):
        return f"{value:%a} {value.day} {value:%b %Y}"
    return str(value)
