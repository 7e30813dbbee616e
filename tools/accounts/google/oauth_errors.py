"""OAuth errors: the exceptions of a Google account, and Google's error codes in words."""

import re
from collections.abc import Mapping
from datetime import datetime

from tools.retry import RequestFailure, retry_after_seconds
from tools.tool_errors import Remedy, ToolError

CLIENTS_URL = "https://console.cloud.google.com/auth/clients"
"""The page to create OAuth clients on, and to look up their IDs and secrets."""

AUDIENCE_URL = "https://console.cloud.google.com/auth/audience"
"""The page to list the test users of an app on, or to publish it."""

TEST_USER_HINT = (
    "If Google said “Access blocked”, the app is still in testing: add your address under"
    f" Audience > Test users ({AUDIENCE_URL}) and sign in again."
)

_NOT_ERROR_CODE = re.compile(r"[^a-z0-9_]")
_WORDS = {
    # in the redirect from Google's page
    "access_denied": f"Google gave no access, as it was not allowed on its page. {TEST_USER_HINT}",
    "admin_policy_enforced": "Your organisation does not let this app into its Google accounts:"
    " ask its administrator to allow it, or sign in with another account.",
    "org_internal": "This app is only for the organisation it was made in: sign in with an account"
    f" of that, or make it “External” ({AUDIENCE_URL}).",
    "temporarily_unavailable": "Google's sign-in is not available at the moment: try again in a"
    " few minutes.",
    "server_error": "Google could not finish the sign-in: try again in a few minutes.",
    # from the token endpoint
    "invalid_client": "Google does not know this client ID together with this secret: compare both"
    f" with those at {CLIENTS_URL}.",
    "deleted_client": f"This client was deleted at Google: create a new one at {CLIENTS_URL}.",
    "unauthorized_client": "Google does not let this client sign in like this: use one of the type"
    f" “Desktop app” ({CLIENTS_URL}).",
    "invalid_grant": "Google does not accept this sign-in any more, as it took too long or was"
    " used before: sign in again.",
    "redirect_uri_mismatch": "Google may not redirect to this computer with this client: use one"
    " of the type “Desktop app”, or add the address in GOOGLE_REDIRECT_URI to its redirect URIs"
    f" ({CLIENTS_URL}).",
    "invalid_scope": "Google does not give this app what was asked for: add the scopes of Gmail and"
    " Calendar under Data access (https://console.cloud.google.com/auth/scopes).",
    "client_secret_missing": "Google needs the secret of this client as well: copy it from"
    f" {CLIENTS_URL}.",
}
_REMEDIES = {
    "temporarily_unavailable": Remedy.TRY_AGAIN,
    "server_error": Remedy.TRY_AGAIN,
    "invalid_client": Remedy.CONNECT_ACCOUNT,
    "deleted_client": Remedy.CONNECT_ACCOUNT,
    "client_secret_missing": Remedy.CONNECT_ACCOUNT,
    "invalid_grant": Remedy.SIGN_IN,
}


class GoogleAccountError(ToolError):
    """An error of signing in to Google, or of a connected account."""


class TokenRefusedError(GoogleAccountError):
    """Google refused a token; `reason` is its OAuth error code, such as `invalid_grant`."""

    def __init__(self, words: str, remedy: Remedy | None = None, *, reason: str) -> None:
        super().__init__(words, remedy)
        self.reason = reason


class TokenUnavailableError(RequestFailure, GoogleAccountError):
    """The token endpoint could not be reached, or answered without a token.

    `headers` are those of a response that said it is busy.
    """

    def __init__(self, words: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words, Remedy.TRY_AGAIN)
        self._headers = headers

    @property
    def is_transient(self) -> bool:
        """Whether the endpoint said that it is busy."""
        return self._headers is not None

    def retry_after(self, now: datetime) -> float | None:
        """Return the seconds that Google asked to wait, None where it did not."""
        return retry_after_seconds(self._headers or {}, now)


def oauth_error(reason: str) -> TokenRefusedError:
    """Return the exception for an OAuth error code.

    Args:
        reason: the code, which may come from an untrusted page.
    """
    code = _NOT_ERROR_CODE.sub("", reason.lower())[:40]
    words = _WORDS.get(code, f"Google refused the sign-in ({code or 'without a reason'}).")
    return TokenRefusedError(words, _REMEDIES.get(code), reason=code)
