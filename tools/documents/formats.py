"""The formats a document can have, and what people call them."""

from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BeforeValidator

Format: TypeAlias = Literal["docx", "odt", "pdf", "html", "md"]

FORMATS: tuple[Format, ...] = get_args(Format)
FORMAT_NAMES: dict[Format, str] = {
    "docx": "Word document",
    "odt": "OpenDocument text",
    "pdf": "PDF",
    "html": "web page",
    "md": "Markdown file",
}
_OTHER_NAMES: dict[str, Format] = {
    "word": "docx",
    "doc": "docx",
    "opendocument": "odt",
    "htm": "html",
    "markdown": "md",
}


def format_meant(given: object) -> object:
    """The format that ".PDF", "Word" or "Markdown" mean; anything else is left to be refused."""
    if not isinstance(given, str):
        return given
    name = given.strip().lstrip(".").lower()
    return _OTHER_NAMES.get(name, name)


GivenFormat: TypeAlias = Annotated[Format, BeforeValidator(format_meant)]
"""A format as an argument of a tool."""
