from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from tools.markdown.plain_text import strip_markup
from tools.markdown.rendering import safe_html
from tools.prose.markdown_sanitizer import MarkdownSanitizer, sanitize_line, sanitize_markdown

ALLOWED = ("mail:m1", "event:e1")
JUDGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

TRICKS = [
    "[x](https://evil.example)",
    "[x](https://evil.example 'title')",
    "[x](<https://evil.example>)",
    "[x](mail:made-up)",
    "[x](event:made-up)",
    "[x](mailto:a@evil.example)",
    "[x]( mail:m1 )",
    "[x](mail:m1#https://evil.example)",
    "[a [b](mail:m9) c](https://evil.example)",
    "[a [b] c](https://evil.example)",
    "[![alt](https://evil.example/p.png)](https://evil.example)",
    "![x](https://evil.example/p.png)",
    "[x][1]\n\n[1]: https://evil.example",
    "[x][]\n\n[x]: https://evil.example",
    "[x]\n\n[x]: <https://evil.example>",
    "[x]\n\n[x]: mail:m9 (title)",
    "[x\\]: https://evil.example\n\n[x\\]",
    "<https://evil.example>",
    "<mail:m9>",
    "<someone@evil.example>",
    "https://evil.example",
    "HTTPS://evil.example/path?secret=1",
    "see(https://evil.example)",
    "**https://evil.example**",
    '<a href="https://evil.example">x</a>',
    "<img src=https://evil.example/p.png>",
    "<script>x</script>",
    "<div>\n\n[x](https://evil.example)\n\n</div>",
    "<br>\n```\n\n[x](https://evil.example)",
    "&#91;x&#93;&#40;https&#58;//evil.example&#41; [x](mail&#58;m9) [x&#93;(https&colon;//evil)",
    "\\[x](https://evil.example)",
    "\\\\[x](https://evil.example)",
    "[x\\](https://evil.example)",
    "[x\\\\](https://evil.example)",
    "[x]\x02(https://evil.example)",
    "[x]\x00(https://evil.example) https:\x03//evil.example",
    "[x]\u202e(https://evil.example)",
    "`a` [x](https://evil.example) `b`",
    "`a\n\n[x](https://evil.example) `b`",
    "foo ` bar\nx ` [x](https://evil.example) ` y",
    "`\\`[x](https://evil.example)`",
    "``a` [x](https://evil.example) `b``",
    "\\``a` [x](https://evil.example) `b`",
    "| ` | [x](https://evil.example) ` |\n|---|---|\n| ` | [x](https://evil.example) ` |",
    "| a | b |\n|---|---|\n```|\n[x](https://evil.example)",
    "```\ncode\n```\n[x](https://evil.example)",
    "    ```\n[x](https://evil.example)",
    "- ```\n```\n[x](https://evil.example)",
    "> ```\n[x](https://evil.example)",
    "~~~\n```\n~~~\n[x](https://evil.example)\n```",
    "- ~~~\n  ```\n~~~\n[x](https://evil.example)",
    "```\n~~~\n```\n[x](https://evil.example)",
    "```` \n```\n````\n[x](https://evil.example)",
    "```a`b\n[x](https://evil.example)",
    "text\n```\n[x](https://evil.example)",  # the block of code never ends
    "# [x](https://evil.example)\n=====\n[x](https://evil.example)\n-----",
    "[a`]: https://evil.example`\n\n[a`] [b][a`]",
]


def targets(markdown: str) -> set[str]:
    """Return the targets of links and images, in the window and in another Markdown parser."""
    pages = LexborHTMLParser(safe_html(markdown)), LexborHTMLParser(JUDGE.render(markdown))
    return {
        str(node.attributes.get("href") or node.attributes.get("src"))
        for page in pages
        for node in page.css("a, img, script, iframe, form")
    }


