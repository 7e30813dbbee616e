"""API responses: status, headers and content, and the errors raised in place of one."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from tools.accounts.google.oauth_errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.markdown.plain_text import escape_markdown
from tools.retry import retry_after_seconds
from tools.tool_errors import Remedy

_RATE_LIMIT_REASONS = frozenset(
    {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"}
)


@dataclass(frozen=True)
class ApiResponse:
    """One answer; header fields by lower-case name."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)

    @cached_property
    def json(self) -> Any:
        """The content read as JSON; an empty one is an empty object.

        Raises:
            UnheardError: it is none.
        """
        try:
            return json.loads(self.content or b"{}")
        except ValueError:
            raise NoResponseError("broken", may_have_acted=True) from None


class ApiRefusedError(Exception):
    """Google answered that it did not do what was asked."""

    def __init__(self, answer: ApiResponse) -> None:
        super().__init__(answer.status)
        self.answer = answer
        self.status = answer.status

    @property
    def may_pass(self) -> bool:
        """Whether the same request can be taken later."""
        return self.may_have_acted or self.status == 429 or self._is_about_rate

    @property
    def may_have_acted(self) -> bool:
        """Whether it may have been done all the same."""
        return self.status >= 500 or self.status == 408

    @property
    def _is_about_rate(self) -> bool:
        return self.status == 403 and bool(self.reasons & _RATE_LIMIT_REASONS)

    @cached_property
    def _error(self) -> dict[str, Any]:
        try:
            said = json.loads(self.answer.content)
        except ValueError:
            return {}
        error = said.get("error") if isinstance(said, dict) else None
        return error if isinstance(error, dict) else {}

    @cached_property
    def reasons(self) -> frozenset[str]:
        """Every word that Google gives for why, such as "accessNotConfigured"."""
        return frozenset(self._reasons())

    @property
    def reason(self) -> str:
        """The first of them, or ""."""
        return next(self._reasons(), "")

    def _reasons(self) -> Iterator[str]:
        for name in ("errors", "details"):
            for each in self._error.get(name) or ():
                if isinstance(each, dict) and each.get("reason"):
                    yield str(each["reason"])
        if status := self._error.get("status"):
            yield str(status)

    @property
    def message(self) -> str:
        """Google's own words, or ""."""
        return str(self._error.get("message") or "")

    def pause(self, now: datetime) -> float | None:
        """The seconds for which Google wants to be left alone, where it says so."""
        return retry_after_seconds(self.answer.headers, now)


class NoResponseError(Exception):
    """No answer came that can be read.

    `obstacle` is "network", "insecure", "silent" or "broken"; `may_have_acted` tells whether
    Google can have done what was asked.
    """

    def __init__(self, obstacle: str, *, may_have_acted: bool) -> None:
        super().__init__(obstacle)
        self.obstacle = obstacle
        self.may_have_acted = may_have_acted

    @property
    def may_pass(self) -> bool:
        """Whether asking again makes sense."""
        return self.obstacle != "insecure"


CallFailure = ApiRefusedError | NoResponseError

_MAX_QUOTE_LENGTH = 200  # characters of words that are Google's
_CONSOLE_LINK = re.compile(r"https://console\.(?:developers|cloud)\.google\.com/[\w./?=&%-]+")
_API_LIBRARY_URL = "https://console.cloud.google.com/apis/library"
_TITLES = {"gmail": "Gmail", "calendar": "Google Calendar"}


class GoogleApiError(GoogleAccountError):
    """Google did not do it; `status` is that of HTTP, 0 where no answer came."""

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
    """Google may have done it: the request went out, and no answer told."""


@dataclass(frozen=True)
class ApiErrorMessages:
    """The words for what goes wrong with one API of one account."""

    api: str  # as Google names it: "gmail", "calendar"
    account: str

    def error(self, cause: CallFailure, permission: Permission) -> GoogleApiError:
        """Why it was not done.

        Args:
            cause: what came of it.
            permission: what it needs.
        """
        if isinstance(cause, NoResponseError):
            return GoogleApiError(self._unheard(cause), Remedy.TRY_AGAIN)
        words, remedy = self._refused(cause, permission)
        return GoogleApiError(words, remedy, status=cause.status, reason=cause.reason)

    def lost(self, cause: CallFailure) -> OutcomeUnknownError:
        """That nobody knows whether it was done."""
        return OutcomeUnknownError(
            f"{self._title} did not say whether it was done ({self.account}).",
            status=cause.status if isinstance(cause, ApiRefusedError) else 0,
        )

    @property
    def _title(self) -> str:
        return _TITLES.get(self.api, self.api)

    def _unheard(self, cause: NoResponseError) -> str:
        title, account = self._title, self.account
        return {
            "network": f"{title} cannot be reached for {account}. Check the network and try again.",
            "insecure": f"The connection to {title} for {account} is not secure: its certificate "
            "cannot be trusted. Check the network, and the clock of this computer.",
            "silent": f"{title} did not answer for {account} in time. Try again.",
            "broken": f"The connection to {title} for {account} broke off. Try again.",
        }[cause.obstacle]

    def _refused(  # noqa: PLR0911 — one for each reason
        self, cause: ApiRefusedError, permission: Permission
    ) -> tuple[str, Remedy | None]:
        title, account, said = self._title, self.account, self._said(cause)
        if cause.reasons & {"accessNotConfigured", "SERVICE_DISABLED"}:
            return self._not_switched_on(cause), Remedy.TRY_AGAIN
        if cause.status == 401:
            return f"Google wants you to sign in again for {account}.", Remedy.SIGN_IN
        if cause.reasons & {"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}:
            words = (
                f"{account} does not let Deskhand {permission.words} yet: allow it, and ask again."
            )
            return words, Remedy.ALLOW
        if cause.reasons & {"domainPolicy"}:
            return f"The administrator of {account} does not allow this.{said}", None
        if cause.reasons & {"dailyLimitExceeded", "quotaExceeded"}:
            return f"{title} takes no more requests for {account} today.{said}", None
        if cause.status == 429 or (cause.status == 403 and cause.may_pass):
            words = f"{title} takes no more requests for {account} for now. Try again later."
            return words, Remedy.TRY_AGAIN
        if cause.status in {404, 410}:
            return f"{title} does not have this any more ({account}).", None
        if cause.status >= 500:
            words = f"{title} failed to answer for {account} ({cause.status}). Try again."
            return words, Remedy.TRY_AGAIN
        return f"{title} did not do this for {account} ({cause.status}).{said}", None

    def _not_switched_on(self, cause: ApiRefusedError) -> str:
        link = _CONSOLE_LINK.search(cause.answer.content.decode("utf-8", "replace"))
        return (
            f"The {self._title} API is not switched on in the Google project of your client. "
            f"Switch it on at {link[0] if link else _API_LIBRARY_URL}, wait a minute and try again."
        )

    def _said(self, cause: ApiRefusedError) -> str:
        words = cause.message.strip()
        short = (
            words if len(words) <= _MAX_QUOTE_LENGTH else f"{words[:_MAX_QUOTE_LENGTH].rstrip()}…"
        )
        return f" Google says: “{escape_markdown(short)}”" if short else ""
