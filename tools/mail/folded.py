"""Folded: text in the form in which it is stored and compared, whatever its case."""


def storable(text: str) -> str:
    """The text without what a database cannot hold (halves of characters)."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def folded(text: str) -> str:
    """The text as it is compared: without differences of case."""
    return storable(text).casefold()
