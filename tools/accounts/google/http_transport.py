"""HTTP transport: Google's API client over an account's kept-alive connections; imported late.

Google's client is made for httplib2, which repeats a request by itself when its response is lost
and
is not thread-safe. This transport sends a request once, follows no redirect, and is thread-safe.
"""

from collections.abc import Mapping
from typing import Any

import requests
from google.auth.exceptions import GoogleAuthError, RefreshError
from google.auth.transport.requests import AuthorizedSession
from urllib3.exceptions import MaxRetryError, NewConnectionError

from tools.accounts.google.api_response import ApiRefusedError, ApiResponse, NoResponseError

CONNECT_TIMEOUT = 10  # seconds


class HttpTransport:
    """What `HttpRequest.execute(http=…)` takes."""

    def __init__(self, session: AuthorizedSession, silence: float) -> None:
        """Over the session; an answer is given up after so many seconds of silence."""
        self._session = session
        self._timeout = (CONNECT_TIMEOUT, silence)

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        **_options: Any,
    ) -> tuple[ApiResponse, bytes]:
        """The answer, twice, as the client wants it; blocks.

        Raises:
            RefusedError: Google did not do it.
            UnheardError: no answer came.
        """
        answer = self._asked(uri, method, body, headers)
        if answer.status >= 300:
            raise ApiRefusedError(answer)
        return answer, answer.content

    def _asked(
        self, uri: str, method: str, body: str | bytes | None, headers: Mapping[str, str] | None
    ) -> ApiResponse:
        try:
            response = self._session.request(
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
        fields = {name.lower(): value for name, value in response.headers.items()}
        return ApiResponse(response.status_code, fields, response.content)


def _no_response(error: requests.RequestException) -> NoResponseError:
    """What kept the answer from being heard, by what the connection says of itself."""
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
