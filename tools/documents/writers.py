"""Document writers: render a document to the bytes of each format, by libraries loaded late."""

from tools.documents.destination import DocumentFormat
from tools.documents.document_model import DocumentModel
from tools.documents.docx_file import docx_bytes
from tools.documents.html_file import html_bytes
from tools.documents.odt_file import odt_bytes
from tools.documents.pdf_file import pdf_bytes


def render_document(kind: DocumentFormat, model: DocumentModel) -> bytes:
    """Render the model in this format."""
    match kind:
        case "docx":
            return docx_bytes(model)
        case "odt":
            return odt_bytes(model)
        case "pdf":
            return pdf_bytes(model)
        case "html":
            return html_bytes(model)
        case "md":
            return md_bytes(model)


def md_bytes(model: DocumentModel) -> bytes:
    """Return the source Markdown below the title."""
    source = model.source.strip("\n")
    first = source.partition("\n")[0].strip("# ")
    if first.casefold() != model.title.casefold():
        source = f"# {model.title}\n\n{source}"
    return f"{source}\n".encode()
