"""A message's MIME structure, as Gmail's API gives it."""

import base64
import email
import email.policy
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from typing import Any, TypeAlias

_TAG = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_SNIPPET = 200

Part: TypeAlias = "Message[str, str]"


def parsed(raw: bytes) -> Part:
    """The message, read as leniently as it can be."""
    return email.message_from_bytes(raw, policy=email.policy.compat32)


def header(message: Part, name: str) -> str:
    """A header's words, unfolded and decoded, "" where there is none."""
    return _decoded(str(message.get(name, "")))


def encoded(data: bytes) -> str:
    """Bytes as Google's JSON carries them: base64url with its padding."""
    return base64.urlsafe_b64encode(data).decode()


def decoded(text: str) -> bytes:
    """The bytes; with or without padding, and in either alphabet, as Google takes them."""
    plain = text.replace("+", "-").replace("/", "_").rstrip("=")
    return base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4))


def payload(message: Part) -> Mapping[str, Any]:
    """The tree of parts."""
    return _part(message, "")


def headers_of(message: Part, names: Sequence[str]) -> list[Mapping[str, str]]:
    """Its headers as they came; of those named alone, where any are."""
    wanted = {name.lower() for name in names}
    return [
        {"name": name, "value": _decoded(str(value))}
        for name, value in message.items()
        if not wanted or name.lower() in wanted
    ]


def _part(part: Part, number: str) -> Mapping[str, Any]:
    inner = _inner(part)
    children = [_part(each, f"{number}.{place}".strip(".")) for place, each in enumerate(inner)]
    name = _decoded(part.get_filename() or "")
    given: dict[str, Any] = {
        "partId": number,
        "mimeType": part.get_content_type(),
        "filename": name,
        "headers": headers_of(part, ()),
        "body": _body(part, number, name),
    }
    return given | ({"parts": children} if children else {})


def _inner(part: Part) -> list[Part]:
    inner = part.get_payload()
    return [each for each in inner if isinstance(each, Message)] if isinstance(inner, list) else []


def _body(part: Part, number: str, name: str) -> Mapping[str, Any]:
    if part.is_multipart() and part.get_content_maintype() == "multipart":
        return {"size": 0}
    data = content(part)
    if name or part.get_content_maintype() != "text":
        return {"attachmentId": attachment_id(number), "size": len(data)}
    return {"size": len(data), "data": encoded(data)} if data else {"size": 0}


def content(part: Part) -> bytes:
    """Return the content of a part; a text in UTF-8."""
    if part.is_multipart():
        return b"".join(each.as_bytes() for each in _inner(part))
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    if part.get_content_maintype() != "text" or part.get_filename():
        return data
    return text(part).encode()


def text(part: Part) -> str:
    """The words of a text."""
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    try:
        return data.decode(str(part.get_content_charset() or "utf-8"), "replace")
    except LookupError:
        return data.decode("latin-1")


def attachment_id(number: str) -> str:
    """The name by which a part can be asked for."""
    return "ANGjdJ" + encoded(f"part {number}".encode()).rstrip("=")


def attachment(message: Part, id: str) -> bytes | None:
    """Return the content of the part with this name."""
    for number, part in _numbered(message, ""):
        if attachment_id(number) == id:
            return content(part)
    return None


def _numbered(part: Part, number: str) -> Iterator[tuple[str, Part]]:
    yield number, part
    for place, each in enumerate(_inner(part)):
        yield from _numbered(each, f"{number}.{place}".strip("."))


def words(message: Part) -> str:
    """The words that a person sees: of the plain texts, else of the HTML."""
    texts = [part for part in message.walk() if part.get_content_maintype() == "text"]
    texts = [part for part in texts if not part.get_filename()]
    plain = [part for part in texts if part.get_content_subtype() != "html"]
    return " ".join(
        html.unescape(_TAG.sub(" ", text(each)))
        if each.get_content_subtype() == "html"
        else text(each)
        for each in plain or texts
    )


def snippet(message: Part) -> str:
    """The beginning of its words, escaped as Gmail has it."""
    return html.escape(" ".join(words(message).split())[:_SNIPPET])


def file_names(message: Part) -> list[str]:
    """The names of the files that it carries."""
    return [_decoded(name) for part in message.walk() if (name := part.get_filename())]


def as_bytes(message: bytes | EmailMessage) -> bytes:
    """A message as it travels."""
    if isinstance(message, bytes):
        return message
    return message.as_bytes(policy=email.policy.SMTP)


def without_bcc(raw: bytes) -> bytes:
    """The message as its recipients get it."""
    message = parsed(raw)
    if "Bcc" not in message:
        return raw
    del message["Bcc"]
    return message.as_bytes()


def _decoded(value: str) -> str:
    value = re.sub(r"\r?\n(?=[ \t])", "", value)
    if "=?" not in value:
        return value
    try:
        return str(make_header(decode_header(value)))
    except (HeaderParseError, LookupError, UnicodeError):
        return value
