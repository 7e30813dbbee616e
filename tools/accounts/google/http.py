"""Http: Google's client on an account's own kept-alive connections; imported late.

Google's client is made for httplib2, which asks a second time by itself when a reply is lost and
is not to be used from several threads. This one asks once, follows no redirect, and is.
"""

from collections.abc import Mapping
from typing import Any

import requests
from google.auth.exceptions import GoogleAuthError, RefreshError
from google.auth.transport.requests import AuthorizedSession
from urllib3.exceptions import MaxRetryError, NewConnectionError

from tools.accounts.google.answers import Answer, RefusedError, UnheardError

CONNECTING = 10  # seconds


class Http:
    """What `HttpRequest.execute(http=…)` takes."""

    def __init__(self, session: AuthorizedSession, silence: float) -> None:
        """Over the session; an answer is given up after so many seconds of silence."""
        self._session = session
        self._timeout = (CONNECTING, silence)

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        **_options: Any,
    ) -> tuple[Answer, bytes]:
        """The answer, twice, as the client wants it; blocks.

        Raises:
            RefusedError: Google did not do it.
            UnheardError: no answer came.
        """
        answer = self._asked(uri, method, body, headers)
        if answer.status >= 300:
            raise RefusedError(answer)
        return answer, answer.content

    def _asked(
        self, uri: str, method: str, body: str | bytes | None, headers: Mapping[str, str] | None
    ) -> Answer:
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
            raise _unheard(error) from None
        except RefreshError:
            raise RefusedError(Answer(401, {}, b"")) from None
        except GoogleAuthError:
            raise UnheardError("network", may_have_acted=False) from None
        fields = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, fields, response.content)


def _unheard(error: requests.RequestException) -> UnheardError:
    """What kept the answer from being heard, by what the connection says of itself."""
    if isinstance(error, requests.exceptions.SSLError):
        return UnheardError("insecure", may_have_acted=False)
    if isinstance(error, requests.ConnectTimeout | requests.exceptions.ProxyError):
        return UnheardError("network", may_have_acted=False)
    if isinstance(error, requests.Timeout):
        return UnheardError("silent", may_have_acted=True)
    cause = error.args[0] if error.args else None
    reason = cause.reason if isinstance(cause, MaxRetryError) else cause
    if isinstance(reason, NewConnectionError):
        return UnheardError("network", may_have_acted=False)
    return UnheardError("broken", may_have_acted=True)
