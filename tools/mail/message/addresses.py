"""Addresses: the names and addresses in a From, To or Cc field."""

import re
from typing import NamedTuple

from tools.mail.message.headers import header_text

MAX_ADDRESSES = 500
MAX_ADDRESS_FIELD_LENGTH = 50_000

_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.?)*)(?:"|\Z)'  # never fails once begun, so that no input is read twice
    r"|\(((?:[^()\\]|\\.?)*)(?:\)|\Z|(?=\())"
    r'|<([^<>]*)>|([,;:])|([^"(<,;:]+)|(.)',
    re.DOTALL,
)
_SIMPLE = re.compile(r"(?:([\w .'-]{1,80}) )?<?([\w.+=-]{1,80}@[\w.-]{1,80})>?", re.ASCII)


class MailAddress(NamedTuple):
    """A display name, possibly empty, and an address as written."""

    name: str
    address: str

    def __str__(self) -> str:
        if self.name and self.address and self.name != self.address:
            return f"{self.name} <{self.address}>"
        return self.address or self.name


def parse_addresses(value: str) -> tuple[MailAddress, ...]:
    """Return the addresses in a header field, at most `MAX_ADDRESSES`; group names are omitted.

    The value is unfolded, with encoded words still encoded.
    """
    if simple := _SIMPLE.fullmatch(value):
        return (MailAddress(simple[1] or "", simple[2]),)
    found: list[MailAddress] = []
    builder = _AddressBuilder()
    for token in _TOKEN.finditer(value[:MAX_ADDRESS_FIELD_LENGTH]):
        if token[4] is None:
            builder.add(token)
            continue
        if token[4] != ":" and (one := builder.address()):
            found.append(one)
        builder = _AddressBuilder()
        if len(found) == MAX_ADDRESSES:
            return tuple(found)
    last = builder.address()
    return (*found, last) if last else tuple(found)


class _AddressBuilder:
    """Collects the tokens of one entry of an address field."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._comment = ""
        self._address = ""

    def add(self, token: re.Match[str]) -> None:
        quoted, comment, bracketed, _, words, stray = token.groups()
        if bracketed is not None:
            self._address = bracketed
        elif comment is not None:
            self._comment = comment
        elif quoted is not None:
            self._words.append(re.sub(r"\\(.)", r"\1", quoted))
        else:
            self._words.append(words or stray)

    def address(self) -> MailAddress | None:
        text = "".join(self._words)
        if self._address:
            return MailAddress(
                _display_name(text) or _display_name(self._comment), header_text(self._address)
            )
        bare = header_text(text).replace(" ", "")
        if "@" in bare:
            return MailAddress(_display_name(self._comment), bare)
        name = _display_name(text)
        return MailAddress(name, "") if name else None


def _display_name(text: str) -> str:
    return header_text(text).strip("'\" ")[:200]
