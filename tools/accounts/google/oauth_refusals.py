"""OAuth refusals: Google's OAuth error codes as sentences with a remedy."""

import re

from tools.accounts.google.oauth_client import CLIENTS_URL
from tools.accounts.google.oauth_errors import TokenRefusedError
from tools.tool_errors import Remedy

AUDIENCE_URL = "https://console.cloud.google.com/auth/audience"
"""The page on which a person lists who may try an app, or publishes it."""

TEST_USER_HINT = (
    "If Google said “Access blocked”, the app is still in testing: add your address under"
    f" Audience > Test users ({AUDIENCE_URL}) and sign in again."
)

_NOT_ERROR_CODE = re.compile(r"[^a-z0-9_]")
_WORDS = {
    # on the way back from Google's page
    "access_denied": f"Google gave no access, as it was not allowed on its page. {TEST_USER_HINT}",
    "admin_policy_enforced": "Your organisation does not let this app into its Google accounts:"
    " ask its administrator to allow it, or sign in with another account.",
    "org_internal": "This app is only for the organisation it was made in: sign in with an account"
    f" of that, or make it “External” ({AUDIENCE_URL}).",
    "temporarily_unavailable": "Google cannot sign anybody in at the moment: try again in a few"
    " minutes.",
    "server_error": "Google could not finish the sign-in: try again in a few minutes.",
    # in answer to a code, or to a lasting token
    "invalid_client": "Google does not know this client ID together with this secret: compare both"
    f" with those at {CLIENTS_URL}.",
    "deleted_client": f"This client was deleted at Google: make a new one at {CLIENTS_URL}.",
    "unauthorized_client": "Google does not let this client sign in like this: use one of the type"
    f" “Desktop app” ({CLIENTS_URL}).",
    "invalid_grant": "Google does not take this sign-in any more, as it took too long or was used"
    " before: sign in again.",
    "redirect_uri_mismatch": "Google may not come back to this computer with this client: use one"
    " of the type “Desktop app”, or add the address in GOOGLE_REDIRECT_URI to its redirect URIs"
    f" ({CLIENTS_URL}).",
    "invalid_scope": "Google does not give this app what was asked for: add the scopes of Gmail and"
    " Calendar under Data access (https://console.cloud.google.com/auth/scopes).",
    "client_secret_missing": "Google wants the secret of this client as well: copy it from"
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


def oauth_error(reason: str) -> TokenRefusedError:
    """The error to raise for a reason.

    Args:
        reason: the OAuth error code as Google, or anybody who pretends to be, wrote it.
    """
    code = _NOT_ERROR_CODE.sub("", reason.lower())[:40]
    words = _WORDS.get(code, f"Google refused the sign-in ({code or 'without a reason'}).")
    return TokenRefusedError(words, _REMEDIES.get(code), reason=code)
