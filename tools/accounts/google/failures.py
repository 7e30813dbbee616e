"""Failures: why Google did not do what was asked, in words for the user, with what mends it."""

import re
from dataclasses import dataclass

from tools.accounts.google.answers import RefusedError, UnheardError
from tools.accounts.google.errors import GoogleAccountError
from tools.accounts.google.permissions import Permission
from tools.plain_words import in_markdown
from tools.remedy import Remedy

Cause = RefusedError | UnheardError

_LONGEST = 200  # characters of words that are Google's
_CONSOLE = re.compile(r"https://console\.(?:developers|cloud)\.google\.com/[\w./?=&%-]+")
_LIBRARY = "https://console.cloud.google.com/apis/library"
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


class LostReplyError(GoogleApiError):
    """Google may have done it: the request went out, and no answer told."""


@dataclass(frozen=True)
class Failures:
    """The words for what goes wrong with one API of one account."""

    api: str  # as Google names it: "gmail", "calendar"
    account: str

    def error(self, cause: Cause, permission: Permission) -> GoogleApiError:
        """Why it was not done.

        Args:
            cause: what came of it.
            permission: what it needs.
        """
        if isinstance(cause, UnheardError):
            return GoogleApiError(self._unheard(cause), Remedy.TRY_AGAIN)
        words, remedy = self._refused(cause, permission)
        return GoogleApiError(words, remedy, status=cause.status, reason=cause.reason)

    def lost(self, cause: Cause) -> LostReplyError:
        """That nobody knows whether it was done."""
        return LostReplyError(
            f"{self._title} did not say whether it was done ({self.account}).",
            status=cause.status if isinstance(cause, RefusedError) else 0,
        )

    @property
    def _title(self) -> str:
        return _TITLES.get(self.api, self.api)

    def _unheard(self, cause: UnheardError) -> str:
        title, account = self._title, self.account
        return {
            "network": f"{title} cannot be reached for {account}. Check the network and try again.",
            "insecure": f"The connection to {title} for {account} is not secure: its certificate "
            "cannot be trusted. Check the network, and the clock of this computer.",
            "silent": f"{title} did not answer for {account} in time. Try again.",
            "broken": f"The connection to {title} for {account} broke off. Try again.",
        }[cause.obstacle]

    def _refused(  # noqa: PLR0911 — one for each reason
        self, cause: RefusedError, permission: Permission
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

    def _not_switched_on(self, cause: RefusedError) -> str:
        link = _CONSOLE.search(cause.answer.content.decode("utf-8", "replace"))
        return (
            f"The {self._title} API is not switched on in the Google project of your client. "
            f"Switch it on at {link[0] if link else _LIBRARY}, wait a minute and try again."
        )

    def _said(self, cause: RefusedError) -> str:
        words = cause.message.strip()
        short = words if len(words) <= _LONGEST else f"{words[:_LONGEST].rstrip()}…"
        return f" Google says: “{in_markdown(short)}”" if short else ""
