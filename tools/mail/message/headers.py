"""Headers: the fields of a message or a MIME part, its date and references, within limits."""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from tools.mail.message.charsets import decode_text

MAX_FIELDS = 1_000
MAX_FIELD_LENGTH = 100_000
MAX_ENCODED_WORDS = 500
MAX_REFERENCES = 50
EPOCH = datetime.fromtimestamp(0, UTC)
_EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)

_MESSAGE_ID = re.compile(r"<([^<>\s]{1,500})>")
_REPLY_PREFIX = re.compile(
    r"^(?:\s*(?:re|aw|sv|antw|odp|ref|r)(?:\[\d{1,3}\])?\s?:)+\s*", re.IGNORECASE
)
_FIELD = re.compile(rb"([!-9;-~]{1,100})[ \t]*:[ \t]*([^\n]*(?:\n[ \t][^\n]*)*)\n?")
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\r\n]{0,2000})\?=")
_UNFOLD = re.compile(rb"\r?\n[ \t]+")
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u2028\u2029\ud800-\udfff]+"
)
_PARAMETER = re.compile(r';\s*([^=;\s"]{1,60})\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')
_CONTINUED = re.compile(r"([^*]+)(?:\*(\d{1,3}))?(\*)?")


class Headers:
    """Header fields by lower-case name, each value as raw bytes."""

    def __init__(self, fields: dict[str, list[bytes]]) -> None:
        self._fields = fields

    def raw(self, name: str) -> bytes:
        """Return the first value of the field, unfolded, or b""."""
        values = self._fields.get(name)
        return _unfold(values[0]) if values else b""

    def all_raw(self, name: str) -> list[bytes]:
        """Return every value of the field, unfolded."""
        return [_unfold(value) for value in self._fields.get(name, [])]

    def plain(self, name: str) -> str:
        """Return the first value undecoded, for machine-readable fields."""
        return decode_text(self.raw(name)).strip()

    def text(self, name: str) -> str:
        """Return the first value as text: encoded words decoded, on one line."""
        return header_text(decode_text(self.raw(name)))

    def __bool__(self) -> bool:
        return bool(self._fields)


def split_headers(raw: bytes) -> tuple[Headers, int, bool]:
    """Return the headers, the offset of the body, and whether fields were omitted as too many.

    A message may lack headers or the empty line after them; a malformed line among them is
    skipped.
    """
    fields: dict[str, list[bytes]] = {}
    position = _headers_start(raw)
    for _ in range(MAX_FIELDS):
        match = _FIELD.match(raw, position) or _match_after_broken_line(raw, position, bool(fields))
        if match is None:
            line_end = re.compile(rb"[ \t]*\r?\n").match(raw, position)
            return Headers(fields), line_end.end() if line_end else position, False
        name = match[1].decode("ascii").lower()
        fields.setdefault(name, []).append(match[2][:MAX_FIELD_LENGTH])
        position = match.end()
    blank = re.compile(rb"\r?\n\r?\n").search(raw, position - 1)
    return Headers(fields), blank.end() if blank else len(raw), True


def _headers_start(raw: bytes) -> int:
    """Return the offset after blank lines and the "From " line of an mbox."""
    match = re.match(rb"(?:[ \t]*\r?\n)*(?:>?From [^\n]*\n)?", raw)
    return match.end() if match else 0


def _match_after_broken_line(raw: bytes, position: int, in_headers: bool) -> re.Match[bytes] | None:  # noqa: FBT001
    line_end = raw.find(b"\n", position)
    if not in_headers or line_end < 0 or raw[position:line_end].strip() == b"":
        return None
    return _FIELD.match(raw, line_end + 1)


def _unfold(value: bytes) -> bytes:
    return (_UNFOLD.sub(b" ", value) if b"\n" in value else value).strip()


def header_text(value: str) -> str:
    """Decode encoded words of a header value, and remove invisible characters."""
    if "=?" in value:
        value = "".join(_decode_words(value))
    return " ".join(_INVISIBLE.sub(" ", value).split())


def _decode_words(value: str) -> Iterator[str]:
    """Yield the pieces of the value; adjacent words of one charset are decoded together."""
    position, waiting, charset = 0, b"", ""
    for word in islice(_ENCODED_WORD.finditer(value), MAX_ENCODED_WORDS):
        between, named = value[position : word.start()], word[1].partition("*")[0]
        is_apart = bool(between.strip()) or not position
        if is_apart or named != charset:
            yield decode_text(waiting, charset)
            yield between if is_apart else ""
            waiting = b""
        content = word[3].encode("utf-8", "replace")
        decode = decode_base64 if word[2] in "bB" else _decode_q
        waiting += decode(content)
        charset, position = named, word.end()
    yield decode_text(waiting, charset)
    yield value[position:]


