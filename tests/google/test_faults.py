"""Faults of the loopback Google happen as real ones do, and only where injected."""

from typing import Any

import pytest
import requests
from googleapiclient.discovery import build
from httplib2 import Response  # type: ignore[import-untyped]

from tests.google.faults import BROKEN, CLOSED, HANGING, LOST_REPLY, Fault, refusing, slow
from tests.google.google import Google
from tests.google.letters import letter, raw
from tests.google.raw_client import RawClient

GET = b"--xy\r\nContent-Type: application/http\r\nContent-ID: <%d>\r\n\r\nGET %b HTTP/1.1\r\n\r\n"
PROFILE = b"/gmail/v1/users/me/profile"


def batch(*paths: bytes) -> tuple[bytes, dict[str, str]]:
    body = b"".join(GET % pair for pair in enumerate(paths)) + b"--xy--"
    return body, {"content-type": "multipart/mixed; boundary=xy"}


@pytest.mark.parametrize(
    ("status", "reason", "words"),
    [
        (403, "accessNotConfigured", "console.developers.google.com/apis/api/gmail"),
        (403, "rateLimitExceeded", "Rate Limit Exceeded"),
        (404, "notFound", "not found"),
        (429, "rateLimitExceeded", "Rate Limit Exceeded"),
        (503, "backendError", "Backend Error"),
    ],
)
def test_a_refusal_is_said_as_google_says_it_and_only_once(
    google: Google, anna: RawClient, status: int, reason: str, words: str
) -> None:
    google.fail("GET messages", refusing(status, reason, retry_after="7"))
    assert anna.mail("GET", "profile").status_code == 200
    answer = anna.mail("GET", "messages")
    said = answer.json()["error"]
    assert (answer.status_code, said["code"]) == (status, status)
    assert said["errors"][0]["reason"] == reason
    assert words in said["message"]
    assert answer.headers["retry-after"] == "7"
    assert anna.mail("GET", "messages").status_code == 200


def test_a_lost_reply_means_that_it_was_done(google: Google, anna: RawClient) -> None:
    google.fail("messages/send", LOST_REPLY)
    with pytest.raises(requests.ConnectionError):
        anna.mail("POST", "messages/send", json={"raw": raw(letter("Offer"))})
    assert len(google.sent) == 1


@pytest.mark.parametrize("fault", [CLOSED, HANGING])
def test_a_connection_that_ends_or_hangs_before_means_that_it_was_not(
    google: Google, anna: RawClient, fault: Fault
) -> None:
    google.fail("messages/send", fault)
    url = f"{google.url}/gmail/v1/users/me/messages/send"
    with pytest.raises((requests.ConnectionError, requests.Timeout)):
        anna.session.post(url, json={"raw": raw(letter("Offer"))}, timeout=0.2)
    assert google.sent == []


def test_a_broken_answer_is_no_json(google: Google, anna: RawClient) -> None:
    google.fail("profile", BROKEN)
    with pytest.raises(requests.JSONDecodeError):
        anna.mail("GET", "profile").json()


def test_a_slow_response_delays_no_other_request(google: Google, anna: RawClient) -> None:
    google.fail("profile", slow(30))
    with pytest.raises(requests.Timeout):
        anna.session.get(f"{google.url}/gmail/v1/users/me/profile", timeout=0.1)
    assert anna.mail("GET", "profile").status_code == 200


def test_a_batch_is_answered_part_by_part(google: Google, anna: RawClient) -> None:
    google.add_mail(letter("Offer"))
    service = build("gmail", "v1", http=_Bare(anna), static_discovery=True)
    answers: dict[str, Any] = {}
    asking = service.new_batch_http_request(lambda name, *both: answers.update({name: both}))
    asking._batch_uri = f"{google.url}/batch/gmail/v1"
    ids = [*google.messages, "1900000000000000"]
    for id in ids:
        asking.add(
            service.users().messages().get(userId="me", id=id, format="minimal"), request_id=id
        )
    google.fail("profile", refusing(429, "rateLimitExceeded"))
    asking.add(service.users().getProfile(userId="me"), request_id="profile")
    asking.execute()
    message, error = answers[ids[0]]
    assert (message["id"], error) == (ids[0], None)
    assert answers[ids[1]][1].status_code == 404
    assert answers["profile"][1].status_code == 429
    (request,) = google.requests
    assert [each.path.rpartition("/")[2] for each in request.parts] == [*ids, "profile"]


def test_a_batch_holds_at_most_a_hundred(google: Google, anna: RawClient) -> None:
    for count, status in ((100, 200), (101, 400), (0, 400)):
        body, headers = batch(*(count * [PROFILE]))
        answer = anna.ask("POST", "/batch", data=body, headers=headers)
        assert answer.status_code == status
    assert [len(each.parts) for each in google.requests] == [100, 0, 0]


def test_each_part_of_a_batch_needs_a_token(google: Google, anna: RawClient) -> None:
    body, headers = batch(PROFILE)
    answer = anna.ask("POST", "/batch", data=body, headers=headers | {"authorization": "Bearer no"})
    assert answer.status_code == 200
    assert b"HTTP/1.1 401 Unauthorized" in answer.content
    assert google.requests[0].parts[0].headers["content-id"] == "<0>"


def test_batches_can_be_refused_for_good(google: Google, anna: RawClient) -> None:
    google.refuse_batch()
    body, headers = batch(PROFILE)
    for _ in range(2):
        assert anna.ask("POST", "/batch", data=body, headers=headers).status_code == 404
    google.mend()
    assert anna.ask("POST", "/batch", data=body, headers=headers).status_code == 200


def test_connections_are_kept(google: Google, anna: RawClient) -> None:
    for _ in range(3):
        assert anna.mail("GET", "profile").status_code == 200
    assert google.connections == 1


class _Bare:
    """The `http` argument of Google's client, over a raw client's connections."""

    def __init__(self, raw_client: RawClient) -> None:
        self._client = raw_client
        self.redirect_codes: frozenset[int] = frozenset()

    def request(
        self, uri: str, method: str = "GET", body: bytes | None = None, **more: dict[str, str]
    ) -> tuple[object, bytes]:
        answer = self._client.session.request(
            method, uri, data=body, headers=more.get("headers"), timeout=10
        )
        head = {name.lower(): value for name, value in answer.headers.items()}
        return Response(head | {"status": str(answer.status_code)}), answer.content

    def close(self) -> None:
        """Nothing of its own."""
