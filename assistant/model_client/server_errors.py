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
    """Why a server could not be heard."""

    NOT_THERE = "refused"
    UNKNOWN = "unknown host"
    UNANSWERED = "no connection in time"
    SILENT = "no answer in time"
    BROKEN = "connection lost"
    NOT_SECURE = "certificate"
    NO_ADDRESS = "address"


class ModelConnectionError(RequestFailure, Exception):
    """There was no whole answer."""

    def __init__(self, obstacle: ConnectionFailure) -> None:
        super().__init__(obstacle.value)
        self.obstacle = obstacle

    @property
    def is_transient(self) -> bool:
        """Whether another try soon may succeed; one that took long is not worth another."""
        return self.obstacle in {
            ConnectionFailure.NOT_THERE,
            ConnectionFailure.UNKNOWN,
            ConnectionFailure.BROKEN,
        }


class MalformedResponseError(Exception):
    """The server answered, in no form that is known here."""

    def __init__(self, content: bytes) -> None:
        super().__init__(len(content))
        self.content = content


class ModelServerError(RequestFailure, Exception):
    """The server answered with an error; status 200 where it was sent as if it were an answer."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self._headers = headers
        error = _error_object(body)
        self.status = _effective_status(status, error)
        self.code = str(error.get("code") or error.get("type") or "")
        self.message = _plain_text(error.get("message"))

    @property
    def is_transient(self) -> bool:
        """Whether the server is only busy, or broken for a moment."""
        return self.status in _TRANSIENT_STATUSES and not self.is_about_money

    @property
    def is_about_money(self) -> bool:
        """Whether the account has nothing left to pay with."""
        return self.status == 402 or self.speaks_of("insufficient_quota|billing")

    @property
    def is_about_model(self) -> bool:
        """Whether the server does not have the model."""
        if self.code == "model_not_found" or _NO_SUCH_MODEL.search(self.message):
            return self.status in {400, 404, 422}
        return (
            self.status == 404
            and not self.is_about_path
            and bool(_MENTIONS_MODEL.search(self.message))
        )

    @property
    def is_about_path(self) -> bool:
        """Whether the server does not speak this dialect."""
        if self.status in {400, 404} and re.search("v1/(responses|chat)", self.message):
            return True
        known = bool(_WRONG_PATH.search(self.message)) or not self.message
        if self.status in {404, 405, 501}:
            return known and not _MENTIONS_MODEL.search(self.message)
        return self.status == 200 and "endpoint" in self.message

    @property
    def is_about_length(self) -> bool:
        """Whether the prompt is longer than the model's context."""
        return self.status == 413 or (
            self.speaks_of("context_length_exceeded|exceed_context_size")
            or bool(_TOO_LONG.search(self.message))
        )

    def speaks_of(self, pattern: str) -> bool:
        """Whether its code or its words match."""
        return bool(re.search(pattern, f"{self.code} {self.message}", re.I))

    def retry_after(self, now: datetime) -> float | None:
        """Return the seconds that the server asked to wait, None where it did not."""
        return retry_after_seconds(self._headers, now)


def _effective_status(status: int, error: Mapping[str, Any]) -> int:
    """What the status would have been, had the error not been sent as an answer."""
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
