"""A refusal: an error as Google's servers say it, by the API that says it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.google.message import Answered, json_answer

_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_WORDS = {
    "accessNotConfigured": "{api} has not been used in project {project} before or it is disabled."
    " Enable it by visiting {link} then retry. If you enabled this API recently, wait a few"
    " minutes for the action to propagate to our systems and retry.",
    "authError": "Invalid Credentials",
    "backendError": "Backend Error",
    "deleted": "Resource has been deleted",
    "domainPolicy": "The domain administrators have disabled Gmail apps.",
    "duplicate": "The requested identifier already exists.",
    "failedPrecondition": "Precondition check failed.",
    "insufficientPermissions": "Request had insufficient authentication scopes.",
    "notFound": "Requested entity was not found.",
    "quotaExceeded": "Calendar usage limits exceeded.",
    "rateLimitExceeded": "Rate Limit Exceeded",
    "userRateLimitExceeded": "User Rate Limit Exceeded",
}
_DOMAINS = {
    "accessNotConfigured": "usageLimits",
    "dailyLimitExceeded": "usageLimits",
    "quotaExceeded": "usageLimits",
    "rateLimitExceeded": "usageLimits",
    "userRateLimitExceeded": "usageLimits",
    "fullSyncRequired": "calendar",
    "timeRangeEmpty": "calendar",
    "requiredParameter": "global",
}
_PROJECT = "314159265358"
_APIS = {
    "gmail": ("Gmail API", "gmail.googleapis.com"),
    "calendar": ("Google Calendar API", "calendar-json.googleapis.com"),
}


@dataclass
class RefusalError(Exception):
    """An error response of a method; `words` "" is Google's usual message."""

    status: int
    reason: str
    words: str = ""
    location: tuple[str, str] | None = None
    details: Sequence[Mapping[str, Any]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def refused(error: RefusalError, api: str) -> Answered:
    """Return the error response; Gmail adds the canonical status to Calendar's fields.

    Source: https://developers.google.com/workspace/gmail/api/guides/handle-errors and
    https://developers.google.com/workspace/calendar/api/guides/errors
    """
    name, host = _APIS.get(api, _APIS["gmail"])
    link = f"https://console.developers.google.com/apis/api/{host}/overview?project={_PROJECT}"
    words = error.words or _WORDS.get(error.reason, error.reason)
    words = words.format(api=name, project=_PROJECT, link=link)
    one: dict[str, Any] = {"message": words, "domain": _DOMAINS.get(error.reason, "global")}
    one["reason"] = error.reason
    if error.location:
        one["locationType"], one["location"] = error.location
    said: dict[str, Any] = {"code": error.status, "message": words, "errors": [one]}
    details = [*error.details, *_details(error.reason, host, link)]
    if api != "calendar" or details:
        said["status"] = _STATUS.get(error.status, "UNKNOWN")
    if details:
        said["details"] = details
    answer = json_answer({"error": said}, status=error.status)
    return Answered(answer.status, answer.body, answer.kind, error.headers)


def _details(reason: str, host: str, link: str) -> list[Mapping[str, Any]]:
    if reason == "accessNotConfigured":
        links = [{"description": "Google developers console API activation", "url": link}]
        return [
            {"@type": "type.googleapis.com/google.rpc.Help", "links": links},
            _info("SERVICE_DISABLED", {"consumer": f"projects/{_PROJECT}", "service": host}),
        ]
    if reason == "insufficientPermissions":
        return [_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", {"service": host})]
    return []


def _info(reason: str, metadata: Mapping[str, str]) -> Mapping[str, Any]:
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    return {"@type": kind, "reason": reason, "domain": "googleapis.com", "metadata": metadata}


def not_found(words: str = "") -> RefusalError:
    """Return the error for a missing resource."""
    return RefusalError(404, "notFound", words)


def invalid(words: str, reason: str = "invalidArgument") -> RefusalError:
    """Return the error for an invalid request."""
    return RefusalError(400, reason, words)
