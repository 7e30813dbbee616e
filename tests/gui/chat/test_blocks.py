"""Rendering of blocks from untrusted Markdown."""

import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gui.chat.blocks import _PLAIN_LINE, Block, BlockKind, block_html, is_number
from gui.chat.transcript.markdown_splitter import split_markdown
from gui.widgets.visible_text import (
    link_tooltip,
    show_bidi_controls,
    show_invisible,
    show_invisible_line,
)
from tools.markdown.rendering import safe_html


class FoundTags(HTMLParser):
    """The tags and links that an independent parser finds in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.targets += [value for name, value in attrs if name == "href"]


@pytest.mark.parametrize(
    "markdown",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.example/pixel.png)",
        "[x](javascript:alert(1))",
        "[x](file:///etc/passwd)",
        "# <iframe src=https://evil.example></iframe>",
        "- <svg/onload=alert(1)>",
        "| <form action=https://evil.example> |\n|---|\n| <style>*{}</style> |",
        "> <a href='data:text/html,x'>x</a>",
    ],
)
def test_nothing_active_survives(markdown: str) -> None:
    seen = FoundTags()
    seen.feed("".join(block_html(block) for block in split_markdown(markdown)))

    assert seen.tags.isdisjoint({"script", "img", "iframe", "svg", "form", "style", "input"})
    assert seen.attributes <= {"href", "align"}
    assert all((target or "").startswith("https://") for target in seen.targets)


@pytest.mark.parametrize(
    "text", ["12", "1,204.50", "-3", "€ 9.99", "45 %", "(12)", "10:42", "3 MB"]
)
def test_numbers_are_known_as_numbers(text: str) -> None:
    assert is_number(text)


@given(st.from_regex(_PLAIN_LINE, fullmatch=True))
@example("a  ")
@example("2026 was late - and (that) is; 5 % it!")
def test_a_line_without_marks_reads_as_any_markdown_would(text: str) -> None:
    block = Block(BlockKind.PROSE, text, text)

    if split_markdown(text) == [block]:
        assert block_html(block) == safe_html(text).strip()


@pytest.mark.parametrize("text", ["", "abc", "Q3 budget", "1 of ten people", "-", "v1.2.3-beta"])
def test_words_are_not_numbers(text: str) -> None:
    assert not is_number(text)


def test_characters_that_hide_are_made_visible() -> None:
    assert show_invisible("a\u202eb\u200bc\x07\n") == "a[U+202E]b[U+200B]c[U+0007]\n"
    assert show_invisible("\U000e0041\u00ad\u3164") == "[U+E0041][U+00AD][U+3164]"


def test_typed_text_keeps_joined_characters() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert show_bidi_controls(f"{family}\u202e") == f"{family}[U+202E]"


def test_a_value_cannot_fake_a_second_line() -> None:
    assert show_invisible_line("Re: x\r\nBcc: eve@evil.example") == (
        "Re: x[U+000D][U+000A]Bcc: eve@evil.example"
    )


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.org/a?b", "example.org"),
        ("https://paypal.com@evil.example/login", "evil.example"),
        ("https://EXAMPLE.org:8443/", "example.org"),
        ("https://\u0430pple.com/", "xn--pple-43d.com"),
        ("https://[::1", "https://[::1"),
        ("mail:abc", "mail:abc"),
    ],
)
def test_a_link_says_where_it_really_leads(url: str, host: str) -> None:
    assert link_tooltip(url).split("\n")[0].startswith(host)


def test_importing_the_chat_imports_nothing_heavy() -> None:
    code = "import sys, gui.chat.chat_pane; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    heavy = {
        "pydantic",
        "nh3",
        "markdown",
        "selectolax",
        "openai",
        "asyncio",
        "tools.markdown.rendering",
    }
    assert heavy.isdisjoint(run.stdout.split())
