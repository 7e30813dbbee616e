"""Charsets: bytes decoded to text, and text normalized for storing and comparing."""

import codecs
import re
from functools import lru_cache

_NAME = re.compile(r"[\w.:+-]{1,40}", re.ASCII)
_ACTUAL_CODECS = {  # codecs actually used under these names
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
_NOT_TEXT_CODECS = frozenset(
    {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"}
)


def replace_surrogates(text: str) -> str:
    """Return the text with lone surrogates replaced, which a database cannot store."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def case_folded(text: str) -> str:
    """Return the text as it is compared, ignoring case."""
    return replace_surrogates(text).casefold()


def decode_text(content: bytes, charset: str = "") -> str:
    """Decode bytes with the most likely charset; undecodable bytes become U+FFFD.

    The declared charset may be empty, unknown or wrong.
    """
    if content.isascii() and not _is_stateful(charset):
        return content.decode("ascii")
    declared = _codec(charset)
    for codec in (declared, "utf-8") if declared not in {"", "cp1252"} else ("utf-8",):
        try:
            return replace_surrogates(content.decode(codec))
        except ValueError:
            continue
    return replace_surrogates(content.decode(declared or "cp1252", "replace"))


def _is_stateful(charset: str) -> bool:
    """Whether plain ASCII bytes can mean other characters (ISO-2022-JP, UTF-7, HZ, UTF-16)."""
    lowered = charset.lower()
    return lowered.startswith(("iso-2022", "iso2022", "utf-7", "utf7", "hz", "utf-16", "utf-32"))


@lru_cache(maxsize=256)
def _codec(charset: str) -> str:
    """Return the codec of a declared charset, "" if unknown or not a text encoding."""
    if not _NAME.fullmatch(charset):
        return ""
    try:
        name = codecs.lookup(charset.removesuffix(":1987")).name
        b"a".decode(name)
    except (LookupError, ValueError):
        return "cp932" if charset.lower() in {"x-sjis", "sjis"} else ""
    return "" if name in _NOT_TEXT_CODECS else _ACTUAL_CODECS.get(name, name)
