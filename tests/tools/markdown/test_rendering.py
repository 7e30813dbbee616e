from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tools.markdown.rendering import LINK_SCHEMES, safe_html

ACTIVE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://tracker.example/p.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "<svg onload=alert(1)>",
    '<a href="https://evil.example" onclick="go()">x</a>',
    "<style>@import 'https://evil.example'</style>",
    '<iframe src="https://evil.example"></iframe>',
    '<form action="https://evil.example"><input name=a></form>',
    '<div style="background:url(https://evil.example)">x</div>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/share)",
    "[x](\\\\evil.example\\share)",
    "[x](smb://evil.example/share)",
    "[x][y]\n\n[y]: javascript:alert(1)",
    "<javascript:alert(1)>",
    '```" onmouseover="x\ncode\n```',
    '| <img src=x> |\n|---|\n| <b onclick="x">y</b> |',
]


SHOWN = {
    *("body", "p", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br", "a", "em", "strong", "s"),
    *("pre", "code", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"),
}


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    body = LexborHTMLParser(html).body
    assert body is not None
    return [(node.tag or "", dict(node.attributes)) for node in body.css("*")]


def assert_nothing_active(html: str) -> None:
    for tag, attributes in elements(html):
        assert tag in SHOWN
        assert set(attributes) <= {"href", "class", "start", "align"}
        target = attributes.get("href")
        assert target is None or target.partition(":")[0].lower() in LINK_SCHEMES


@pytest.mark.parametrize("markdown", ACTIVE)
def test_nothing_active_survives(markdown: str) -> None:
    assert_nothing_active(safe_html(markdown))


@given(st.text(max_size=200))
def test_no_text_becomes_active(markdown: str) -> None:
    assert_nothing_active(safe_html(markdown))


@given(st.text(alphabet=st.sampled_from("<>[]()!\"'`*_~|-:#&;=/\\ \nabjsx01"), max_size=200))
def test_no_mixture_of_signs_becomes_active(markdown: str) -> None:
    assert_nothing_active(safe_html(markdown))


def test_raw_html_is_shown_as_it_was_typed() -> None:
    assert safe_html("a <b>bold</b> List<String>") == (
        "<p>a &lt;b&gt;bold&lt;/b&gt; List&lt;String&gt;</p>\n"
    )


def test_a_link_that_is_not_allowed_becomes_its_text() -> None:
    assert "click" in safe_html("[click](javascript:alert(1))")
    assert "href" not in safe_html("[click](javascript:alert(1)) [here](notes.md)")


@pytest.mark.parametrize(
    "target",
    ["https://example.org/a?b=c", "mailto:a@example.org", "mail:18c2-f_9.3", "event:ab12@cal"],
)
def test_links_and_references_are_kept(target: str) -> None:
    assert f'<a href="{target}">x</a>' in safe_html(f"[x]({target})")


def test_a_bare_address_on_the_web_becomes_a_link_without_the_full_stop() -> None:
    html = safe_html("See https://example.org/a_(b).")
    assert '<a href="https://example.org/a_(b)">https://example.org/a_(b)</a>.' in html


def test_a_bare_address_whose_colon_is_escaped_stays_text() -> None:
    assert safe_html("https\\://example.org") == "<p>https://example.org</p>\n"


def test_an_image_is_its_alternative_text() -> None:
    assert safe_html('![a *b* "<c>"](x.png)') == '<p>a b "&lt;c&gt;"</p>\n'


def test_a_list_right_under_a_sentence_is_a_list() -> None:
    html = safe_html("To do:\n- one\n  - inner\n- two")
    assert [tag for tag, _ in elements(html) if tag in {"ul", "li"}] == [
        "ul",
        "li",
        "ul",
        "li",
        "li",
    ]


def test_tables_keep_their_alignment() -> None:
    html = safe_html("| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3<br>4 |")
    assert '<td align="right">2</td>' in html
    assert '<td align="center">3<br>\n4</td>' in html


def test_task_marks_are_boxes() -> None:
    html = safe_html("- [ ] open\n- [x] done\n- [y] neither\n\n[ ] no list")
    assert "<li>☐ open</li>" in html
    assert "<li>☑ done</li>" in html
    assert "[y] neither" in html
    assert "[ ] no list" in html


def test_code_keeps_its_language_and_its_signs() -> None:
    html = safe_html("```c++\na < b && *c\n```")
    assert '<code class="language-c++">a &lt; b &amp;&amp; *c\n</code>' in html


def test_struck_out_text_is_struck_out() -> None:
    assert safe_html("~~gone~~") == "<p><s>gone</s></p>\n"


def test_a_list_may_start_at_any_number() -> None:
    assert '<ol start="3">' in safe_html("3. three\n4. four")


@pytest.mark.parametrize(
    "markdown", ["", " \n\t", "\0", "\u200b", "[", "```", "|", "<", "&", "\ud800"]
)
def test_nearly_nothing_is_no_error(markdown: str) -> None:
    assert isinstance(safe_html(markdown), str)


HOSTILE = [
    *(">", "> ", "- ", "1. ", "*", "**", "*a ", "a*", "*a **b ", "_a", "_*a", "~~", "~~a "),
    *("[", "![", "[]", "[x]", "[a](", "[a](<", '[a](b "', "[a]: x\n", "](", "(", "[[a](b)"),
    *("`", "`a ", "``a`", "<", "<a:", "<a@", "<br>", "&", "&#", "&amp;", "\\", "\\*", "\\\n"),
    *("|", "| a ", "`|", "|-", "|\n", "a|b\n-|-\n", "#", "#\n", "=\n", "-\n", "```\n", "    x\n"),
    *("- a\n", "> a\n", "a\n", "a  \n", " ", "\t", "\n", "http://", "https://x.org/((", '"', "'"),
]


@pytest.mark.parametrize("sign", HOSTILE)
def test_twenty_thousand_of_one_sign_are_no_error(sign: str) -> None:
    assert_nothing_active(safe_html(sign * (20_000 // len(sign)) + "x"))


def depth(html: str, tags: set[str]) -> int:
    deepest = around = 0
    for part in html.split("<")[1:]:
        if part.partition(">")[0].partition(" ")[0].strip("/") in tags:
            around += -1 if part.startswith("/") else 1
            deepest = max(deepest, around)
    return deepest


@pytest.mark.parametrize(
    "markdown", [">" * 500 + "x", "- " * 500 + "x", "".join(f"{'  ' * n}- x\n" for n in range(500))]
)
def test_quotes_and_lists_nest_only_so_deep(markdown: str) -> None:
    assert depth(safe_html(markdown), {"blockquote", "ul"}) == 40


@pytest.mark.parametrize(("opened", "closed"), [("*a ", "b* "), ("*a _b ", "b_ b* ")])
def test_styles_nest_only_so_deep(opened: str, closed: str) -> None:
    assert depth(safe_html(opened * 500 + closed * 500), {"em"}) == 20


def test_a_table_of_nearly_nothing_stays_text() -> None:
    assert "<table>" not in safe_html("|a" * 200 + "\n" + "|-" * 200 + "\n" + "|\n" * 5_000)


def test_a_paragraph_as_long_as_a_book_is_shown_as_it_was_typed() -> None:
    assert safe_html("*a* & &lt; <b>\n" * 2_000).startswith("<p>*a* &amp; &amp;lt; &lt;b&gt;\n")


def test_code_keeps_its_tabs() -> None:
    assert "<code>all:\n\techo\n</code>" in safe_html("```\nall:\n\techo\n```")


@pytest.mark.parametrize("sign", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
def test_a_backslash_makes_text_of_every_sign(sign: str) -> None:
    body = LexborHTMLParser(safe_html(f"\\{sign}a\\{sign} b \\{sign}lt;")).body
    assert body is not None
    assert body.text() == f"{sign}a{sign} b {sign}lt;\n"


def test_entities_are_characters_and_never_marks() -> None:
    assert safe_html("&#42;a&#42; &amp;lt; &lt;b&gt; &\\#60;") == (
        "<p>*a* &amp;lt; &lt;b&gt; &amp;#60;</p>\n"
    )


@pytest.mark.parametrize(
    ("markdown", "shown", "target"),
    [
        ("**https://x.org/a_b_**", "https://x.org/a_b", "https://x.org/a_b"),
        ("(https://x.org/?a=1&b=2)!", "https://x.org/?a=1&amp;b=2", "https://x.org/?a=1&amp;b=2"),
        ("<https://x.org/*a*>", "https://x.org/*a*", "https://x.org/*a*"),
        ("<ann@x.org>", "ann@x.org", "mailto:ann@x.org"),
        ("[a b](<https://x.org/a b>)", "a b", "https://x.org/a%20b"),
        ("[https://evil.example](mail:1)", "https://evil.example", "mail:1"),
    ],
)
def test_links_lead_where_they_say(markdown: str, shown: str, target: str) -> None:
    assert f'<a href="{target}">{shown}</a>' in safe_html(markdown)
    assert safe_html(markdown).count("<a") == 1


@given(st.text(max_size=80), st.text(max_size=80))
def test_an_earlier_text_makes_no_difference(markdown: str, other: str) -> None:
    first = safe_html(markdown)
    safe_html(f"{other}\n\n[a]: https://x.org\n\n*[a")
    assert safe_html(markdown) == first


def test_threads_do_not_disturb_each_other() -> None:
    sources = [f"{'word ' * size} https://example.org/{size} **end**" for size in range(200)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(safe_html, sources)) == [safe_html(source) for source in sources]
