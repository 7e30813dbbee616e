from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

from tools.documents.document_model import DocumentModel
from tools.documents.html_file import html_bytes


@pytest.fixture(scope="module")
def tree(model: DocumentModel) -> LexborHTMLParser:
    return LexborHTMLParser(html_bytes(model).decode())


def test_it_needs_nothing_from_elsewhere(tree: LexborHTMLParser, model: DocumentModel) -> None:
    assert not tree.css("script, img, link, iframe, object, [src], [onclick]")
    assert "url(" not in html_bytes(model).decode()


def test_the_title_is_the_title_and_the_first_heading(tree: LexborHTMLParser) -> None:
    assert [node.text() for node in tree.css("title, h1")] == ["Quarterly report"] * 2


def test_structure_is_kept(tree: LexborHTMLParser) -> None:
    assert [node.text() for node in tree.css("h2")] == ["Needs you"]
    assert [node.text() for node in tree.css("ul ul li")] == ["inner"]
    assert [node.attributes.get("start") for node in tree.css("ol")] == ["3", None]
    assert [node.text() for node in tree.css("td.right")] == ["3.50", "1.20"]
    assert [node.text() for node in tree.css("strong, em, s, p code")] == [
        "bold",
        "italic",
        "struck",
        "code",
    ]
    assert [node.text() for node in tree.css("pre")] == ["if a < b:\n    pass"]


def test_links_are_kept_when_they_work_outside(tree: LexborHTMLParser) -> None:
    assert [a.attributes["href"] for a in tree.css("a")] == ["https://example.org/?a=1&b=2"]


def test_a_hostile_title_is_text(model: DocumentModel) -> None:
    tree = LexborHTMLParser(html_bytes(replace(model, title="</title><script>x</script>")).decode())
    assert not tree.css("script")
    assert [node.text() for node in tree.css("h1")] == ["</title><script>x</script>"]
