"""Recipients: what is an address, what only looks like one, and how each is shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.recipients import Recipient, parse_recipients
from tools.tool_errors import ToolError


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("ana@example.org", ["ana@example.org"]),
        (" Ana@EXAMPLE.org ", ["Ana@example.org"]),
        ("ana@example.org, Bo <bo@example.org>", ["ana@example.org", "bo@example.org"]),
        ("ana@example.org; bo@example.org;", ["ana@example.org", "bo@example.org"]),
        (["ana@example.org", "Ana <ana@example.org>"], ["ana@example.org"]),
        ('"Silva, Ana" <ana@example.org>', ["ana@example.org"]),
        ("o'brien+x@mail.example.co.uk", ["o'brien+x@mail.example.co.uk"]),
        ("ana@bücher.example", ["ana@xn--bcher-kva.example"]),
        (None, []),
        ("", []),
        ([], []),
    ],
)
def test_addresses_are_taken_from_text_and_lists(
    given_text: str | list[str] | None, expected: list[str]
) -> None:
    assert [each.address for each in parse_recipients(given_text, "to")] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ana",
        "a@b.com@evil.example",
        "@example.org",
        "ana@",
        "ana@localhost",
        "ana@[127.0.0.1]",
        "ana@127.0.0.1",
        "a b@example.org",
        "ana@exa mple.org",
        "<ana@example.org> <bo@example.org>",
        "Ana <ana@example.org",
        '"a b"@example.org',
        ".ana@example.org",
        "\u0430na@example.org",
        "ana\uff20example.org",
        "undisclosed-recipients:;",
        "a" * 65 + "@example.org",
        "ana@" + "a" * 64 + ".org",
    ],
)
def test_an_invalid_address_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(ToolError, match=r"'to'.*not an email address"):
        parse_recipients(text, "to")


@pytest.mark.parametrize("hidden", ["\r\nBcc: x@evil.example", "\x00", "\u202e", "\u200b", "\t"])
def test_hidden_characters_are_refused(hidden: str) -> None:
    with pytest.raises(ToolError, match=r"'cc' has a hidden character \(U\+"):
        parse_recipients(f"ana@example.org{hidden}", "cc")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ana@example.org", "ana@example.org"),
        ("Ana <ana@example.org>", "ana@example.org (Ana)"),
        (
            "boss@company.example <x@evil.example>",
            "x@evil.example (boss@company.example); caution: its name shows another address",
        ),
        (
            "ana@g\u043eogle.example",
            "ana@xn--gogle-jye.example; caution: its domain reads as g\u043eogle.example; "
            "caution: its domain mixes Cyrillic and Latin letters",
        ),
    ],
)
def test_the_address_is_shown_before_the_name_with_warnings(text: str, shown: str) -> None:
    (address,) = parse_recipients(text, "to")
    assert str(address) == shown


def test_too_many_addresses_are_refused() -> None:
    with pytest.raises(ToolError, match="101 addresses"):
        parse_recipients([f"a{n}@example.org" for n in range(101)], "to")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        found = parse_recipients(text, "to")
    except ToolError:
        return
    assert all(each.address.isascii() and each.address.count("@") == 1 for each in found)


def test_an_address_knows_its_domain() -> None:
    assert Recipient("", "ana@example.org").domain == "example.org"
