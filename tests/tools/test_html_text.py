from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.html_text import html_to_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("Just text", "Just text"),
        ("<p>One</p><p>Two\n   lines</p>", "One\n\nTwo lines"),
        ("One<br>Two<br><br>Three", "One\nTwo\n\nThree"),
        ("<div>One</div><div>Two</div>", "One\nTwo"),
        ("A <b>bold</b>, <i>slanted</i> word", "A bold, slanted word"),
        ("&lt;b&gt; &amp; &euro;&nbsp;5", "<b> & € 5"),
        ("<ul><li>One<li>Two<ul><li>In</ul></ul>End", "- One\n- Two\n  - In\n\nEnd"),
        ("<ol><li>One</li><li><p>Two</p></li></ol>", "1. One\n\n2. Two"),
        ("<h1>Head</h1>Text", "Head\n\nText"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("Hi<blockquote>Old<br>news</blockquote>", "Hi\n\n> Old\n> news"),
        ('See <a href="https://x.org/a">here</a>.', "See here (https://x.org/a)."),
        ('<a href="https://x.org/">x.org</a>', "x.org"),
        ('<a href="mailto:a@x.org">Ann</a>', "Ann (a@x.org)"),
        ('<a href="javascript:alert(1)">Click</a>', "Click"),
        ('<a href="https://x.org/?utm_source=n&id=5">Buy</a>', "Buy (https://x.org/?id=5)"),
        (f'<a href="https://x.org/{"t" * 300}">Open</a>', "Open (https://x.org/…)"),
        (
            '<a href="https://x.org"><img src="http://t/p.gif" alt="Shop"></a>',
            "Shop (https://x.org)",
        ),
        ('Hi<img src="http://t/pixel.gif" width=1 height=1>', "Hi"),
        ("<style>p {}</style><script>alert(1)</script><title>T</title>Hi", "Hi"),
        ('<div style="display:none">Preheader</div>Hi', "Hi"),
        ('<span style="font-size: 0px">Preheader</span><span hidden>x</span>Hi', "Hi"),
        ('<span style="font-size:0.9em">Small</span>', "Small"),
        ("Wait\u200b\u034f\u00ad for it", "Wait for it"),
        ("<!-- note --><!--[if mso]>mso<![endif]-->Hi", "Hi"),
        (
            "<table><tr><th>Item<th>Price<tr><td>Bread<td>2 €<tr><td><td>Sum</table>",
            "Item | Price\nBread | 2 €\nSum",
        ),
    ],
)
def test_html_reads_as_it_would_be_seen(html: str, text: str) -> None:
    assert html_to_text(html) == text


def test_a_newsletter_of_nested_tables_reads_from_top_to_bottom() -> None:
    html = """
        <html><head><title>News</title></head><body><table><tr><td>
          <table><tr><td><h2>First story</h2><p>It begins.</p>
            <a href="https://news.example/1?utm_medium=mail">Read on</a></td></tr></table>
          <table><tr><td><h2>Second story</h2><p>It ends.</p></td></tr></table>
        </td></tr></table></body></html>"""
    assert html_to_text(html) == dedent(
        """\
        First story

        It begins.

        Read on (https://news.example/1)

        Second story

        It ends."""
    )


MARKUP = st.sampled_from(
    [
        *("<p>", "</p>", "<table>", "<td>", "<li>", "<ul>", "</ul>", "<a href='http://[::1'>"),
        *("<pre>", "<blockquote>", "</blockquote>", "<svg>", "<template>", "<br>", "&#0;", "<"),
        *("<select><option>", "<frameset>", "</body>", "<style>", "<a href='https://x:y/?a=%'>"),
        *("</a>", "<!--"),
    ]
)


@given(st.lists(MARKUP | st.text(max_size=5), max_size=40).map("".join))
def test_any_markup_can_be_read(html: str) -> None:
    assert "\n\n\n" not in html_to_text(html).replace("\n>", "\n")
