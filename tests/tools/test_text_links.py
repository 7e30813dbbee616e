"""Links in texts, whole, with the host they lead to where that is not plain."""

import pytest

from tools.text_links import display_link, find_links


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://example.org/a?b=c#d.", ("https://example.org/a?b=c#d",)),
        (
            "[here](https://example.org/x) and <http://example.com>",
            ("https://example.org/x", "http://example.com"),
        ),
        ("(https://en.example.org/wiki/A_(b))", ("https://en.example.org/wiki/A_(b)",)),
        ("www.example.org, ftp://example.org", ("www.example.org", "ftp://example.org")),
        ("mailto:ana@example.org", ("mailto:ana@example.org",)),
        ("https://example.org https://example.org", ("https://example.org",)),
        ("nothing here: a.b/c", ()),
    ],
)
def test_links_are_found_once_without_the_punctuation_around(
    text: str, expected: tuple[str, ...]
) -> None:
    assert find_links(text) == expected


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("https://example.org/@ana", "https://example.org/@ana"),
        (
            "https://bank.example@evil.example/",
            "https://bank.example@evil.example/ (leads to evil.example)",
        ),
        ("https://bücher.example/", "https://bücher.example/ (leads to xn--bcher-kva.example)"),
        ("https://[::1/", "https://[::1/ (not a well-formed link)"),
        ("https://example.org/", "https://example.org/"),
    ],
)
def test_a_link_is_shown_in_full_with_its_real_host(link: str, shown: str) -> None:
    assert display_link(link) == shown
