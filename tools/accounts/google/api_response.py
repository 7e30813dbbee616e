"""API responses: status, headers and content, and the errors raised in place of one."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.markdown.plain_text import escape_markdown
from tools.retry import RequestFailure, retry_after_seconds
from tools.tool_errors import Remedy

_RATE_LIMIT_REASONS = frozenset(
    {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"}
)


@dataclass(frozen=True)
class ApiResponse:
    """A response; headers by lower-case name."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)

    @cached_property
    def json(self) -> Any:
        """The content parsed as JSON, {} if it is empty.

        Raises:
            NoResponseError: it is not JSON.
        """
        try:
            return json.loads(self.content or b"{}")
        except ValueError:
            raise NoResponseError("broken", may_have_acted=True) from None


class ApiRefusedError(RequestFailure, Exception):
    """Google responded with an error or a redirect."""

    def __init__(self, response: ApiResponse) -> None:
        super().__init__(response.status)
        self.response = response
        self.status = response.status

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed later."""
        return self.may_have_acted or self.status == 429 or self._is_rate_limit

    @property
    def may_have_acted(self) -> bool:
        """Whether the request may have been carried out all the same."""
        return self.status >= 500 or self.status == 408

    @property
    def _is_rate_limit(self) -> bool:
        return self.status == 403 and bool(self.reasons & _RATE_LIMIT_REASONS)

    @cached_property
    def _error(self) -> dict[str, Any]:
        try:
            content = json.loads(self.response.content)
        except ValueError:
            return {}
        error = content.get("error") if isinstance(content, dict) else None
        return error if isinstance(error, dict) else {}

    @cached_property
    def reasons(self) -> frozenset[str]:
        """All reason codes of the error, such as "accessNotConfigured"."""
        return frozenset(self._reason_codes())

    @property
    def reason(self) -> str:
        """The first reason code, or ""."""
        return next(self._reason_codes(), "")

    def _reason_codes(self) -> Iterator[str]:
        for name in ("errors", "details"):
            for each in self._error.get(name) or ():
                if isinstance(each, dict) and each.get("reason"):
                    yield str(each["reason"])
        if status := self._error.get("status"):
            yield str(status)

    @property
    def message(self) -> str:
        """Google's error message, or ""."""
        return str(self._error.get("message") or "")

    def retry_after(self, now: datetime) -> float | None:
        """Return the seconds that Google asked to wait, None where it did not."""
        return retry_after_seconds(self.response.headers, now)


class NoResponseError(RequestFailure, Exception):
    """No readable response came; `may_have_acted` says whether the request may be carried out."""

    def __init__(
        self, cause: Literal["network", "insecure", "silent", "broken"], *, may_have_acted: bool
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.may_have_acted = may_have_acted

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed later."""
        return self.cause != "insecure"


CallFailure = ApiRefusedError | NoResponseError

_MAX_QUOTE_LENGTH = 200  # characters of Google's message
_CONSOLE_LINK = re.compile(r"https://console\.(?:developers|cloud)\.google\.com/[\w./?=&%-]+")
_API_LIBRARY_URL = "https://console.cloud.google.com/apis/library"
_TITLES = {"gmail": "Gmail", "calendar": "Google Calendar"}


class GoogleApiError(GoogleAccountError):
    """A failed call; `status` is the HTTP status, 0 without a response."""

    def __init__(
        self,
        words: str,
        remedy: Remedy | None = None,
        *,
        status: int = 0,
        reason: str = "",
    ) -> None:
        super().__init__(words, remedy)
        self.status = status
        self.reason = reason


class OutcomeUnknownError(GoogleApiError):
    """The request was sent, but no response says whether it was carried out."""


@dataclass(frozen=True)
class ApiErrorMessages:
    """The exceptions for failed calls to one API of one account, with words for the user."""

    api: str  # as Google names it: "gmail", "calendar"
    account: str

    def error(self, failure: CallFailure, permission: Permission) -> GoogleApiError:
        """Return the exception for a failed call that needed `permission`."""
        if isinstance(failure, NoResponseError):
            return GoogleApiError(self._no_response(failure), Remedy.TRY_AGAIN)
        words, remedy = self._refused(failure, permission)
        return GoogleApiError(words, remedy, status=failure.status, reason=failure.reason)

    def outcome_unknown(self, failure: CallFailure) -> OutcomeUnknownError:
        """Return the exception for a call that may have been carried out."""
        return OutcomeUnknownError(
            f"{self._title} did not say whether it was done ({self.account}).",
            status=failure.status if isinstance(failure, ApiRefusedError) else 0,
        )

    @property
    def _title(self) -> str:
        return _TITLES.get(self.api, self.api)

    def _no_response(self, failure: NoResponseError) -> str:
        title, account = self._title, self.account
        return {
            "network": f"{title} cannot be reached for {account}. Check the network and try again.",
            "insecure": f"The connection to {title} for {account} is not secure: its certificate "
            "cannot be trusted. Check the network, and the clock of this computer.",
            "silent": f"{title} did not answer for {account} in time. Try again.",
            "broken": f"The connection to {title} for {account} broke off. Try again.",
        }[failure.cause]

    def _refused(  # noqa: PLR0911 — one for each reason
        self, failure: ApiRefusedError, permission: Permission
    ) -> tuple[str, Remedy | None]:
        title, account, quote = self._title, self.account, self._quote(failure)
        if failure.reasons & {"accessNotConfigured", "SERVICE_DISABLED"}:
            return self._not_enabled(failure), Remedy.TRY_AGAIN
        if failure.status == 401:
            return f"Google wants you to sign in again for {account}.", Remedy.SIGN_IN
        if failure.reasons & {"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}:
            words = (
                f"{account} does not let Deskhand {permission.words} yet: allow it, and ask again."
            )
            return words, Remedy.ALLOW
        if failure.reasons & {"domainPolicy"}:
            return f"The administrator of {account} does not allow this.{quote}", None
        if failure.reasons & {"dailyLimitExceeded", "quotaExceeded"}:
            return f"{title} takes no more requests for {account} today.{quote}", None
        if failure.status == 429 or (failure.status == 403 and failure.is_transient):
            words = f"{title} takes no more requests for {account} for now. Try again later."
            return words, Remedy.TRY_AGAIN
        if failure.status in {404, 410}:
            return f"{title} does not have this any more ({account}).", None
        if failure.status >= 500:
            words = f"{title} failed to answer for {account} ({failure.status}). Try again."
            return words, Remedy.TRY_AGAIN
        return f"{title} did not do this for {account} ({failure.status}).{quote}", None

    def _not_enabled(self, failure: ApiRefusedError) -> str:
        link = _CONSOLE_LINK.search(failure.response.content.decode("utf-8", "replace"))
        return (
            f"The {self._title} API is not switched on in the Google project of your client. "
            f"Switch it on at {link[0] if link else _API_LIBRARY_URL}, wait a minute and try again."
        )

    def _quote(self, failure: ApiRefusedError) -> str:
        words = failure.message.strip()
        short = (
            words if len(words) <= _MAX_QUOTE_LENGTH else f"{words[:_MAX_QUOTE_LENGTH].rstrip()}…"
        )
        return f" Google says: “{escape_markdown(short)}”" if short else ""
