"""Markdown for values of any type, for replies and mail bodies."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import Any


def to_markdown(value: Any) -> str:
    """Format a value as Markdown, by its own `markdown()` where it has one."""
    if _has_markdown(value):
        return str(value.markdown())
    if entries := _named_values(value):
        return "\n".join(_format_entry(key, item) for key, item in entries)
    if _is_list(value):
        return "\n".join(_format_item(item) for item in value)
    return _format_scalar(value)


def _has_markdown(value: Any) -> bool:
    return callable(getattr(value, "markdown", None)) and not isinstance(value, type)


def _named_values(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in value.items()]
    if is_dataclass(value) and not isinstance(value, type):
        return [(each.name, getattr(value, each.name)) for each in fields(value)]
    return []


def _format_entry(key: str, value: Any) -> str:
    text = _indent(to_markdown(value))
    if text and (_is_list(value) or _named_values(value)):
        return f"- **{_humanize(key)}**:\n    {text}"
    return f"- **{_humanize(key)}**: {text}"


def _format_item(value: Any) -> str:
    text = to_markdown(value)
    if _has_markdown(value) and text.startswith("- "):
        return text
    if _has_markdown(value) or not (entries := _named_values(value)):
        return f"- {_indent(text)}"
    pairs = [f"**{_humanize(key)}**: {_indent(to_markdown(item))}" for key, item in entries]
    return f"- {'; '.join(pairs)}"


def _indent(text: str) -> str:
    return text.replace("\n", "\n    ")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)


def _humanize(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()


def _format_scalar(value: Any) -> str:
    if value is None or (isinstance(value, Mapping | Sequence) and not value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%a} {value.day} {value:%b %Y, %H:%M}"
    if isinstance(value, date):
        return f"{value:%a} {value.day} {value:%b %Y}"
    return str(value)
