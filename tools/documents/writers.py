"""Document writers: render a document to the bytes of each format, by libraries loaded late."""

from tools.documents.destination import DocumentFormat
from tools.documents.document_model import DocumentModel
from tools.documents.docx_file import docx_bytes
from tools.documents.html_file import html_bytes
from tools.documents.odt_file import odt_bytes
from tools.documents.pdf_file import pdf_bytes


def render_document(kind: DocumentFormat, manuscript: DocumentModel) -> bytes:
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


def md_bytes(manuscript: DocumentModel) -> bytes:
    """The Markdown it was read from, under its title."""
    source = manuscript.source.strip("\n")
    first = source.partition("\n")[0].strip("# ")
    if first.casefold() != manuscript.title.casefold():
        source = f"# {manuscript.title}\n\n{source}"
    return f"{source}\n".encode()
