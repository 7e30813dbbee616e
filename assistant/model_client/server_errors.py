"""Errors of a model server: error responses, failed connections, unreadable content."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from tools.retry import RequestFailure, retry_after_seconds

_WRONG_PATH = re.compile(r"invalid url|endpoint|not found|not allowed|cannot post", re.I)
_MENTIONS_MODEL = re.compile(r"\bmodel\b", re.I)
_NO_SUCH_MODEL = re.compile(
    r"(invalid|unknown|no such) model|not a valid model|model\b.{0,80}(not found|not exist)", re.I
)
_TOO_LONG = re.compile(
    r"context.{0,20}(length|size|window)|maximum context|too many tokens|prompt is too long", re.I
)
_TRANSIENT_STATUSES = (429, 500, 502, 503, 504, 529)


class ConnectionFailure(StrEnum):
    """Reason why a request got no response, or only part of one."""

    REFUSED = "refused"
    UNKNOWN_HOST = "unknown host"
    CONNECT_TIMEOUT = "no connection in time"
    READ_TIMEOUT = "no answer in time"
    CONNECTION_LOST = "connection lost"
    TLS = "certificate"
    INVALID_URL = "address"


class ModelConnectionError(RequestFailure, Exception):
    """No complete response arrived."""

    def __init__(self, failure: ConnectionFailure) -> None:
        super().__init__(failure.value)
        self.failure = failure

    @property
    def is_transient(self) -> bool:
        """Whether an early retry may succeed; timeouts took too long to be worth one."""
        return self.failure in {
            ConnectionFailure.REFUSED,
            ConnectionFailure.UNKNOWN_HOST,
            ConnectionFailure.CONNECTION_LOST,
        }


class MalformedResponseError(Exception):
    """The response has an unknown format."""

    def __init__(self, content: bytes) -> None:
        super().__init__(len(content))
        self.content = content


class ModelServerError(RequestFailure, Exception):
    """An error response; status 200 if the error came in the body of a successful response.

    Attributes:
        status: The HTTP status, or the status that the error in the body stands for.
        code: The error's code or type, "" if there is none.
        message: The error's message in one line, "" if it is an HTML page.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self._headers = headers
        error = _error_object(body)
        self.status = _effective_status(status, error)
        self.code = str(error.get("code") or error.get("type") or "")
        self.message = _plain_text(error.get("message"))

    @property
    def is_transient(self) -> bool:
        """Whether the server is busy or temporarily failing."""
        return self.status in _TRANSIENT_STATUSES and not self.is_quota_exceeded

    @property
    def is_quota_exceeded(self) -> bool:
        """Whether the account has no credit left."""
        return self.status == 402 or self.mentions("insufficient_quota|billing")

    @property
    def is_unknown_model(self) -> bool:
        """Whether the server does not have the model."""
        if self.code == "model_not_found" or _NO_SUCH_MODEL.search(self.message):
            return self.status in {400, 404, 422}
        return (
            self.status == 404
            and not self.is_wrong_path
            and bool(_MENTIONS_MODEL.search(self.message))
        )

    @property
    def is_wrong_path(self) -> bool:
        """Whether the server does not offer this API."""
        if self.status in {400, 404} and re.search("v1/(responses|chat)", self.message):
            return True
        known = bool(_WRONG_PATH.search(self.message)) or not self.message
        if self.status in {404, 405, 501}:
            return known and not _MENTIONS_MODEL.search(self.message)
        return self.status == 200 and "endpoint" in self.message

    @property
    def is_prompt_too_long(self) -> bool:
        """Whether the prompt exceeds the model's context."""
        return self.status == 413 or (
            self.mentions("context_length_exceeded|exceed_context_size")
            or bool(_TOO_LONG.search(self.message))
        )

    def mentions(self, pattern: str) -> bool:
        """Whether the code or the message matches, ignoring case."""
        return bool(re.search(pattern, f"{self.code} {self.message}", re.I))

    def retry_after(self, now: datetime) -> float | None:
        """Return the requested delay before a retry in seconds; None if there is none."""
        return retry_after_seconds(self._headers, now)


def _effective_status(status: int, error: Mapping[str, Any]) -> int:
    """Return the status, or the one an error in a successful response stands for."""
    code = error.get("code")
    if status != 200:
        return status
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return {"rate_limit_exceeded": 429, "server_error": 500}.get(str(code), status)


def _error_object(body: bytes) -> Mapping[str, Any]:
    try:
        whole = json.loads(body)
    except ValueError:
        return {"message": body.decode(errors="replace")}
    error = whole.get("error", whole) if isinstance(whole, dict) else whole
    if not isinstance(error, dict):
        return {"message": error}
    return {**error, "message": error.get("message") or error.get("detail")}


def _plain_text(message: object) -> str:
    text = message if isinstance(message, str) else json.dumps(message) if message else ""
    return "" if "<html" in text.lower() else " ".join(text.split())
