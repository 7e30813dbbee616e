"""The document folder: the tool that creates a document from a title and Markdown."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.atomic_file import create_file
from tools.documents.destination import (
    FORMAT_NAMES,
    DocumentDestination,
    DocumentFormat,
    DocumentFormatArgument,
)
from tools.moments.clock import Clock
from tools.proposal import Proposal, ProposalField, Sink
from tools.safe_files import create_numbered, numbered_paths
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class CreatedDocument:
    """A created document; `pages_path` is the same as `file_path`, under its former name."""

    file_path: Path
    pages_path: Path
    message: str

    def markdown(self) -> str:
        """Return the message."""
        return self.message


class DocumentFolder:
    """Creates documents in one folder, and in other folders only after approval.

    Args:
        folder: The documents of the profile; created with the first document.
        clock: Gives the date of a new document.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock

    async def create_document(
        self,
        title: str,
        content: str,
        format: DocumentFormatArgument = "docx",  # noqa: A002 — the contract names it
        output_path: str | None = None,
    ) -> CreatedDocument | Proposal[CreatedDocument]:
        """Create a document.

        Use it for a report, a letter, notes or anything else to be kept as a file. The title
        becomes the title of the document and the name of the file; an existing file is never
        overwritten. Gives the path of the new file, which can be an artifact of the reply.

        Args:
            title: The title of the document.
            content: The text of the document in Markdown (headings, lists, tables, links, code).
            format: docx (Word), odt (LibreOffice), pdf, html or md (Markdown).
            output_path: A file name or a folder, where the title is not to be the name. A path
                outside of the documents folder has to be approved by the user.
        """
        _require_content(title, content)
        return await asyncio.to_thread(self._create, title, content, format, output_path)

    def _create(
        self, title: str, content: str, kind: DocumentFormat, output_path: str | None
    ) -> CreatedDocument | Proposal[CreatedDocument]:
        with _as_tool_error(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        destination = DocumentDestination.choose(self._folder, title, kind, output_path)
        rendered = self._render(destination.format, title, content)
        if not destination.inside:
            return _proposal(destination, title, content, rendered)
        with _as_tool_error(destination.path):
            destination.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _created(create_numbered(destination.path, rendered))

    def _render(self, kind: DocumentFormat, title: str, content: str) -> bytes:
        # The document libraries are heavy, and most runs write no document.
        from tools.documents.document_model import DocumentModel  # noqa: PLC0415
        from tools.documents.writers import render_document  # noqa: PLC0415

        model = DocumentModel.parse(title, content, self._clock())
        return render_document(kind, model)


def _require_content(title: str, content: str) -> None:
    if not title.strip():
        raise ToolError("create_document needs 'title': the title of the document.")
    if not content.strip():
        raise ToolError("create_document needs 'content': the text of the document in Markdown.")


def _proposal(
    destination: DocumentDestination, title: str, content: str, rendered: bytes
) -> Proposal[CreatedDocument]:
    """Propose a path outside of the folder; the document is rendered but not written."""
    path = next(free for free in numbered_paths(destination.path) if not free.exists())

    async def perform() -> CreatedDocument:
        with _as_tool_error(path):
            await asyncio.to_thread(create_file, path, rendered)
        return _created(path)

    return Proposal(
        title="Save this document",
        verb="Save",
        fields=(
            ProposalField("Title", (title,)),
            ProposalField("File", (str(path),), Sink.FILE),
            ProposalField("Kind", (FORMAT_NAMES[destination.format],)),
        ),
        body=content,
        perform=perform,
    )


def _created(path: Path) -> CreatedDocument:
    return CreatedDocument(path, path, f"Created the document “{path.name}”.")


@contextmanager
def _as_tool_error(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise ToolError(f"There is already a file {path}; nothing was written.") from error
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise ToolError(f"The document could not be written to {path}: {reason}.") from error