def in_pieces(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


def streamed(pieces: list[str], allowed: tuple[str, ...] = ()) -> str:
    sanitizer = MarkdownSanitizer(allowed)
    return "".join(map(sanitizer.feed, pieces)) + sanitizer.finish()


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_makes_a_link(trick: str) -> None:
    assert targets(trick) - set(ALLOWED) or "m9" not in trick  # it is a trick at all
    assert targets(sanitize_markdown(trick)) == set()
    assert targets(sanitize_markdown(trick, ALLOWED)) <= set(ALLOWED)
    assert targets("\n".join(map(sanitize_line, trick.split("\n")))) == set()


@pytest.mark.parametrize("trick", TRICKS)
def test_a_text_in_single_characters_is_sanitized_as_the_whole(trick: str) -> None:
    assert streamed(list(trick)) == sanitize_markdown(trick)
    assert streamed(list(trick), ALLOWED) == sanitize_markdown(trick, ALLOWED)


SIGNS = st.sampled_from(
    [
        *"[]()<>`~\\:/!|#*-=&;\n\t ax1\x02\r",
        *("](", "]:", "://", "https://e.x", "mail:m9", "mail:m1", "(mail:m1)", "www.", "www.e.x"),
        *("```", "~~~", "<br>", "<b>", "</a>", "[x]", "[x]: ", "\n\n", "    ", "- ", "> ", "1. "),
        *("|---|---|\n", "| a | b |\n", "&#91;", "&colon;", "<a@b.c>", "x@y.z", "\\\\", "\\`"),
    ]
)
TEXTS = st.lists(SIGNS, max_size=25).map("".join)


@settings(max_examples=400, deadline=None)
@example("[x]:mail:m1)", [3])
@given(TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_nothing_written_becomes_a_link_however_it_comes(text: str, cuts: list[int]) -> None:
    whole = sanitize_markdown(text, ALLOWED)
    assert targets(whole) <= set(ALLOWED)
    assert targets(sanitize_markdown(text)) == set()
    assert streamed(in_pieces(text, cuts), ALLOWED) == whole


@settings(max_examples=200, deadline=None)
@given(TEXTS.map(lambda text: " ".join(text.split())))
def test_a_sanitized_line_does_not_break_a_link_after_it(text: str) -> None:
    line = f"- {sanitize_line(text)} · [Budget](mail:m1)"
    assert targets(line) == {"mail:m1"}


def test_links_that_are_allowed_stay() -> None:
    text = "See [Budget](mail:m1), [Lunch](event:e1) and [that](mail:m9)."
    assert sanitize_markdown(text, ALLOWED) == (
        "See [Budget](mail:m1), [Lunch](event:e1) and [that]\\(mail:m9)."
    )
    assert targets(sanitize_markdown(text, ALLOWED)) == set(ALLOWED)


@pytest.mark.parametrize(
    "text",
    [
        "# Plan\n\n1. **Call** _Mara_ at 10:30\n2. Sign ~~two~~ three pages\n- [ ] pay\n\n> yes",
        "| a | b |\n|---|---|\n| 1<br>2 | x[0] |",
        "Use `pip install x` and `dict[str, int]`, or `https://a.example`.",
        "```python\nprint('[x](https://a.example)')  # <b>\n```\n\nDone: 3 < 4 & 5 > 4.",
        "Dear Sarah,\n\nit is 9:30 [sic] (really).  \nBest,\nAlex",
    ],
)
def test_ordinary_markdown_stays_as_it_is(text: str) -> None:
    assert sanitize_markdown(text) == text


def test_escaped_text_is_displayed_as_written() -> None:
    text = "See [this](https://a.example) or <b@a.example>, www.a.example."
    shown = LexborHTMLParser(safe_html(sanitize_markdown(text))).text().strip()
    assert shown == text
    assert strip_markup(sanitize_markdown(text)) == text


def test_final_text_is_passed_on_at_once() -> None:
    sanitizer = MarkdownSanitizer()
    assert sanitizer.feed("Dear Sarah, the page is htt") == "Dear Sarah, the page is htt"
    assert sanitizer.feed("ps:") == "ps"
    assert sanitizer.feed("//a.example and [so") == "\\://a.example and [so"
    assert sanitizer.feed(" on](mail:m1) `co") == " on]\\(mail:m1) "
    assert sanitizer.feed("de` and more") == "`code` and more"
    assert sanitizer.finish() == ""


def test_an_allowed_link_is_held_back_only_while_it_may_be_one() -> None:
    sanitizer = MarkdownSanitizer(("mail:m1",))
    assert sanitizer.feed("[a](mail:") == "[a]"
    assert sanitizer.feed("m1) [b](mail:") == "(mail:m1) [b]"
    assert sanitizer.feed("x") == "\\(mail:x"


def test_a_block_of_code_in_a_list_moves_to_the_margin_and_is_closed_at_the_end() -> None:
    text = "1. Do\n   ```sh\n   curl https://a.example\n"
    assert sanitize_markdown(text) == "1. Do\n```sh\n   curl https://a.example\n\n```"
