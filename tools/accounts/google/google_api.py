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
)
from tools.accounts.google.batch_reads import BatchReader
from tools.accounts.google.permissions import Permission
from tools.retry import RetryPolicy

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession
    from googleapiclient.http import HttpRequest

    from tools.accounts.google.account import GoogleAccount

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
        retry_policy: RetryPolicy = _RETRY_POLICY,
        read_timeout: float = 30,
    ) -> None:
        """Load and send nothing yet.

        Args:
            account: the account.
            name: Google's name for the API ("gmail").
            version: "v1".
            endpoint: the root of its URLs, in the form of Google's client.
            retry_policy: for transient failures.
            read_timeout: seconds without a byte after which a response is given up.
        """
        self.account = account
        self._errors = ApiErrorMessages(name, account.name)
        self._connection = ApiConnection(
            account, name, version, endpoint, retry_policy, read_timeout
        )
        self._reader = BatchReader(self._connection)

    async def call(
        self,
        permission: Permission,
        make: Callable[[Any], "HttpRequest"],
        *,
        idempotent: bool = True,
    ) -> Any:
        """Call a method; return the JSON of the response.

        Args:
            permission: the permission that the call needs.
            make: makes the request from the API's resource; runs in a thread.
            idempotent: whether the call can be repeated without harm. If not, it is never
                repeated once it may have been carried out.

        Raises:
            GoogleApiError: the call failed.
            OutcomeUnknownError: it may have been carried out (only if not `idempotent`).
        """
        client, attempts = await self._connection.client(), 0

        def send(session: "AuthorizedSession") -> Any:
            request = make(client.resource)
            request.uri = self._connection.url(request.uri)
            return _execute(request, self._connection.http(session))

        while True:
            try:
                return await self._connection.request(permission, send)
            except (ApiRefusedError, NoResponseError) as error:
                failure: CallFailure = error
            if failure.may_have_acted and not idempotent:
                raise self._errors.outcome_unknown(failure)
            attempts += 1
            if not await self._connection.retry_policy.wait(attempts, failure):
                raise self._errors.error(failure, permission)

    async def read_all(
        self, permission: Permission, paths: Sequence[str]
    ) -> list[ApiResponse | GoogleApiError]:
        """Read many paths in batches; return a response or an error for each, in their order.

        The responses are valid JSON.

        Args:
            permission: the permission that the reads need.
            paths: from the root of the server ("/gmail/v1/users/me/profile").
        """
        outcomes = await self._reader.read_all(permission, paths)
        return [
            each if isinstance(each, ApiResponse) else self._errors.error(each, permission)
            for each in outcomes
        ]

    async def close(self) -> None:
        """End the threads, after the requests that they are sending."""
        await self._connection.close()


def _execute(request: "HttpRequest", http: Any) -> Any:
    try:
        content = request.execute(http=http)
    except ValueError:  # not even text
        raise NoResponseError("broken", may_have_acted=True) from None
    if isinstance(content, str) and content:  # the client returns malformed JSON as it is
        raise NoResponseError("broken", may_have_acted=True)
    return content
