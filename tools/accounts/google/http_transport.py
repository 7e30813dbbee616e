"""HTTP transport: requests to Google over an account's kept-alive connections.

Google's API client is made for httplib2, which repeats a request by itself when its response is
lost and is not thread-safe. This transport sends a request once, follows no redirect, and is
thread-safe. The libraries are imported with the first request, not before the first paint.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tools.accounts.google.api_response import ApiRefusedError, ApiResponse, NoResponseError

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession
    from google.oauth2.credentials import Credentials
    from requests import PreparedRequest, RequestException, Response

CONNECT_TIMEOUT = 10  # seconds

_POOL_SIZE = 32
"""Connections to one host that stay open: more than are ever used at once."""


def open_session() -> "AuthorizedSession":
    """Return a session without a token that never retries; its imports are slow at first."""
    from google.auth.transport.requests import AuthorizedSession  # noqa: PLC0415 — loaded late
    from requests.adapters import HTTPAdapter  # noqa: PLC0415

    session = AuthorizedSession(
        access_token_credentials(""), refresh_status_codes=(), max_refresh_attempts=0
    )
    session.auth = without_auth
    adapter = HTTPAdapter(pool_connections=8, pool_maxsize=_POOL_SIZE, max_retries=0)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


def access_token_credentials(access_token: str) -> "Credentials":
    """Return credentials without a refresh token, which the library would use by itself."""
    from google.oauth2.credentials import Credentials  # noqa: PLC0415 — loaded late

    return Credentials(access_token)


def without_auth(request: "PreparedRequest") -> "PreparedRequest":
    """Return the request as it is; by default requests adds a password from the user's .netrc."""
    return request


class HttpTransport:
    """The `http` argument of `HttpRequest.execute`."""

    def __init__(self, session: "AuthorizedSession", read_timeout: float) -> None:
        """Use a session.

        Args:
            session: with the access token.
            read_timeout: seconds without a byte after which a response is given up.
        """
        self._session = session
        self._timeout = (CONNECT_TIMEOUT, read_timeout)

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        **_options: Any,
    ) -> tuple[ApiResponse, bytes]:
        """Send a request; return the response and its content, as Google's client expects.

        Raises:
            ApiRefusedError: the status is an error or a redirect.
            NoResponseError: no response came.
        """
        response = self._send(uri, method, body, headers)
        lower_case = {name.lower(): value for name, value in response.headers.items()}
        answer = ApiResponse(response.status_code, lower_case, response.content)
        if answer.status >= 300:
            raise ApiRefusedError(answer)
        return answer, answer.content

    def _send(
        self, uri: str, method: str, body: str | bytes | None, headers: Mapping[str, str] | None
    ) -> "Response":
        import requests  # noqa: PLC0415 — loaded late
        from google.auth.exceptions import GoogleAuthError, RefreshError  # noqa: PLC0415

        try:
            response: Response = self._session.request(
                method,
                uri,
                data=body,
                headers=headers,
                timeout=self._timeout,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            raise _no_response(error) from None
        except RefreshError:
            raise ApiRefusedError(ApiResponse(401, {}, b"")) from None
        except GoogleAuthError:
            raise NoResponseError("network", may_have_acted=False) from None
        return response


def _no_response(error: "RequestException") -> NoResponseError:
    """Classify a failed request by the cause that the connection gives."""
    import requests  # noqa: PLC0415 — loaded late
    from urllib3.exceptions import MaxRetryError, NewConnectionError  # noqa: PLC0415

    if isinstance(error, requests.exceptions.SSLError):
        return NoResponseError("insecure", may_have_acted=False)
    if isinstance(error, requests.ConnectTimeout | requests.exceptions.ProxyError):
        return NoResponseError("network", may_have_acted=False)
    if isinstance(error, requests.Timeout):
        return NoResponseError("silent", may_have_acted=True)
    cause = error.args[0] if error.args else None
    reason = cause.reason if isinstance(cause, MaxRetryError) else cause
    if isinstance(reason, NewConnectionError):
        return NoResponseError("network", may_have_acted=False)
    return NoResponseError("broken", may_have_acted=True)
