"""Gmail messages: the JSON of Gmail's API parsed, and converted to emails."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from typing import Any

from tools.mail.message.emails import Email
from tools.mail.message.headers import (
    MAX_FIELD_LENGTH,
    MAX_FIELDS,
    Headers,
    datetime_from_seconds,
    decode_base64,
)
from tools.mail.message.mime import MAX_NESTING, MAX_PARTS, TOO_DEEP, TOO_MANY, MimePart, MimeParts
from tools.mail.message.parsing import ParsedMessage, unreadable

_TO_BASE64 = bytes.maketrans(b"-_", b"+/")
_PEOPLE = frozenset({"from", "to", "cc", "bcc", "sender", "reply-to"})
_NAME_WITH_COMMA = re.compile(  # a decoded name, which Gmail does not quote
    r'(^|,)\s*([^<>@",;:]{1,80}(?:,[^<>@",;:]{1,80}){1,4}?)\s?(?=<)'
)
_TEXT_TOO_LONG = "Part of this message is too long to be shown here; open it in Gmail."


@dataclass(frozen=True)
class GmailMessage:
    """One message; `labels` are ids, `received` is in milliseconds since 1970.

    One that could not be fetched or parsed is not available, and empty.
    """

    id: str
    thread_id: str
    labels: frozenset[str]
    received: int
    parsed: ParsedMessage
    is_available: bool = True


@dataclass(eq=False)
class GmailPart(MimePart):
    """A MIME part from Gmail's API, with its transfer encoding removed.

    `body` is base64url, and empty for a file, of which only the size is known.
    """

    declared_type: str = ""
    declared_name: str = ""
    declared_size: int = 0

    @property
    def type(self) -> str:
        """The MIME type."""
        return self.declared_type

    @cached_property
    def file_name(self) -> str:
        """The file name without folders, or ""."""
        return self.declared_name.replace("\\", "/").rpartition("/")[2].strip()[:200]

    @property
    def size(self) -> int:
        """Size of the content in bytes."""
        return self.declared_size

    @property
    def is_left_out(self) -> bool:
        """Whether it is a text too long for Gmail to include."""
        is_text = self.type.startswith("text/") and not self.file_name and not self.is_attached
        return is_text and bool(self.declared_size) and not self.body

    def _content(self, body: bytes) -> bytes:
        return decode_base64url(body)

    def _charset(self, content: bytes) -> str:
        """Return UTF-8, to which Gmail converts texts, unless the bytes are not valid UTF-8."""
        try:
            is_utf8 = not content.isascii() and bool(content.decode())
        except UnicodeDecodeError:
            is_utf8 = False
        return "utf-8" if is_utf8 else super()._charset(content)


def unavailable_message(id: str, thread_id: str, problem: str) -> GmailMessage:
    """Return an empty message, for one that could not be fetched or parsed."""
    return GmailMessage(id, thread_id, frozenset(), 0, unreadable(problem), is_available=False)


def decode_base64url(data: bytes) -> bytes:
    """Decode base64url, with or without padding; invalid input gives its valid beginning."""
    return decode_base64(data.translate(_TO_BASE64) + b"==")


def parse_gmail_message(resource: Mapping[str, Any]) -> GmailMessage:
    """Parse a message fetched with `format=full`.

    Raises:
        ValueError: it is not in the form that Gmail's API documents.
    """
    try:
        payload = resource.get("payload") or {}
        headers = _headers(payload)
        return GmailMessage(
            id=str(resource["id"]),
            thread_id=str(resource["threadId"]),
            labels=frozenset(map(str, resource.get("labelIds") or ())),
            received=int(resource["internalDate"]),
            parsed=ParsedMessage(headers, b"", parts=_parts(payload, headers)),
        )
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError("not a message of Gmail") from error


def _headers(part: Mapping[str, Any]) -> Headers:
    fields: dict[str, list[bytes]] = {}
    for each in (part.get("headers") or ())[:MAX_FIELDS]:
        name, value = each["name"].lower(), each["value"][:MAX_FIELD_LENGTH]
        if name in _PEOPLE and not value.isascii():
            value = _NAME_WITH_COMMA.sub(r'\1"\2" ', value)
        fields.setdefault(name, []).append(value.encode("utf-8", "replace"))
    return Headers(fields)


def _parts(payload: Mapping[str, Any], headers: Headers) -> MimeParts:
    problems: set[str] = set()
    parts = tuple(_leaf_parts(payload, headers, (), problems))
    if len(parts) > MAX_PARTS:
        problems.add(TOO_MANY)
    for index, part in enumerate(parts):
        part.index = index
    return MimeParts(parts[:MAX_PARTS], " ".join(sorted(problems)))


def _leaf_parts(
    resource: Mapping[str, Any], headers: Headers, containers: tuple[str, ...], problems: set[str]
) -> Iterator[GmailPart]:
    """Yield the parts without subparts; an attached message is one of them."""
    mime_type = resource.get("mimeType", "").lower() or "text/plain"
    if not mime_type.startswith("multipart/"):
        body = resource.get("body") or {}
        part = GmailPart(
            headers,
            (body.get("data") or "").encode("ascii", "replace"),
            containers,
            declared_type=mime_type,
            declared_name=resource.get("filename") or "",
            declared_size=int(body.get("size") or 0),
        )
        if part.is_left_out:
            problems.add(_TEXT_TOO_LONG)
        yield part
        return
    if len(containers) == MAX_NESTING:
        problems.add(TOO_DEEP)
        return
    inside = (*containers, mime_type.removeprefix("multipart/"))
    for inner in resource.get("parts") or ():
        yield from _leaf_parts(inner, _headers(inner), inside, problems)


def to_emails(found: Sequence[GmailMessage], account: str, zone: tzinfo | None) -> list[Email]:
    """Convert messages to emails, in order; an unavailable one takes its neighbour's date."""
    emails: list[Email] = []
    received = next((each.received for each in found if each.is_available), 0)
    for each in found:
        received = each.received if each.is_available else received
        emails.append(
            each.parsed.email(
                each.id,
                thread_id=each.thread_id,
                account=account,
                date=datetime_from_seconds(received / 1000).astimezone(zone),
                unread="UNREAD" in each.labels,
            )
        )
    return emails
