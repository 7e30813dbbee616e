import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from tools.markdown.plain_text import escape_markdown, strip_markup
from tools.markdown.rendering import safe_html

INJECTIONS = [
    "[click](https://evil.example)",
    "![x](https://evil.example/p.png)",
    "<b>bold</b> <https://evil.example>",
    "# Heading",
    "- item",
    "1. item",
    "> quote",
    "``` code",
    "*very* _important_ ~~not~~",
    "&lt;script&gt; &#91;",
    "https://evil.example/login www.evil.example",
    "a | b\n--- | ---",
    "==========",
    "one\n\n# two\n[x]: https://evil.example",
    "\\[x](y)",
    "[x][mail:1]",
]


@pytest.mark.parametrize("text", INJECTIONS)
def test_text_by_strangers_is_shown_as_text(text: str) -> None:
    html = safe_html(f"- **{escape_markdown(text)}** · [{escape_markdown(text)}](mail:1)")
    assert html.count("<a ") == 1
    assert 'href="mail:1"' in html
    shown = safe_html(escape_markdown(text))
    assert set(tags(shown)) <= {"p"}


def tags(html: str) -> list[str]:
    return [part.partition(">")[0] for part in html.split("<")[1:] if not part.startswith("/")]


@given(st.text(max_size=60))
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(escape_markdown(text))
    inline = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    assert {child.type for child in inline} <= {"text"}
    assert "".join(child.content for child in inline) == " ".join(text.split()).replace("\0", "�")


@given(st.text(max_size=60), st.sampled_from(["", "- ", "1. ", "> ", "# "]))
def test_any_text_is_shown_as_it_was_received(text: str, before: str) -> None:
    words = " ".join(text.split()).replace("\0", "�").replace("\x02", "").replace("\x03", "")
    body = LexborHTMLParser(safe_html(f"{before}**x** {escape_markdown(text)}")).body
    assert body is not None
    assert " ".join(body.text().split()) == " ".join(f"x {words}".split())


def test_the_program_s_own_markdown_becomes_plain_text() -> None:
    markdown = (
        "**2 emails**\n\n### Needs you\n\n- **Ana** · [Lunch \\[x\\]](mail:1f) · 3 \\* 4  \n"
        "  <br>[site](https://x.example)\n\n*Read all 2 emails.*"
    )
    assert strip_markup(markdown) == (
        "2 emails\n\nNeeds you\n\n- Ana · Lunch [x] · 3 * 4\n"
        "  [site](https://x.example)\n\nRead all 2 emails."
    )


@given(st.text(max_size=60))
def test_text_by_strangers_comes_back_as_it_was(text: str) -> None:
    assert strip_markup(escape_markdown(text)).rstrip() == " ".join(text.split()).rstrip()
