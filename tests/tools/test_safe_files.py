from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.safe_files import create_numbered, safe_filename


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Quarterly report", "Quarterly report.pdf"),
        ("Über die Ärzte", "Über die Ärzte.pdf"),
        ("日本語の報告", "日本語の報告.pdf"),
        ("../../etc/passwd", "etc passwd.pdf"),
        ("C:\\Windows\\system32", "C Windows system32.pdf"),
        ("a/b: c?", "a b c.pdf"),
        ("line\nbreak\ttab", "line break tab.pdf"),
        (".hidden", "hidden.pdf"),
        ("--help", "help.pdf"),
        ("name. . .", "name.pdf"),
        ("report.pdf", "report.pdf"),
        ("CON", "CON document.pdf"),
        ("nul.txt", "nul txt.pdf"),
        ("invoice\u202efdp.exe", "invoicefdp.exe.pdf"),
        ("", "Document.pdf"),
        ("///", "Document.pdf"),
        ("\u200b\u202e", "Document.pdf"),
    ],
)
def test_a_title_becomes_an_ordinary_name(words: str, name: str) -> None:
    assert safe_filename(words, ".pdf") == name


@given(st.text(max_size=400))
def test_any_text_becomes_a_visible_name_in_one_folder(words: str) -> None:
    name = safe_filename(words, ".docx")
    assert name.endswith(".docx")
    assert len(name.encode()) <= 200
    assert Path(name).name == name
    assert not name.startswith((".", " ", "-"))
    assert not set(name) & set('<>:"/\\|?*\n\r\t\0')


def test_a_taken_name_gets_a_number(tmp_path: Path) -> None:
    names = [create_numbered(tmp_path / "a.txt", b"x").name for _ in range(3)]
    assert names == ["a.txt", "a (2).txt", "a (3).txt"]


def test_many_at_once_get_different_names(tmp_path: Path) -> None:
    contents = [str(number).encode() for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        paths = list(threads.map(lambda c: create_numbered(tmp_path / "a.txt", c), contents))
    assert [path.read_bytes() for path in paths] == contents
    assert len(set(paths)) == 40


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "elsewhere.txt")
    assert create_numbered(tmp_path / "a.txt", b"x").name == "a (2).txt"
    assert not (tmp_path / "elsewhere.txt").exists()