def _decode_q(content: bytes) -> bytes:
    return binascii.a2b_qp(content, header=True)


def decode_base64(content: bytes) -> bytes:
    """Decode base64; broken or truncated input gives its valid beginning."""
    try:
        return binascii.a2b_base64(content)
    except binascii.Error:
        letters = re.sub(rb"[^A-Za-z0-9+/]+", b"", content)
        return binascii.a2b_base64(letters[: len(letters) // 4 * 4])


@lru_cache(maxsize=256)
def value_and_parameters(value: str) -> tuple[str, Mapping[str, str]]:
    """Return a structured value such as `text/plain; charset=utf-8` in lower case, and parameters.

    Split and percent-encoded parameters (RFC 2231) are joined and decoded. Most messages share a
    few values, so they are cached.
    """
    main, _, rest = value[:10_000].partition(";")
    found: dict[str, str] = {}
    pieces: dict[str, list[tuple[int, str, bool]]] = {}
    for match in _PARAMETER.finditer(";" + rest):
        name, text = match[1].lower(), _unquote(match[2].strip())
        if "*" not in name:
            found.setdefault(name, text)
        elif continued := _CONTINUED.fullmatch(name):
            piece = (int(continued[2] or 0), text, bool(continued[3]))
            pieces.setdefault(continued[1], []).append(piece)
    found.update((name, _join_continuations(parts)) for name, parts in pieces.items())
    return main.strip().lower(), found


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value


def _join_continuations(pieces: list[tuple[int, str, bool]]) -> str:
    charset, content = "", b""
    for number, value, is_encoded in sorted(pieces):
        text = value
        if is_encoded and number == 0 and value.count("'") >= 2:
            charset, _, text = value.split("'", 2)
        raw = text.encode("utf-8", "replace")
        content += unquote_to_bytes(raw) if is_encoded else raw
    return decode_text(content, charset)


def message_date(headers: Headers, *, stored: datetime, latest: datetime) -> datetime:
    """Return the Date of a message, else the date of receipt, else that of the file.

    `stored` is the modification time of the file; dates after `latest` are rejected (all aware).
    """
    for moment in _dates_in_headers(headers):
        if moment and _EARLIEST <= moment <= latest:
            return moment
    return stored if _EARLIEST <= stored <= latest else EPOCH


def datetime_from_seconds(seconds: float) -> datetime:
    """Convert epoch seconds of a file system to a UTC datetime; implausible ones give the epoch."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return EPOCH
    return moment if moment.year < 3000 else EPOCH


def _dates_in_headers(headers: Headers) -> Iterable[datetime | None]:
    yield parse_date_header(headers.plain("date"))
    for hop in headers.all_raw("received")[:20]:
        yield parse_date_header(hop.rpartition(b";")[2].decode("ascii", "replace"))
    yield parse_date_header(headers.plain("delivery-date"))


def parse_date_header(text: str) -> datetime | None:
    """Parse an RFC 5322 date; None if invalid, UTC if it has no zone."""
    from email.utils import parsedate_tz  # noqa: PLC0415 — indexed mail needs no dates

    try:
        parts = parsedate_tz(text[:200])
        if parts is None:
            return None
        year, month, day, hour, minute, second = parts[:6]
        offset = timedelta(seconds=parts[9] or 0)
        zone = timezone(offset) if abs(offset) < timedelta(hours=24) else UTC
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone)
    except (ValueError, IndexError, OverflowError, TypeError):
        return None


class ThreadLinks(NamedTuple):
    """The ids that link a message to others, the root first, and its subject."""

    ids: tuple[str, ...]
    topic: str  # the subject without "Re:", lower-case
    is_reply: bool  # says "Re:"


def message_id_of(headers: Headers) -> str:
    """Return the Message-ID without angle brackets, or ""."""
    text = headers.plain("message-id")[:1_000]
    found = _MESSAGE_ID.search(text)
    return found[1] if found else "".join(text.split())[:500]


def thread_links(headers: Headers, subject: str) -> ThreadLinks:
    """Return the thread links from a message's headers."""
    named = _MESSAGE_ID.findall(headers.plain("references")[:50_000])
    answered = _MESSAGE_ID.findall(headers.plain("in-reply-to")[:5_000])[:1]
    references = [*named[:1], *named[1:][-MAX_REFERENCES:], *answered]
    topic = _REPLY_PREFIX.sub("", subject)
    gmail = headers.plain("x-gm-thrid")[:40]
    ids = (*references, message_id_of(headers), f"gmail thread {gmail}" if gmail else "")
    return ThreadLinks(
        ids=tuple(dict.fromkeys(filter(None, ids))),
        topic=topic.casefold()[:200],
        is_reply=topic != subject,
    )
