"""Forwarding: what makes an email pass on another: its subject, its text and what it carries."""

import re
from collections.abc import Iterator

from tools.mail.enclosure import Enclosure, carried
from tools.mail.folding import FORWARD_PREFIX
from tools.mail.original import Original
from tools.moments import in_words
from tools.plain_words import on_one_line, without_control_characters
from tools.tool import ToolError

_FORWARDS = re.compile(rf"^(\s*{FORWARD_PREFIX})+\s*", re.IGNORECASE)


def forwarding_subject(subject: str) -> str:
    """The subject with exactly one "Fwd: " before it."""
    return f"Fwd: {_FORWARDS.sub('', on_one_line(subject))[:480]}".strip()


def forwarded(note: str, original: Original) -> tuple[str, tuple[Enclosure, ...]]:
    """The note with the original whole beneath it, and the files that it carries; blocks.

    Raises:
        ToolError: something of it cannot be read, or the files are too large.
    """
    source = original.source
    if source.problem:
        raise ToolError(f'"{original.email.subject}" cannot be forwarded. {source.problem}')
    text = without_control_characters(source.text).strip("\n")
    heads = "\n".join(_heads(original))
    whole = f"---------- Forwarded message ----------\n{heads}\n\n{text}\n"
    files = carried([(part, source.attachment(part)) for part in source.files])
    return (f"{note.rstrip()}\n\n{whole}" if note.strip() else whole), files


def _heads(original: Original) -> Iterator[str]:
    email, source = original.email, original.source
    yield f"From: {on_one_line(email.sender)}"
    yield f"Date: {in_words(email.date)}"
    yield f"Subject: {on_one_line(email.subject)}"
    for label in ("To", "Cc"):
        if people := source.people(label.lower()):
            yield f"{label}: {on_one_line(', '.join(map(str, people)))}"
