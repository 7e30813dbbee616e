"""Headlines: what the pieces of a newsletter are called, where it sets them in capitals."""

from itertools import islice

_MOST_LINES = 400
_LONGEST = 90  # characters


def headlines(content: str) -> tuple[str, ...]:
    """The headlines in order, as sentences are written; none where it has no such lines."""
    lines = (line.strip() for line in islice(content.splitlines(), _MOST_LINES))
    return tuple(dict.fromkeys(line.capitalize() for line in lines if _is_headline(line)))


def _is_headline(line: str) -> bool:
    is_short = len(line) <= _LONGEST and len(line.split()) > 1
    return is_short and line.isupper() and not line.endswith((".", ":", ","))
