"""Outgoing attachments: files are checked by name and content."""

import os
import socket
import zipfile
from pathlib import Path

import pytest

from tools.mail.compose.outgoing_attachments import OutgoingAttachment, read_attachments
from tools.tool_errors import ToolError


def file(path: Path, content: bytes) -> OutgoingAttachment:
    path.write_bytes(content)
    (found,) = read_attachments(str(path))
    return found


def test_a_file_is_shown_with_its_whole_path_its_type_and_its_size(tmp_path: Path) -> None:
    found = file(tmp_path / "bücher.pdf", b"%PDF-1\r\n\x00")
    assert str(found) == f"{tmp_path}/bücher.pdf (application/pdf, 9 bytes)"
    assert (found.name, found.content()) == ("bücher.pdf", b"%PDF-1\r\n\x00")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", b"words", "text/plain"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("figures", b"%PDF-1.7", "application/pdf"),
        ("a.unknown", b"?", "application/octet-stream"),
        ("letter.eml", b"Subject: x\n\n", "application/octet-stream"),
        ("a.tar.gz", b"\x1f\x8b", "application/gzip"),
    ],
)
def test_the_type_is_detected_by_name_and_by_content(
    tmp_path: Path, name: str, content: bytes, expected: str
) -> None:
    found = file(tmp_path / name, content)
    assert (found.type, found.warnings) == (expected, ())


@pytest.mark.parametrize(
    ("name", "content", "caution"),
    [
        ("setup.exe", b"MZ\x90", "it can run as a program"),
        ("invoice.pdf.exe", b"MZ\x90", "its name has two endings (.pdf.exe)"),
        ("picture.jpg.pdf", b"%PDF-1", "its name has two endings (.jpg.pdf)"),
        ("notes.txt", b"#!/bin/sh\nrm", "it can run as a program"),
        ("drawing.svg", b"<svg/>", "it can run as a program"),
        ("report.pdf", b"<html>", "its content contradicts its name"),
        ("photo.jpeg", b"GIF89a", "its content contradicts its name"),
    ],
)
def test_suspicious_files_have_warnings(
    tmp_path: Path, name: str, content: bytes, caution: str
) -> None:
    found = file(tmp_path / name, content)
    assert caution in found.warnings
    assert f"caution: {caution}" in str(found)


def test_an_office_file_has_no_warning(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "Q3.2026.docx", "w") as package:
        package.writestr("word/document.xml", "<w/>")
    (found,) = read_attachments(str(tmp_path / "Q3.2026.docx"))
    assert found.warnings == ()
    assert found.type.endswith("wordprocessingml.document")


def test_all_files_that_cannot_be_attached_are_named_together(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("good")
    os.mkfifo(tmp_path / "pipe")
    paths = [tmp_path / "good.txt", tmp_path / "gone.txt", tmp_path, tmp_path / "pipe"]
    with pytest.raises(ToolError) as caught:
        read_attachments([str(path) for path in paths])
    assert str(caught.value) == (
        f"{tmp_path}/gone.txt cannot be attached: there is no such file. "
        f"{tmp_path} cannot be attached: it is a folder. "
        f"{tmp_path}/pipe cannot be attached: it is not a regular file."
    )


def test_devices_sockets_and_unreadable_files_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        for path in ("/dev/zero", str(tmp_path / "s")):
            with pytest.raises(ToolError, match="not a regular file"):
                read_attachments(path)
    for path in ("/proc/self/mem", "/proc/self/environ"):
        with pytest.raises(ToolError, match="is never attached: it belongs to a running program"):
            read_attachments(path)


def test_files_that_are_too_large_are_refused_alone_and_together(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path, size in zip(paths, (20_000_000, 26_000_000), strict=True):
        with path.open("wb") as large:
            large.truncate(size)
    with pytest.raises(ToolError, match=r"b is too large to attach \(26\.0 MB; at most 25\.0 MB\)"):
        read_attachments(str(paths[1]))
    with pytest.raises(ToolError, match=r"a, .*a: 40\.0 MB together; at most 25\.0 MB"):
        read_attachments([str(paths[0]), str(paths[0])])


def test_a_name_with_hidden_characters_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a\u202efdp.exe").write_bytes(b"MZ")
    with pytest.raises(ToolError, match="hidden character"):
        read_attachments(str(tmp_path / "a\u202efdp.exe"))
