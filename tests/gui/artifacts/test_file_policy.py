"""Only files whose name and content have the same harmless type are opened."""

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gui.artifacts.file_policy import MissingFile, OpenFile, ShowInFolder, check_file
from tools.documents.document_folder import CreatedDocument, DocumentFolder
from tools.moments.clock import fixed_clock

PDF = b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF"
TEXT = b"Dear reader,\nnothing happens here.\n"
PAGE = b"<!DOCTYPE html><html><head><title>Report</title></head><body><h1>A</h1></body></html>"
CALENDAR = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"
SCRIPT = b"#!/bin/sh\nrm -rf ~\n"
STARTER = b"[Desktop Entry]\nType=Application\nExec=rm -rf ~\n"
PROGRAM = b"\x7fELF\x02\x01\x01"
WINDOWS = b"MZ\x90\0"
DRAWING = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
RTLO, LRM, ZERO, SOFT = "\u202e", "\u200e", "\u200b", "\u00ad"

OPENED = [
    ("report.pdf", PDF), ("Report.PDF", PDF), ("quarterly report 2026.pdf", PDF),
    ("Übersicht März.pdf", PDF), ("報告.pdf", PDF), ("v1.2.pdf", PDF), ("a.b.c.pdf", PDF),
    ("photo.png", PNG), ("photo.PNG", PNG), ("photo.jpg", JPEG), ("photo.jpeg", JPEG),
    ("moving.gif", b"GIF89a\x01\0\x01\0"), ("old.bmp", b"BM\x36\0\0\0"),
    ("scan.tiff", b"II*\0\x08\0\0\0"), ("web.webp", b"RIFF\x24\0\0\0WEBPVP8 "),
    ("notes.txt", TEXT), ("notes.md", b"# Notes\n\n- one\n"), ("table.csv", b"a,b\n1,2\n"),
    ("table.tsv", b"a\tb\n1\t2\n"), ("run.log", TEXT), ("empty.txt", b""),
    ("meeting.ics", CALENDAR), ("report.html", PAGE), ("report.htm", PAGE),
]  # fmt: skip

SHOWN = [
    # programs and scripts under their own names
    *((f"file{suffix}", SCRIPT) for suffix in (
        ".sh", ".bash", ".zsh", ".ksh", ".py", ".pyw", ".pl", ".rb", ".js", ".mjs", ".vbs", ".vbe",
        ".jse", ".wsf", ".ps1", ".bat", ".cmd", ".command", ".run", ".cgi", ".php", ".lua")),
    *((f"file{suffix}", WINDOWS) for suffix in (
        ".exe", ".com", ".scr", ".pif", ".msi", ".cpl", ".dll", ".lnk", ".url", ".hta", ".reg",
        ".inf", ".scf", ".chm", ".msc")),
    *((f"file{suffix}", PROGRAM) for suffix in (".so", ".bin", ".elf", ".appimage", ".o", "")),
    *((f"file{suffix}", STARTER) for suffix in (".desktop", ".service", ".webloc", ".directory")),
    ("archive.jar", b"PK\x03\x04"), ("archive.zip", b"PK\x03\x04"), ("a.tar.gz", b"\x1f\x8b"),
    ("disk.iso", b"CD001"), ("disk.dmg", b"koly"), ("package.deb", b"!<arch>\n"),
    ("drawing.svg", DRAWING), ("drawing.svgz", DRAWING), ("page.xhtml", PAGE),
    ("page.mht", TEXT), ("page.xml", b"<a/>"), ("macro.docm", b"PK\x03\x04"),
    ("macro.xlsm", b"PK\x03\x04"), ("old.doc", b"\xd0\xcf\x11\xe0"), ("note.rtf", b"{\\rtf1"),
    # two suffixes, one of which acts
    ("invoice.pdf.exe", WINDOWS), ("invoice.exe.pdf", PDF), ("invoice.pdf.sh", SCRIPT),
    ("invoice.js.pdf", PDF), ("photo.desktop.png", PNG), ("photo.png.desktop", STARTER),
    ("notes.txt.lnk", WINDOWS), ("page.svg.html", PAGE), ("invoice.pdf.EXE", WINDOWS),
    # names that hide the type
    (f"invoice{RTLO}fdp.exe", WINDOWS), (f"invoice{RTLO}gnp.pdf", PDF), (f"{LRM}notes.txt", TEXT),
    (f"notes{ZERO}.txt", TEXT), (f"re{SOFT}port.pdf", PDF), ("report.pdf ", PDF),
    (" report.pdf", PDF), ("report.pdf.", PDF), ("report\t.pdf", PDF), ("report\n.pdf", PDF),
    (".pdf", PDF), (".hidden.pdf", PDF), (".bashrc", TEXT), ("report.pdf\u2028", PDF),
    # content of another type than the name
    ("report.pdf", SCRIPT), ("report.pdf", STARTER), ("report.pdf", PAGE), ("report.pdf", b""),
    ("report.pdf", b"\n%PDF-1.7"), ("photo.png", JPEG), ("photo.png", DRAWING),
    ("photo.jpg", PNG), ("moving.gif", PAGE), ("web.webp", b"RIFF\x24\0\0\0AVI LIST"),
    ("report.docx", PDF), ("report.odt", TEXT), ("notes.txt", SCRIPT), ("notes.txt", STARTER),
    ("notes.txt", b"\xef\xbb\xbf#!/bin/sh\n"), ("notes.txt", b"\n\n#!/bin/sh\n"),
    ("notes.txt", PROGRAM), ("notes.txt", b"a\0b"), ("notes.md", STARTER), ("table.csv", WINDOWS),
    ("meeting.ics", TEXT), ("meeting.ics", SCRIPT),
]  # fmt: skip

