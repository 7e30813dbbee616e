"""An upload: a message that comes as it is, or beside JSON, instead of within JSON.

Source: https://developers.google.com/workspace/gmail/api/guides/uploads
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.google import mime
from tests.google.catalogue import Call
from tests.google.refusal import RefusalError, invalid

LARGEST = 36_700_160  # bytes
_BOUNDARY = re.compile(r'boundary="?([^";]+)"?')


@dataclass(frozen=True)
class Upload:
    """The content of a call: its JSON, and a message, b"" if there is none."""

    said: Mapping[str, Any]
    raw: bytes

    @property
    def thread(self) -> str:
        """The thread that the message is meant for."""
        return str(_message(self.said).get("threadId") or "")

    def needed(self) -> "Upload":
        """The same, where there is a message.

        Raises:
            RefusalError: there is none.
        """
        if not self.raw:
            raise invalid("'raw' RFC822 payload message string or uploading message required")
        return self


def parse_upload(call: Call) -> Upload:
    """Parse the content of a call.

    Raises:
        RefusalError: it cannot be parsed, or is too large.
    """
    given = _uploaded(call) if call.asked.segments[0] == "upload" else _within(call.body)
    if len(given.raw) > LARGEST:
        raise RefusalError(413, "uploadTooLarge", "Media larger than allowed.")
    return given


def _within(said: Mapping[str, Any]) -> Upload:
    try:
        return Upload(said, mime.decoded(str(_message(said).get("raw") or "")))
    except ValueError as error:
        raise invalid("Invalid value for ByteString") from error


def _message(said: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = said.get("message") or {}
    return inner if isinstance(inner, dict) and inner else said


def _uploaded(call: Call) -> Upload:
    kind, body = call.asked.headers.get("content-type", ""), call.asked.body
    if kind.startswith("message/"):
        return Upload({}, body)
    found = _BOUNDARY.search(kind)
    parts = body.split(b"--" + found[1].encode())[1:-1] if found else []
    if len(parts) != 2:
        raise invalid(f"Media type '{kind}' is not supported.", "badRequest")
    said, raw = (_content(part) for part in parts)
    return Upload(json.loads(said or b"{}"), raw)


def _content(part: bytes) -> bytes:
    """Return the content after the part's headers; the last line end belongs to the boundary."""
    bare = part.removeprefix(b"\r").removeprefix(b"\n")
    ends = [place for place in (bare.find(b"\r\n\r\n"), bare.find(b"\n\n")) if place >= 0]
    cut = bare[min(ends) :] if ends else bare
    content = cut[4:] if cut.startswith(b"\r\n\r\n") else cut[2:]
    return content.removesuffix(b"\n").removesuffix(b"\r")
