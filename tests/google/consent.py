"""The consent page: asks a user whether to grant a client's request."""

from collections.abc import Mapping, Sequence
from html import escape

from tests.google.message import Answered

ACTION = "/o/oauth2/v2/auth/callback"
SCOPE = "allowed_scope"
_KEPT = (
    "client_id",
    "redirect_uri",
    "state",
    "code_challenge",
    "access_type",
    "prompt",
    "include_granted_scopes",
    "login_hint",
)


def consent_page(request: Mapping[str, str], people: Sequence[str]) -> Answered:
    """A form for each person; every wished scope is ticked, and can be unticked."""
    forms = "".join(_form(request, person) for person in people)
    return _page(f"<h1>Deskhand wants to access your Google Account</h1>{forms}")


def error_page(words: str) -> Answered:
    """Return the page for an invalid request; the browser is not redirected."""
    return _page(f"<h1>Access blocked</h1><p>Error 400: {escape(words)}</p>", status=400)


def _page(body: str, *, status: int = 200) -> Answered:
    page = f"<!doctype html><meta charset=utf-8><title>Sign in</title>{body}"
    return Answered(status, page.encode(), "text/html; charset=utf-8")


def _form(request: Mapping[str, str], person: str) -> str:
    kept = {name: request[name] for name in _KEPT if name in request} | {"email": person}
    hidden = "".join(_input("hidden", name, value) for name, value in kept.items())
    ticks = "".join(_input("checkbox", SCOPE, each, " checked") for each in _scopes(request))
    return (
        f'<form method="post" action="{ACTION}"><p>{escape(person)}</p>{hidden}{ticks}'
        '<button name="decision" value="allow">Continue</button>'
        '<button name="decision" value="deny">Cancel</button></form>'
    )


def _input(kind: str, name: str, value: str, more: str = "") -> str:
    return f'<input type="{kind}" name="{name}" value="{escape(value)}"{more}>'


def _scopes(request: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(request.get("scope", "").split()))
