"""Parsing of Markdown as people and models write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tools.markdown.rendering import safe_html


def outline(html: str) -> str:
    """The elements as names before brackets: `<ul><li>a</li></ul>` is `ul(li(a))`."""
    body = LexborHTMLParser(html).body
    assert body is not None
    return " ".join(inside(body))


def inside(node: LexborNode) -> list[str]:
    found = []
    for child in node.iter(include_text=True):
        if child.tag in {"thead", "tbody"}:
            found += inside(child)
        elif child.tag != "-text":
            found.append(f"{child.tag}({' '.join(inside(child))})")
        elif words := " ".join((child.text_content or "").split()):
            found.append(words)
    return found


NESTED = "ul(li(a ul(li(b))) li(c))"
CODE = "pre(code(x = 1))"
TABLE = "table(tr(th(a) th(b)) tr(td(1) td(2)))"

WRITTEN = [
    ("- a\n  - b\n- c", NESTED),
    ("- a\n   - b\n- c", NESTED),
    ("- a\n    - b\n- c", NESTED),
    ("- a\n        - b\n- c", NESTED),
    ("- a\n\t- b\n- c", NESTED),
    ("* a\n  + b\n* c", NESTED),
    ("  - a\n    - b\n  - c", NESTED),
    ("   - a\n     - b\n    - c", "ul(li(a ul(li(b))) li(c))"),
    ("- a\n - b\n- c", "ul(li(a) li(b) li(c))"),
    ("- a\n  - b\n    - c\n      - d\n- e", "ul(li(a ul(li(b ul(li(c ul(li(d))))))) li(e))"),
    ("- a\n    - b\n        - c\n    - d", "ul(li(a ul(li(b ul(li(c))) li(d))))"),
    ("- a\n    - b\n  - c", "ul(li(a ul(li(b) li(c))))"),
    ("- a\n- b\n\ntext", "ul(li(a) li(b)) p(text)"),
    ("- a\n\n- b", "ul(li(p(a)) li(p(b)))"),
    ("- a\n\n  more\n- b", "ul(li(p(a) p(more)) li(p(b)))"),
    ("- a\n  goes on\nlazily\n- b", "ul(li(a goes on lazily) li(b))"),
    ("- a\n* b", "ul(li(a)) ul(li(b))"),
    ("1. a\n  - b\n2. c", "ol(li(a ul(li(b))) li(c))"),
    ("1. a\n   - b\n2. c", "ol(li(a ul(li(b))) li(c))"),
    ("1. a\n    - b\n2. c", "ol(li(a ul(li(b))) li(c))"),
    ("1. a\n\n  more\n2. b", "ol(li(p(a) p(more)) li(p(b)))"),
    ("1) a\n2) b", "ol(li(a) li(b))"),
    ("- a\n  1) b\n  2) c", "ul(li(a ol(li(b) li(c))))"),
    (" 9. a\n10. b", "ol(li(a) li(b))"),
    ("To do:\n- a\n- b", "p(To do:) ul(li(a) li(b))"),
    ("Steps:\n1. a\n2. b\n\nEnd", "p(Steps:) ol(li(a) li(b)) p(End)"),
    ("since\n2026. was late", "p(since 2026. was late)"),
    ("- a\n-\n- b", "ul(li(a) li() li(b))"),
    ("- # Head\n- > quote", "ul(li(h1(Head)) li(blockquote(p(quote))))"),
    ("- - a\n  - b", "ul(li(ul(li(a) li(b))))"),
    ("text\n```py\nx = 1\n```\nend", f"p(text) {CODE} p(end)"),
    ("text\n~~~\nx = 1\n~~~\nend", f"p(text) {CODE} p(end)"),
    ("- a\n  ```py\n  x = 1\n  ```\n- b", f"ul(li(a {CODE}) li(b))"),
    ("- a\n\n  ```py\n  x = 1\n  ```\n\n- b", f"ul(li(p(a) {CODE}) li(p(b)))"),
    ("1. a\n    ```py\n    x = 1\n    ```\n2. b", f"ol(li(a {CODE}) li(b))"),
    ("1. a\n  ```py\nx = 1\n  ```\n2. b", f"ol(li(a {CODE}) li(b))"),
    ("- a\n      ```py\n      x = 1\n      ```\n- b", f"ul(li(a {CODE}) li(b))"),
    ("> ```\n> x = 1\n> ```\nend", f"blockquote({CODE}) p(end)"),
    ("```\n- no list\n\n> no quote\n```", "pre(code(- no list > no quote))"),
    ("````\n```\n````", "pre(code(```))"),
    ("```\nx = 1", CODE),
    ("    x = 1\n\ntext", f"{CODE} p(text)"),
    ("text\n| a | b |\n|---|---|\n| 1 | 2 |", f"p(text) {TABLE}"),
    ("a | b\n--|--\n1 | 2\nend", f"{TABLE} p(end)"),
    ("| a | b |\n|:--|--:|\n| 1 | 2 |\n\nend", f"{TABLE} p(end)"),
    ("- x\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |", f"ul(li(p(x) {TABLE}))"),
    ("| a | b |\n|---|---|", "table(tr(th(a) th(b)))"),
    ("| a | b |\n|---|---|\n| `x|y` | \\| |", "table(tr(th(a) th(b)) tr(td(code(x|y)) td(|)))"),
    ("a | b\nno table", "p(a | b no table)"),
    ("text\n> a\n> b\nlazily", "p(text) blockquote(p(a b lazily))"),
    ("> a\n\n> b", "blockquote(p(a)) blockquote(p(b))"),
    ("> > a\n> b", "blockquote(blockquote(p(a b)))"),
    ("> - a\n>   - b\n>\n> end", "blockquote(ul(li(a ul(li(b)))) p(end))"),
    ("text\n# Head\ntext", "p(text) h1(Head) p(text)"),
    ("## Head ##\n- a", "h2(Head) ul(li(a))"),
    ("#tag", "p(#tag)"),
    ("Head\n===\nSub\n---\ntext", "h1(Head) h2(Sub) p(text)"),
    ("text\n***\n- - -\n___", "p(text) hr() hr() hr()"),
    ("- a\n* * *\n- b", "ul(li(a)) hr() ul(li(b))"),
    ("a  \nb\\\nc<br>d", "p(a br() b br() c br() d)"),
    ("snake_case_word 2*3*4 __init__.py", "p(snake_case_word 2*3*4 strong(init) .py)"),
    ("***a** b* ~~c~~ ~d~", "p(em(strong(a) b) s(c) ~d~)"),
    ("`` a`b `` `c\\`", "p(code(a`b) code(c\\))"),
    ("[![alt](i.png)](https://x.org)", "p(a(alt))"),
    ("[t][r] [r] [R][] [n]\n\n[r]: https://x.org 'T'", "p(a(t) a(r) a(R) [n])"),
    ("&lt;b&gt; &copy; &#65; &nosuch; AT&T", "p(<b> © A &nosuch; AT&T)"),
    ("- [ ] a\n  - [x] b", "ul(li(☐ a ul(li(☑ b))))"),
    ("- a\r\n- b\r\n\r\n***\r\n", "ul(li(a) li(b)) hr()"),
]


@pytest.mark.parametrize(("markdown", "expected"), WRITTEN)
def test_common_markdown_is_parsed_as_intended(markdown: str, expected: str) -> None:
    assert outline(safe_html(markdown)) == expected


def by_the_book(markdown: str) -> str:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return str(parser.render(markdown))


ORDINARY = [
    *(
        "- a",
        "- b **c**",
        "   - d",
        "     - e",
        "* f",
        "1. g",
        "2. h",
        "   more",
        "text",
        "",
        "",
        "",
    ),
    *(
        "> i",
        "> - j",
        "```",
        "# K",
        "Head",
        "---",
        "| l | m |\n|---|--:|\n| n |\n",
        "    four",
        "> ",
    ),
    *("a `b|c` *d* ~~e~~", "[f](https://g.org) \\*h\\* &amp; i_j_k", "two  ", "==="),
]


@given(st.lists(st.sampled_from(ORDINARY), max_size=7).map("\n".join))
def test_ordinary_lines_are_read_as_by_an_independent_parser(markdown: str) -> None:
    assert outline(safe_html(markdown)) == outline(by_the_book(markdown))
