"""The writers: the bytes of a manuscript in each format. Loads the document libraries."""

from tools.documents.docx_file import docx_bytes
from tools.documents.formats import Format
from tools.documents.html_file import html_bytes
from tools.documents.manuscript import Manuscript
from tools.documents.odt_file import odt_bytes
from tools.documents.pdf_file import pdf_bytes


def written_as(kind: Format, manuscript: Manuscript) -> bytes:
    """The manuscript in this format."""
    match kind:
        case "docx":
            return docx_bytes(manuscript)
        case "odt":
            return odt_bytes(manuscript)
        case "pdf":
            return pdf_bytes(manuscript)
        case "html":
            return html_bytes(manuscript)
        case "md":
            return md_bytes(manuscript)


def md_bytes(manuscript: Manuscript) -> bytes:
    """The Markdown it was read from, under its title."""
    source = manuscript.source.strip("\n")
    first = source.partition("\n")[0].strip("# ")
    if first.casefold() != manuscript.title.casefold():
        source = f"# {manuscript.title}\n\n{source}"
    return f"{source}\n".encode()
