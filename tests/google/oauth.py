"""Authorizations: the grants of users to clients, and their tokens."""

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.google.message import Answered, json_answer
from tests.google.refusal import RefusalError

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass
class Allowed:
    """The grant of one user to the client; `access` holds the expiry of each access token."""

    address: str
    scopes: set[str] = field(default_factory=set)
    refresh_token: str = ""
    access: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Code:
    """An answer of the consent page, on its way to become tokens."""

    allowed: Allowed
    redirect_uri: str
    challenge: str
    refreshable: bool


class TokenRefusalError(Exception):
    """Why no token is given, by OAuth's name for it."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(error)
        self.answer = json_answer({"error": error, "error_description": description}, status=status)


class Authorizations:
    """Every permission given here; `lifetime` is that of access tokens, in seconds."""

    def __init__(self, client_id: str, client_secret: str, people: Sequence[str]) -> None:
        self.client_id = client_id
        self.client_secret = client_secret
        self.people = people
        self.lifetime = 3599
        self._allowed: list[Allowed] = []
        self._codes: dict[str, Code] = {}

    def check(self, request: Mapping[str, str]) -> str:
        """Why a consent page is not shown, "" where it is."""
        if request.get("client_id") != self.client_id:
            return "invalid_client: The OAuth client was not found."
        if request.get("response_type") != "code":
            return "unsupported_response_type"
        if urlsplit(request.get("redirect_uri", "")).hostname not in _LOOPBACK:
            return "redirect_uri_mismatch"
        if not request.get("scope"):
            return "invalid_request: Missing required parameter: scope"
        if request.get("code_challenge") and request.get("code_challenge_method") != "S256":
            return "invalid_request: only S256 is taken"
        return ""

    def decide(self, form: Mapping[str, str], scopes: Sequence[str]) -> str:
        """Where the browser goes after the page was answered; the scopes are those ticked."""
        answer = {"state": form["state"]} if form.get("state") else {}
        if form.get("decision") == "deny" or not scopes:
            answer["error"] = "access_denied"
        else:
            answer["code"] = self._code(form, scopes)
            answer["scope"] = " ".join(scopes)
        joint = "&" if urlsplit(form["redirect_uri"]).query else "?"
        return f"{form['redirect_uri']}{joint}{urlencode(answer)}"

    def _code(self, form: Mapping[str, str], scopes: Sequence[str]) -> str:
        before = self.scopes(form["email"])
        together = form.get("include_granted_scopes") == "true"
        allowed = Allowed(form["email"], set(scopes) | (before if together else set()))
        code = f"4/0A{secrets.token_urlsafe(40)}"
        self._codes[code] = Code(
            allowed,
            form["redirect_uri"],
            form.get("code_challenge", ""),
            form.get("access_type") == "offline"
            and (not before or "consent" in form.get("prompt", "")),
        )
        return code

    def token(self, form: Mapping[str, str]) -> Answered:
        """Tokens, for a code or for a refresh token."""
        try:
            self._check_client(form)
            return json_answer(self._tokens(form))
        except TokenRefusalError as error:
            return error.answer

    def _tokens(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        match form.get("grant_type"):
            case "authorization_code":
                return self._exchange(form)
            case "refresh_token":
                return self._refresh(form.get("refresh_token", ""))
            case other:
                raise TokenRefusalError("unsupported_grant_type", f"Invalid grant_type: {other}")

    def _check_client(self, form: Mapping[str, str]) -> None:
        if form.get("client_id") != self.client_id:
            raise TokenRefusalError("invalid_client", "The OAuth client was not found.", 401)
        if form.get("client_secret", "") not in {"", self.client_secret}:
            raise TokenRefusalError("invalid_client", "Unauthorized", 401)

    def _exchange(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        code = self._codes.pop(form.get("code", ""), None)
        if code is None:
            raise TokenRefusalError("invalid_grant", "Malformed auth code.")
        if form.get("redirect_uri") != code.redirect_uri:
            raise TokenRefusalError("redirect_uri_mismatch", "Bad Request")
        _check_verifier(code.challenge, form.get("code_verifier", ""))
        self._allowed.append(code.allowed)
        if not code.refreshable:
            return self._access(code.allowed)
        code.allowed.refresh_token = _refresh_token()
        return self._access(code.allowed) | {"refresh_token": code.allowed.refresh_token}

    def _refresh(self, refresh_token: str) -> Mapping[str, Any]:
        for allowed in self._allowed:
            if refresh_token and allowed.refresh_token == refresh_token:
                return self._access(allowed)
        raise TokenRefusalError("invalid_grant", "Token has been expired or revoked.")

    def _access(self, allowed: Allowed) -> dict[str, Any]:
        token = f"ya29.{secrets.token_urlsafe(60)}"
        allowed.access[token] = time.time() + self.lifetime
        return {
            "access_token": token,
            "expires_in": self.lifetime,
            "scope": " ".join(sorted(allowed.scopes)),
            "token_type": "Bearer",
        }

    def grant(self, address: str, scopes: Sequence[str]) -> Mapping[str, Any]:
        """Tokens without a page, as if all of it had been walked through."""
        allowed = Allowed(address, set(scopes), _refresh_token())
        self._allowed.append(allowed)
        return self._access(allowed) | {"refresh_token": allowed.refresh_token}

    def revoke(self, token: str) -> Answered:
        """Forget all that the person of a token, of either kind, allowed."""
        for allowed in self._allowed:
            if token and (token == allowed.refresh_token or token in allowed.access):
                self._allowed = [each for each in self._allowed if each.address != allowed.address]
                return json_answer({})
        said = {"error": "invalid_token", "error_description": "Token expired or revoked"}
        return json_answer(said, status=400)

    def expire(self) -> None:
        """Let every access token have ended."""
        for allowed in self._allowed:
            allowed.access = dict.fromkeys(allowed.access, 0.0)

    def revoke_all(self) -> None:
        """Revoke all grants, as users do in their account."""
        self._allowed.clear()

    def scopes(self, address: str) -> set[str]:
        """All that a person allows now."""
        mine = [each.scopes for each in self._allowed if each.address == address]
        return set[str]().union(*mine)

    def bearer(self, header: str) -> Allowed:
        """Return the owner of a token.

        Raises:
            RefusalError: the token is unknown or has expired.
        """
        token = header.removeprefix("Bearer ")
        for allowed in self._allowed:
            if allowed.access.get(token, 0.0) > time.time():
                return allowed
        challenge = 'Bearer realm="https://accounts.google.com/", error="invalid_token"'
        raise RefusalError(
            401,
            "authError",
            location=("header", "Authorization"),
            headers={"www-authenticate": challenge},
        )


def _check_verifier(challenge: str, verifier: str) -> None:
    if not challenge:
        return
    if not verifier:
        raise TokenRefusalError("invalid_grant", "Missing code verifier.")
    digest = hashlib.sha256(verifier.encode()).digest()
    if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != challenge:
        raise TokenRefusalError("invalid_grant", "Invalid code verifier.")


def _refresh_token() -> str:
    return f"1//0{secrets.token_urlsafe(70)}"