PAGES_THAT_ACT = [
    "<script>alert(1)</script>", "<SCRIPT SRC=//x.example></SCRIPT>", "<p onclick=go()>x</p>",
    "<img src=x onerror=alert(1)>", "<img src='https://x.example/a.png'>", "<svg onload=go()>",
    "<a href='javascript:go()'>x</a>", "<a href='&#106;avascript:go()'>x</a>",
    "<a href='java&Tab;script:go()'>x</a>", "<a href='data:text/html,x'>x</a>",
    "<iframe src='https://x.example'></iframe>", "<object data='x.swf'></object>",
    "<embed src='x.swf'>", "<form action='https://x.example'><input></form>",
    "<meta http-equiv='refresh' content='0;url=https://x.example'>",
    "<base href='https://x.example'>",
    "<link rel='stylesheet' href='https://x.example/a.css'>", "<math><mi>x</mi></math>",
    "<style>body{background:url(https://x.example)}</style>", "<style>@import 'x.css';</style>",
    "<p style='background:url(//x.example)'>x</p>", "<video src='https://x.example/v'></video>",
    "<!--[if IE]><script>go()</script><![endif]-->", "<p>a</p><!--x--><p>b</p>",
    "<a href='file:///etc/passwd'>x</a>", "<img srcset='https://x.example/a 1x'>",
    "<template><p>x</p></template>", "<noscript><p title='</noscript><img>'></noscript>", "",
    "only words, no page", "<p style='width:expression(go())'>x</p>", "<marquee onstart=go()>x",
    "<audio src='a.mp3'></audio>", "<button formaction='javascript:go()'>x</button>",
]  # fmt: skip


def _written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(("name", "content"), OPENED)
def test_a_harmless_file_is_opened(tmp_path: Path, name: str, content: bytes) -> None:
    path = _written(tmp_path, name, content)
    assert check_file(path) == OpenFile(path)


@pytest.mark.parametrize(("name", "content"), SHOWN)
def test_other_files_are_only_shown_in_their_folder(
    tmp_path: Path, name: str, content: bytes
) -> None:
    decided = check_file(_written(tmp_path, name, content))
    assert isinstance(decided, ShowInFolder)
    assert decided.reason.endswith(".")


@pytest.mark.parametrize("body", PAGES_THAT_ACT)
def test_a_page_with_active_or_remote_content_is_not_opened(tmp_path: Path, body: str) -> None:
    page = f"<!DOCTYPE html><html><body>{body}</body></html>" if body.startswith("<") else body
    decided = check_file(_written(tmp_path, "report.html", page.encode()))
    assert isinstance(decided, ShowInFolder)


def test_there_are_at_least_a_hundred_names() -> None:
    assert len({name for name, _ in [*OPENED, *SHOWN]}) >= 100


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert check_file(tmp_path / "gone.pdf") == MissingFile(tmp_path / "gone.pdf")


def test_an_executable_file_is_not_opened(tmp_path: Path) -> None:
    path = _written(tmp_path, "report.pdf", PDF)
    path.chmod(0o700)
    assert check_file(path) == ShowInFolder(path, "It is marked as a program.")


def test_a_symlink_is_checked_by_its_target(tmp_path: Path) -> None:
    target = _written(tmp_path, "run.sh", SCRIPT)
    link = tmp_path / "report.pdf"
    link.symlink_to(target)
    assert isinstance(check_file(link), ShowInFolder)


def test_a_folder_is_shown_and_not_opened_as_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "report.pdf"
    folder.mkdir()
    assert isinstance(check_file(folder), ShowInFolder)


@pytest.mark.parametrize(
    ("suffix", "part"),
    [(".docx", "word/document.xml"), (".xlsx", "xl/workbook.xml"), (".odt", "content.xml")],
)
def test_an_office_document_is_opened_unless_it_carries_macros(
    tmp_path: Path, suffix: str, part: str
) -> None:
    plain, armed = tmp_path / f"plain{suffix}", tmp_path / f"armed{suffix}"
    for path, extra in ((plain, "media/picture.png"), (armed, "word/vbaProject.bin")):
        with zipfile.ZipFile(path, "w") as package:
            package.writestr(part, "<x/>")
            package.writestr(extra, b"")
        path.chmod(0o600)
    assert check_file(plain) == OpenFile(plain)
    assert isinstance(check_file(armed), ShowInFolder)


async def test_a_report_that_deskhand_wrote_is_opened(tmp_path: Path) -> None:
    writing = DocumentFolder(tmp_path, fixed_clock(datetime(2026, 11, 20, 9, tzinfo=UTC)))
    for kind in ("docx", "odt", "pdf", "html", "md"):
        text = "# Mail\n\n- [One](mail:1) from *Ann*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
        made = await writing.create_document("Mail of today", text, kind)
        assert isinstance(made, CreatedDocument)
        path = Path(made.file_path)
        assert check_file(path) == OpenFile(path)
