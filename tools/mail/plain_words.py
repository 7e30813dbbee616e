"""Plain words: text by strangers made to stand in Markdown as nothing but text."""

import re

_MARKS = re.compile(r"([\\`*_\[\]<|]|~(?=~)|&(?=[#\w]))")
_NUMBERED = re.compile(r"^(\d{1,9})([.)])")
_LINE_MARK = re.compile(r"^([-+=>#~])")


def in_markdown(text: str) -> str:
    """The text on one line of Markdown that shows it as it is: no link, no heading, no HTML."""
    words = _MARKS.sub(r"\\\1", " ".join(text.split()))
    words = words.replace("://", "\\://").replace("www.", "www\\.")
    return _LINE_MARK.sub(r"\\\1", _NUMBERED.sub(r"\1\\\2", words))
