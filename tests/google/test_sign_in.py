"""Our own Google gives and takes back permissions as the real one does."""

import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.google.browser import browser
from tests.google.google import Google
from tests.google.raw_client import RawClient, consent_url, raw_client, redirect_listener, signed_in
from tests.google.server import google_server
from tools.accounts.google.permissions import Permission

READ = Permission.READ_MAIL.scope
WRITE = Permission.WRITE_MAIL.scope
CALENDAR = Permission.CALENDAR.scope


def test_a_declined_consent_redirects_with_the_state_and_no_code(google: Google) -> None:
    with redirect_listener() as (uri, brought), browser("deny") as opened:
        opened(consent_url(google, uri, [READ]))
        opened.wait()
    assert brought == [{"state": "a state", "error": "access_denied"}]


def test_an_unticked_scope_is_not_granted_and_is_refused_in_calls(google: Google) -> None:
    with redirect_listener() as (uri, brought), browser(unticked=[CALENDAR]) as opened:
        opened(consent_url(google, uri, [READ, CALENDAR]))
        opened.wait()
        assert brought[0]["scope"] == READ
        with raw_client(google, "") as asking:
            code = {"code": brought[0]["code"], "redirect_uri": uri}
            tokens = asking.token(grant_type="authorization_code", **code).json()
    assert tokens["scope"] == READ
    with raw_client(google, tokens["access_token"]) as anna:
        assert anna.mail("GET", "profile").status_code == 200
        refused = anna.events("GET")
    assert refused.status_code == 403
    assert refused.json()["error"]["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]


def test_earlier_grants_are_included_only_on_request(google: Google) -> None:
    signed_in(google, [READ])
    together = signed_in(google, [WRITE], include_granted_scopes="true")
    alone = signed_in(google, [WRITE])
    assert set(together["scope"].split()) == {READ, WRITE}
    assert alone["scope"] == WRITE


def test_a_lasting_token_comes_with_consent_or_the_first_time(google: Google) -> None:
    assert "refresh_token" in signed_in(google, [READ], prompt="")
    assert "refresh_token" not in signed_in(google, [READ], prompt="")
    assert "refresh_token" in signed_in(google, [READ], prompt="consent")
    assert "refresh_token" not in signed_in(google, [READ], access_type="online")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"client_id": "another"}, "invalid_client"),
        ({"redirect_uri": "https://evil.example/back"}, "redirect_uri_mismatch"),
        ({"code_challenge": "abc", "code_challenge_method": "plain"}, "S256"),
    ],
)
def test_an_invalid_consent_request_does_not_redirect(
    google: Google, asked: dict[str, str], words: str
) -> None:
    with browser() as opened:
        back = asked.pop("redirect_uri", "http://127.0.0.1:9/back")
        opened(consent_url(google, back, [READ], **asked))
    assert words in opened.shown[0]
    assert [each.method for each in google.requests] == ["GET"]


def test_a_wrong_secret_and_an_unknown_grant_are_refused(google: Google) -> None:
    with raw_client(google, "") as asking:
        wrong = asking.token(grant_type="refresh_token", client_secret="guessed")
        unknown = asking.token(grant_type="password")
    assert (wrong.status_code, wrong.json()["error"]) == (401, "invalid_client")
    assert (unknown.status_code, unknown.json()["error"]) == (400, "unsupported_grant_type")


def test_tokens_end_and_are_renewed_until_all_is_revoked(google: Google, anna: RawClient) -> None:
    refresh = google.grant(Permission).refresh_token
    google.expire_tokens()
    ended = anna.mail("GET", "profile")
    assert (ended.status_code, ended.json()["error"]["code"]) == (401, 401)
    renewed = anna.token(grant_type="refresh_token", refresh_token=refresh).json()
    with raw_client(google, renewed["access_token"]) as again:
        assert again.mail("GET", "profile").status_code == 200
        google.revoke_all()
        assert again.mail("GET", "profile").status_code == 401
    gone = anna.token(grant_type="refresh_token", refresh_token=refresh)
    assert gone.json()["error"] == "invalid_grant"


def test_a_revoked_token_ends_all_that_its_person_allowed(google: Google) -> None:
    one, other = google.grant([Permission.READ_MAIL]), google.grant(Permission)
    with raw_client(google, other.access_token) as anna:
        revoke = google.endpoints.revoke
        assert anna.session.post(f"{revoke}?token={one.refresh_token}").status_code == 200
        assert anna.mail("GET", "profile").status_code == 401
        again = anna.session.post(revoke, data={"token": one.refresh_token})
    assert (again.status_code, again.json()["error"]) == (400, "invalid_token")


def test_each_of_two_people_sees_their_own_mail() -> None:
    with google_server("anna@example.com", "ben@example.com") as two:
        with redirect_listener() as (uri, brought), browser(address="ben@example.com") as opened:
            opened(consent_url(two, uri, [READ]))
            opened.wait()
            query = parse_qs(urlsplit(opened.opened[0]).query)
            with raw_client(two, "") as asking:
                code = {"code": brought[0]["code"], "redirect_uri": query["redirect_uri"][0]}
                token = asking.token(grant_type="authorization_code", **code).json()
        with raw_client(two, token["access_token"]) as ben:
            assert ben.mail("GET", "profile").json()["emailAddress"] == "ben@example.com"
            other = ben.ask("GET", "/gmail/v1/users/anna@example.com/profile")
            assert other.status_code == 403


def test_a_program_may_name_the_browser_that_consents_for_whom_it_was_asked() -> None:
    with google_server("anna@example.com", "ben@example.com") as two:
        for hint, chosen in (("", "anna@example.com"), ("ben@example.com", "ben@example.com")):
            with redirect_listener() as (uri, brought):
                url = consent_url(two, uri, [READ], login_hint=hint)
                subprocess.run([sys.executable, "-m", "tests.google.browser", url], check=True)
            with raw_client(two, "") as asking:
                code = {"code": brought[0]["code"], "redirect_uri": uri}
                asking.token(grant_type="authorization_code", **code)
            assert two.oauth.scopes(chosen) == {READ}
