from pathlib import Path
from typing import Literal

import pytest

from tests.assistant.scripted import CLOCK
from tools.documents.document_folder import CreatedDocument, DocumentFolder
from tools.documents.document_reader import read_document
from tools.tool_errors import ToolError

CONTENT = """## What *matters*

Ask **Ada** about <b>it</b>.

- one
    - deeper
- two

1. first

| Who | How much |
|-----|---------:|
| Ada | 12 |
"""


@pytest.mark.parametrize("kind", ["docx", "odt"])
async def test_a_document_reads_back_as_it_was_written(
    tmp_path: Path, kind: Literal["docx", "odt"]
) -> None:
    written = await DocumentFolder(tmp_path, CLOCK).create_document(
        "Report [1]", CONTENT, format=kind
    )
    assert isinstance(written, CreatedDocument)
    text = await read_document(written.file_path)
    lines = [line.strip() for line in text.splitlines()]
    for line in (
        "# Report \\[1\\]",
        "## What matters",
        "- one",
        "- deeper",
        "| Who | How much |",
        "| Ada | 12 |",
    ):
        assert line in lines
    assert "    - deeper" in text
    assert "Ask Ada about" in text


async def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.docx"
    broken.write_bytes(b"PK not really")
    for path, words in (
        (broken, "damaged"),
        (tmp_path / "gone.docx", "no longer"),
        (tmp_path / "a.xyz", "not a kind"),
    ):
        with pytest.raises(ToolError, match=words):
            await read_document(path)
