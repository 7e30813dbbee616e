"""Recipients: parses and checks the addresses that something is sent to."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import idna

from tools.tool_errors import ToolError

MAX_RECIPIENTS = 100
_IN_ANGLES = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>")
_DOT_ATOM = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_QUOTED_OR_SEPARATOR = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>]*>|[,;\n]|[^",;<\n]+|.')
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"}


@dataclass(frozen=True)
class Recipient:
    """A checked address, its domain in lower case and ASCII, and a name that may be empty."""

    name: str
    address: str

    def __str__(self) -> str:
        """Format the address first, so that no name can imitate it, and any warnings last."""
        named = f"{self.address} ({self.name})" if self.name else self.address
        return "; ".join((named, *self._warnings()))

    @property
    def domain(self) -> str:
        """The domain of the address, in ASCII."""
        return self.address.rpartition("@")[2]

    def _warnings(self) -> Iterator[str]:
        reads = idna.decode(self.domain) if "xn--" in self.domain else self.domain
        if reads != self.domain:
            yield f"caution: its domain reads as {reads}"
        if len(scripts := _scripts(reads)) > 1:
            yield f"caution: its domain mixes {' and '.join(sorted(scripts))} letters"
        if "@" in self.name and self.address not in self.name.lower():
            yield "caution: its name shows another address"


def parse_recipients(addresses: str | Sequence[str] | None, field: str) -> tuple[Recipient, ...]:
    """Parse "a@x.org, Bo <b@y.org>", or a list of such texts, to distinct recipients.

    Args:
        addresses: The text or texts to parse.
        field: The name of the argument, for errors ("to", "attendees").

    Raises:
        ToolError: An address is invalid, or contains hidden characters.
    """
    texts = [addresses] if isinstance(addresses, str) else list(addresses or ())
    reject_hidden_characters(field, *texts)
    pieces = (piece for text in texts for piece in _split_addresses(text))
    found = {each.address: each for each in (_parse_address(piece, field) for piece in pieces)}
    if len(found) > MAX_RECIPIENTS:
        raise ToolError(
            f"{field!r} has {len(found)} addresses; at most {MAX_RECIPIENTS} are taken at once."
        )
    return tuple(found.values())


def reject_hidden_characters(field: str, *texts: str) -> None:
    """Reject line breaks, control characters, and characters that hide or reorder text.

    Raises:
        ToolError: There is such a character; the message names the field.
    """
    for letter in "".join(texts):
        if unicodedata.category(letter) in _HIDDEN_CATEGORIES:
            raise ToolError(
                f"{field!r} has a hidden character (U+{ord(letter):04X}) or a line break in it; "
                "write it without."
            )


def _split_addresses(text: str) -> Iterator[str]:
    piece = ""
    for token in _QUOTED_OR_SEPARATOR.findall(text):
        if token in {",", ";"}:
            yield piece
            piece = ""
        else:
            piece += token
    if piece.strip():
        yield piece


def _parse_address(piece: str, field: str) -> Recipient:
    match = _IN_ANGLES.fullmatch(piece.strip())
    name, address = (match["name"], match["address"]) if match else ("", piece)
    local, at, domain = address.strip().rpartition("@")
    if not at or len(local) > 64 or not _DOT_ATOM.fullmatch(local):
        raise _invalid_address(piece, field)
    ascii_domain = _ascii_domain(domain)
    if not ascii_domain or len(local) + len(ascii_domain) > 253:
        raise _invalid_address(piece, field)
    return Recipient(_unquote_name(name), f"{local}@{ascii_domain}")


def _ascii_domain(domain: str) -> str:
    try:
        encoded = idna.encode(domain.lower(), uts46=True).decode("ascii")
    except idna.IDNAError:
        return ""
    return encoded if "." in encoded and not encoded.rpartition(".")[2].isdigit() else ""


def _unquote_name(name: str) -> str:
    name = name.strip()
    if len(name) >= 2 and name[0] == name[-1] == '"':
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    return " ".join(name.split())


def _invalid_address(piece: str, field: str) -> ToolError:
    quoted = piece.strip()[:80]
    return ToolError(
        f'{field!r}: "{quoted}" is not an email address. Give it like ana@example.org '
        "or Ana Silva <ana@example.org>."
    )


def _scripts(text: str) -> set[str]:
    """Return the scripts of the letters, by the first word of their Unicode names ("Latin")."""
    return {unicodedata.name(each, "unknown").split()[0].title() for each in text if each.isalpha()}
