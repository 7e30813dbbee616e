import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tools.documents.destination import DocumentFormat
from tools.documents.document_folder import CreatedDocument, DocumentFolder
from tools.moments.clock import fixed_clock
from tools.proposal import Proposal, Sink
from tools.tool import Effect, Tool, to_wire
from tools.tool_errors import ToolError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "documents"


@pytest.fixture
def writing(folder: Path) -> DocumentFolder:
    return DocumentFolder(folder, fixed_clock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC)))


@pytest.fixture
def tool(writing: DocumentFolder) -> Tool:
    return Tool.of(
        writing.create_document,
        group="documents",
        effect=Effect.CREATE,
        sinks={"output_path": Sink.FILE},
    )


async def created(
    writing: DocumentFolder, title: str, kind: DocumentFormat, output_path: str | None = None
) -> CreatedDocument:
    document = await writing.create_document(title, "x", kind, output_path)
    assert isinstance(document, CreatedDocument)
    return document


async def test_a_document_is_a_word_file_in_the_folder_under_its_title(
    writing: DocumentFolder, folder: Path
) -> None:
    document = await created(writing, "My report", "docx")
    assert document.file_path == document.pages_path == folder / "My report.docx"
    assert document.file_path.read_bytes().startswith(b"PK")
    assert document.markdown() == "Created the document “My report.docx”."


async def test_the_wire_has_the_names_of_the_contract(
    writing: DocumentFolder, folder: Path
) -> None:
    path = str(folder / "A.md")
    assert to_wire(await writing.create_document("A", "x", "md")) == {
        "file_path": path,
        "pages_path": path,
        "message": "Created the document “A.md”.",
    }


async def test_folder_and_file_are_for_their_owner_alone(
    writing: DocumentFolder, folder: Path
) -> None:
    document = await created(writing, "A", "md")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(document.file_path.stat().st_mode) == 0o600


async def test_a_taken_name_gets_a_number(writing: DocumentFolder) -> None:
    paths = [(await created(writing, "A", "md")).file_path for _ in range(3)]
    assert [path.name for path in paths] == ["A.md", "A (2).md", "A (3).md"]
    assert paths[0].read_text() == "# A\n\nx\n"


@pytest.mark.parametrize(
    ("given", "ending"),
    [
        ("docx", "docx"),
        ("Word", "docx"),
        (".PDF", "pdf"),
        ("Markdown", "md"),
        ("odt", "odt"),
        ("HTML", "html"),
    ],
)
async def test_formats_are_understood_as_people_say_them(
    tool: Tool, given: str, ending: str
) -> None:
    arguments = tool.parse_arguments({"title": "A", "content": "x", "format": given})
    document = await tool.call(**arguments)
    assert document.file_path.name == f"A.{ending}"


def test_an_unknown_format_is_refused_with_those_there_are(tool: Tool) -> None:
    with pytest.raises(ToolError, match=r"'docx', 'odt', 'pdf', 'html' or 'md'"):
        tool.parse_arguments({"title": "A", "content": "x", "format": "xlsx"})


def test_a_result_is_a_document_whether_approved_or_not(tool: Tool) -> None:
    assert tool.returns is CreatedDocument


@pytest.mark.parametrize(
    ("title", "content", "field"), [("", "x", "title"), ("x", " \n", "content")]
)
async def test_an_empty_field_is_named(
    writing: DocumentFolder, title: str, content: str, field: str
) -> None:
    with pytest.raises(ToolError, match=field):
        await writing.create_document(title, content)


@pytest.mark.parametrize(
    ("given", "inside"),
    [
        ("other.docx", "other.docx"),
        ("other", "other.docx"),
        ("other.pdf", "other.pdf"),
        ("deep/er/other.md", "deep/er/other.md"),
        ("deep/", "deep/A.docx"),
        (".hidden", "hidden.docx"),
        ("C:\\x", "C x.docx"),
        (".", "A.docx"),
    ],
)
async def test_a_relative_path_is_within_the_folder(
    writing: DocumentFolder, folder: Path, given: str, inside: str
) -> None:
    document = await created(writing, "A", "docx", given)
    assert document.file_path == folder / inside
    assert document.file_path.exists()


async def test_an_absolute_path_within_the_folder_needs_no_approval(
    writing: DocumentFolder, folder: Path
) -> None:
    document = await created(writing, "A", "docx", str(folder / "b.md"))
    assert document.file_path == folder / "b.md"


async def test_a_path_outside_is_shown_in_full_and_written_after_approval(
    writing: DocumentFolder, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    proposal = await writing.create_document("A", "x", "md", str(outside))
    assert isinstance(proposal, Proposal)
    assert [s.values for s in proposal.fields if s.sink is Sink.FILE] == [(str(outside),)]
    assert not outside.exists()
    assert (await proposal.perform()).file_path == outside
    assert outside.read_text() == "# A\n\nx\n"


async def test_the_approved_path_is_used_or_none(writing: DocumentFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("old")
    proposal = await writing.create_document("A", "x", "md", str(outside))
    assert isinstance(proposal, Proposal)
    numbered = tmp_path / "outside (2).md"
    assert [s.values for s in proposal.fields if s.sink is Sink.FILE] == [(str(numbered),)]
    numbered.write_text("taken meanwhile")
    with pytest.raises(ToolError, match="already"):
        await proposal.perform()
    assert [outside.read_text(), numbered.read_text()] == ["old", "taken meanwhile"]


@pytest.mark.parametrize("given", ["../up.md", "..", "a/../../up.md"])
async def test_a_path_that_climbs_out_is_asked_about(
    writing: DocumentFolder, folder: Path, given: str
) -> None:
    proposal = await writing.create_document("A", "x", "md", given)
    assert isinstance(proposal, Proposal)
    assert list(folder.parent.glob("**/*.md")) == []


async def test_a_link_that_leads_out_is_asked_about(
    writing: DocumentFolder, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder.mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    proposal = await writing.create_document("A", "x", "md", "link/b.md")
    assert isinstance(proposal, Proposal)
    shown = [s.values[0] for s in proposal.fields if s.sink is Sink.FILE]
    assert shown == [str(tmp_path / "elsewhere" / "b.md")]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("/no/such/folder/a.md", "no folder"),
        ("a\0b", "invisible characters"),
        ("a\u202eb", "invisible characters"),
    ],
)
async def test_an_impossible_path_is_refused(
    writing: DocumentFolder, given: str, reason: str
) -> None:
    with pytest.raises(ToolError, match=reason):
        await writing.create_document("A", "x", "md", given)


async def test_two_formats_at_once_are_refused(writing: DocumentFolder) -> None:
    with pytest.raises(ToolError, match=r"ends in \.pdf, but the format is html"):
        await writing.create_document("A", "x", "html", "a.pdf")


async def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    writing = DocumentFolder(
        tmp_path / "file" / "documents", fixed_clock(datetime(2026, 11, 21, tzinfo=UTC))
    )
    with pytest.raises(ToolError, match="could not be written"):
        await writing.create_document("A", "x", "md")
