"""MIME: the parts of a message, found and decoded within limits."""

import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tools.mail.message.charsets import decode_text
from tools.mail.message.headers import (
    Headers,
    decode_base64,
    header_text,
    split_headers,
    value_and_parameters,
)

MAX_PARTS = 300
MAX_NESTING = 30
TOO_DEEP = "Parts of this message are nested too deeply to be displayed."
TOO_MANY = "This message has too many parts to display all of them."
MAX_TEXT_SIZE = 2_000_000  # bytes of one part that are read as text


@dataclass(eq=False)
class MimePart:
    """One part without subparts; `containers` holds the multipart subtypes that contain it."""

    headers: Headers
    body: bytes
    containers: tuple[str, ...] = ()
    index: int = 0

    @cached_property
    def _content_type(self) -> tuple[str, Mapping[str, str]]:
        return _content_type(self.headers)

    @cached_property
    def _disposition(self) -> tuple[str, Mapping[str, str]]:
        return value_and_parameters(self.headers.plain("content-disposition"))

    @property
    def type(self) -> str:
        """The MIME type, such as "text/plain"."""
        return self._content_type[0]

    @property
    def is_attached(self) -> bool:
        """Whether the disposition is attachment rather than inline."""
        return self._disposition[0] == "attachment"

    @property
    def content_id(self) -> str:
        """The Content-ID by which an HTML part can embed this one, or ""."""
        return self.headers.plain("content-id").strip("<> ")

    @cached_property
    def file_name(self) -> str:
        """The declared file name without folders, or ""."""
        named = self._disposition[1].get("filename") or self._content_type[1].get("name", "")
        return header_text(named).replace("\\", "/").rpartition("/")[2].strip()[:200]

    @cached_property
    def text(self) -> str:
        """The content as text, cut at `MAX_TEXT_SIZE`."""
        content = self._content(self.body[:MAX_TEXT_SIZE])
        text = decode_text(content, self._charset(content))
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")

    def _charset(self, _content: bytes) -> str:
        return self._content_type[1].get("charset", "").strip("'\" ")

    @property
    def is_flowed(self) -> bool:
        """Whether lines that end in a space continue on the next (RFC 3676)."""
        return self._content_type[1].get("format", "").lower() == "flowed"

    @property
    def content(self) -> bytes:
        """The decoded content."""
        return self._content(self.body)

    @property
    def size(self) -> int:
        """Size in bytes after decoding; for base64 estimated without decoding."""
        if self._encoding != "base64":
            return len(self.content)
        blanks = sum(self.body.count(blank) for blank in (b"\n", b"\r", b" "))
        return max((len(self.body) - blanks) * 3 // 4 - self.body[-8:].count(b"="), 0)

    @cached_property
    def _encoding(self) -> str:
        return self.headers.plain("content-transfer-encoding").lower()

    def _content(self, body: bytes) -> bytes:
        if self._encoding == "base64":
            return decode_base64(body)
        if self._encoding == "quoted-printable":
            return binascii.a2b_qp(body)
        return body


class MimeParts(NamedTuple):
    """The parts of a message in order; `problem` names a limit that was exceeded."""

    parts: tuple[MimePart, ...]
    problem: str


def find_parts(headers: Headers, body: bytes) -> MimeParts:
    """Find the parts of a message whose headers are already split off."""
    limits = _Limits()
    parts = tuple(_leaf_parts(headers, body, (), limits))
    for index, part in enumerate(parts):
        part.index = index
    return MimeParts(parts, limits.problem)


class _Limits:
    def __init__(self) -> None:
        self.parts = MAX_PARTS
        self.problem = ""


def _content_type(headers: Headers, default: str = "text/plain") -> tuple[str, Mapping[str, str]]:
    mime_type, parameters = value_and_parameters(headers.plain("content-type"))
    return (mime_type if "/" in mime_type else default), parameters


def _leaf_parts(
    headers: Headers, body: bytes, containers: tuple[str, ...], limits: _Limits
) -> Iterator[MimePart]:
    mime_type, parameters = _content_type(headers)
    boundary = parameters.get("boundary", "").encode("utf-8", "replace").rstrip()
    if not mime_type.startswith("multipart/") or not boundary:
        yield MimePart(headers, body, containers)
        return
    if len(containers) == MAX_NESTING:
        limits.problem = TOO_DEEP
        return
    inside = (*containers, mime_type.removeprefix("multipart/"))
    for section in _sections(body, b"--" + boundary):
        if limits.parts == 0:
            limits.problem = TOO_MANY
            return
        limits.parts -= 1
        part_headers, start, _ = split_headers(section)
        yield from _leaf_parts(part_headers, section[start:], inside, limits)


def _sections(body: bytes, delimiter: bytes) -> Iterator[bytes]:
    """Yield the sections between the delimiter lines; the last delimiter may be missing."""
    begin = -1
    for line_start, line_end in _delimiter_lines(body, delimiter):
        if begin >= 0:
            yield body[begin:line_start].removesuffix(b"\n").removesuffix(b"\r")
        begin = line_end
        if body.startswith(b"--", line_start + len(delimiter)):
            return
    if begin >= 0:
        yield body[begin:]
    elif body.strip():
        yield b"\n" + body


def _delimiter_lines(body: bytes, delimiter: bytes) -> Iterator[tuple[int, int]]:
    position = body.find(delimiter)
    while position >= 0:
        line_end = body.find(b"\n", position) + 1 or len(body)
        rest = body[position + len(delimiter) : line_end].strip()
        if rest in {b"", b"--"} and (position == 0 or body[position - 1] == 0x0A):
            yield position, line_end
        position = body.find(delimiter, position + len(delimiter))
