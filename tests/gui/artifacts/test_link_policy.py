"""Links are opened, confirmed or refused by their destination."""

import pytest

from gui.artifacts.link_policy import ConfirmLink, FollowLink, RefuseLink, check_link

FOLLOWED = [
    ("https://example.org/a", "example.org"),
    ("https://www.example.org/a?b=c#d", "https://example.org/a"),
    ("http://example.org", "see www.example.org for more"),
]
ASKED = [
    ("https://example.org", ""),
    ("https://example.org", "the report"),
    ("https://evil.example", "https://bank.example"),
    ("https://bank.example.evil.example", "bank.example"),
    ("https://bank.example@evil.example/", "bank.example"),
    ("https://user:word@example.org/", "example.org"),
    ("https://xn--pypal-4ve.com", "paypal.com"),
    ("https://p\u0430ypal.com", "paypal.com"),
    ("mailto:someone@example.org", ""),
    ("mailto:someone%40example.org?subject=x", "write to us"),
]
REFUSED = [
    "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,<script>", "vbscript:x",
    "file:///etc/passwd", "smb://host/share", "ftp://example.org/", "ssh://example.org",
    "ms-settings:", "tel:123", "about:blank", "//example.org/x", "/etc/passwd", "example.org",
    "https://", "https:///path", "https://exa\u200bmple.org", "https://example.org/\u202egpj.exe",
    "java\tscript:x", " https://example.org", "https://exam ple.org", "http://[::1", "mailto:", "",
]  # fmt: skip


@pytest.mark.parametrize(("url", "text"), FOLLOWED)
def test_a_link_that_names_its_host_is_opened(url: str, text: str) -> None:
    assert check_link(url, text) == FollowLink(url)


@pytest.mark.parametrize(("url", "text"), ASKED)
def test_other_links_are_confirmed_first(url: str, text: str) -> None:
    decided = check_link(url, text)
    assert isinstance(decided, ConfirmLink)
    assert decided.host
    assert decided.host.isascii()


@pytest.mark.parametrize("url", REFUSED)
def test_other_schemes_are_refused(url: str) -> None:
    assert isinstance(check_link(url), RefuseLink)
