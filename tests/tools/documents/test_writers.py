import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import docx
import pypdfium2
import pytest
from odf.opendocument import load
from odf.text import P

from tools.documents.destination import DOCUMENT_FORMATS, DocumentFormat
from tools.documents.document_model import DocumentModel
from tools.documents.writers import render_document


def test_the_source_stands_under_its_title(model: DocumentModel) -> None:
    assert (
        render_document("md", DocumentModel.parse(model.title, "text\r\n- a\n", model.written))
        == b"# Quarterly report\n\ntext\n- a\n"
    )


def test_the_title_is_not_repeated(model: DocumentModel) -> None:
    assert (
        render_document(
            "md",
            DocumentModel.parse(model.title, "# Quarterly Report\n\ntext", model.written),
        )
        == b"# Quarterly Report\n\ntext\n"
    )


UNUSUAL = {
    "emoji and scripts": "# 🎉\n\n👩‍👩‍👧 עברית العربية 日本語 हिन्दी ไทย\n\n- مرحبا\n",
    "control characters": "a\x00b\x0bc\x1b[31m \ud800 \ufffe",
    "raw html": "<script>alert(1)</script>\n\n<table><tr><td>x</table> <b onclick=x>y</b>",
    "broken markdown": "**a *b ~~c `d [e](f\n\n| a |\n|--\n| b | c |\n```\nnever closed",
    "only a rule": "---",
    "an empty table": "| |\n|-|\n",
    "an item that begins with a table": "- | a |\n  |---|\n  | b |\n-\n- > q\n",
    "deep nesting": "\n".join(f"{'  ' * depth}1. level {depth}" for depth in range(40)),
    "quotes in quotes": ">" * 40 + " deep",
    "quotes and lists in turn": "> - " * 30 + "deep",
    "one long word": "x" * 20_000,
    "a wide table": "|" + " a |" * 60 + "\n|" + "--|" * 60 + "\n|" + " b |" * 60,
    "a long table": "| a | b |\n|--|--|\n" + "| c | d |\n" * 600,
    "many paragraphs": "A **paragraph** with [a link](https://example.org).\n\n" * 1_000,
    "xml signs": "a & b < c > d \" e ' f ]]> &amp; <!-- x -->",
}


@pytest.mark.parametrize("kind", DOCUMENT_FORMATS)
@pytest.mark.parametrize("source", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_input_is_written_in_every_format(
    kind: DocumentFormat, source: str, model: DocumentModel
) -> None:
    content = render_document(kind, DocumentModel.parse("Title & <b>", source, model.written))
    assert len(content) > 10
    if kind == "docx":
        assert docx.Document(BytesIO(content)).paragraphs[0].text == "Title & <b>"
    if kind == "odt":
        assert load(BytesIO(content)).text.getElementsByType(P)
    if kind == "pdf":
        assert len(pypdfium2.PdfDocument(content)) >= 1


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
def test_an_office_program_reads_the_files(model: DocumentModel, tmp_path: Path) -> None:
    kinds: tuple[DocumentFormat, ...] = ("docx", "odt")
    for kind in kinds:
        (tmp_path / f"{kind}.{kind}").write_bytes(render_document(kind, model))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    texts = [str(tmp_path / f"{kind}.{kind}") for kind in kinds]
    subprocess.run(
        [str(shutil.which("soffice")), profile, "--headless", "--convert-to", "txt:Text", *texts],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    for kind in kinds:
        text = (tmp_path / f"{kind}.txt").read_text("utf-8-sig")
        for words in ("Quarterly report", "Needs you", "3. three", "Milk <script>", "if a < b:"):
            assert words in text


def test_a_document_library_is_loaded_only_when_a_document_is_written() -> None:
    program = (
        "import sys, tools.documents.document_folder\n"
        "print({'docx', 'odf', 'typst', 'markdown', 'nh3', 'selectolax'} & set(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert printed.stdout == "set()\n"
