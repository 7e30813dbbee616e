"""Google API: the calls of one account to one API, with retries and batch reads."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tools.accounts.google.api_connection import ApiConnection
from tools.accounts.google.api_response import (
    ApiErrorMessages,
    ApiRefusedError,
    ApiResponse,
    CallFailure,
    GoogleApiError,
    NoResponseError,
    OutcomeUnknownError,
)
from tools.accounts.google.batch_reads import BatchReader
from tools.accounts.google.permissions import Permission
from tools.retry import RetryPolicy

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession
    from googleapiclient.http import HttpRequest

    from tools.accounts.google.account import GoogleAccount

__all__ = ["ApiResponse", "GoogleApi", "GoogleApiError", "OutcomeUnknownError"]

_RETRY_POLICY = RetryPolicy()


class GoogleApi:
    """One API for one account. Blocking work runs in threads of its own.

    Every method raises `GoogleAccountError` when the account is signed out or does not allow it.
    """

    def __init__(
        self,
        account: "GoogleAccount",
        name: str,
        version: str,
        endpoint: str,
        patience: RetryPolicy = _RETRY_POLICY,
        silence: float = 30,
    ) -> None:
        """Nothing is loaded or asked yet.

        Args:
            account: whose it is.
            name: what Google calls the API ("gmail").
            version: "v1".
            endpoint: the root of its addresses, as Google's client takes it.
            patience: how often a busy server is asked.
            silence: seconds after which an answer is given up.
        """
        self.account = account
        self._failures = ApiErrorMessages(name, account.name)
        self._wire = ApiConnection(account, name, version, endpoint, patience, silence)
        self._reads = BatchReader(self._wire)

    async def call(
        self,
        permission: Permission,
        make: Callable[[Any], "HttpRequest"],
        *,
        repeat: bool = True,
    ) -> Any:
        """One call; gives the JSON of the answer.

        Args:
            permission: what the account's owner must have allowed.
            make: makes the request from the API's resource; runs in a thread.
            repeat: whether it can be done twice without harm. If not, it is never asked again
                once it may have been done.

        Raises:
            GoogleApiError: it was not done.
            LostReplyError: it may have been done (only with `repeat=False`).
        """
        client, tried = await self._wire.client(), 0

        def ask(session: "AuthorizedSession") -> Any:
            request = make(client.resource)
            request.uri = self._wire.here(request.uri)
            try:
                found = request.execute(http=client.http(session))
            except ValueError:  # not even text
                raise NoResponseError("broken", may_have_acted=True) from None
            if isinstance(found, str) and found:  # the client gives broken JSON as it is
                raise NoResponseError("broken", may_have_acted=True)
            return found

        while True:
            try:
                return await self._wire.asked(permission, ask)
            except (ApiRefusedError, NoResponseError) as error:
                cause: CallFailure = error
            if cause.may_have_acted and not repeat:
                raise self._failures.lost(cause)
            tried += 1
            if not await self._wire.waited(tried, [cause]):
                raise self._failures.error(cause, permission)

    async def each(
        self, permission: Permission, paths: Sequence[str]
    ) -> list[ApiResponse | GoogleApiError]:
        """Many reads at once, in batches; what became of each, in the order of the paths.

        The answers are JSON that was read already.

        Args:
            permission: what the account's owner must have allowed.
            paths: what is read, from the root of the server ("/gmail/v1/users/me/profile").
        """
        outcomes = await self._reads.outcomes(permission, paths)
        return [
            each if isinstance(each, ApiResponse) else self._failures.error(each, permission)
            for each in outcomes
        ]

    async def close(self) -> None:
        """End its threads; what they are asking is still heard out."""
        await self._wire.close()
