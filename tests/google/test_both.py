"""Our own Google and the emulator by others answer alike, wherever both do a thing."""

from tests.google.browser import browser
from tests.google.letters import letter, raw
from tests.google.raw_client import (
    GoogleServer,
    RawClient,
    consent_url,
    pkce_pair,
    raw_client,
    redirect_listener,
    signed_in,
)
from tools.accounts.google.permissions import Permission, scopes_of

READ = Permission.READ_MAIL.scope


def test_signing_in_gives_tokens_that_can_be_refreshed_and_revoked(place: GoogleServer) -> None:
    tokens = signed_in(place, scopes_of(Permission))
    assert set(tokens["scope"].split()) == set(scopes_of(Permission))
    refresh = tokens["refresh_token"]
    with raw_client(place, tokens["access_token"]) as anna:
        assert anna.mail("GET", "messages").json()["resultSizeEstimate"] == 0
        renewed = anna.token(grant_type="refresh_token", refresh_token=refresh)
        assert renewed.json()["access_token"] != tokens["access_token"]
        revoked = anna.session.post(place.endpoints.revoke, data={"token": refresh}, timeout=10)
        assert revoked.status_code == 200
        again = anna.token(grant_type="refresh_token", refresh_token=refresh)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


def test_a_code_is_worth_nothing_without_its_verifier_and_only_once(place: GoogleServer) -> None:
    verifier, challenge = pkce_pair()
    pkce = {"code_challenge": challenge, "code_challenge_method": "S256"}
    with redirect_listener() as (uri, brought), raw_client(place, "") as asking:
        with browser(address=place.address) as opened:
            opened(consent_url(place, uri, [READ], **pkce))
            opened.wait()
            opened(consent_url(place, uri, [READ], **pkce))
        assert [each["state"] for each in brought] == ["a state", "a state"]
        wrong, right = (
            {"grant_type": "authorization_code", "code": each["code"], "redirect_uri": uri}
            for each in brought
        )
        refused = asking.token(**wrong, code_verifier="another")
        taken = asking.token(**right, code_verifier=verifier)
        again = asking.token(**right, code_verifier=verifier)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    assert taken.status_code == 200
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


def test_a_message_is_listed_searched_and_read_in_every_format(guest: RawClient) -> None:
    put = guest.insert(bytes(letter("Harbour fees")), "INBOX", "UNREAD")
    guest.insert(bytes(letter("Something else")), "INBOX")
    assert guest.found("subject:harbour") == [put["id"]]
    assert guest.found("from:ravi is:unread") == [put["id"]]
    shapes = {}
    for kind in ("minimal", "metadata", "full", "raw"):
        answer = guest.mail("GET", f"messages/{put['id']}", params={"format": kind}).json()
        shapes[kind] = set(answer)
        assert answer["snippet"].startswith("Grüße aus Kochi.")
        assert set(answer["labelIds"]) == {"INBOX", "UNREAD"}
        assert answer["internalDate"] == "1795161600000"
    common = {"historyId", "id", "internalDate", "labelIds", "sizeEstimate", "snippet", "threadId"}
    assert shapes["minimal"] == common
    assert shapes["metadata"] == shapes["full"] == common | {"payload"}
    assert shapes["raw"] == common | {"raw"}


def test_a_message_with_a_file_has_the_same_parts(guest: RawClient) -> None:
    message = letter("With a file")
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="bill.pdf")
    put = guest.insert(bytes(message), "INBOX")
    payload = guest.mail("GET", f"messages/{put['id']}").json()["payload"]
    assert payload["mimeType"] == "multipart/mixed"
    words, file = payload["parts"]
    assert (words["mimeType"], words["filename"]) == ("text/plain", "")
    assert (file["filename"], file["body"]["size"]) == ("bill.pdf", 8)
    path = f"messages/{put['id']}/attachments/{file['body']['attachmentId']}"
    given = guest.mail("GET", path).json()
    assert given["data"].rstrip("=") == "JVBERi0xLjc"


def test_a_missing_message_and_a_missing_token_are_refused_alike(guest: RawClient) -> None:
    missing = guest.mail("GET", "messages/1234567890abcdef")
    assert missing.status_code == 404
    assert missing.json()["error"]["errors"][0]["reason"] == "notFound"
    assert missing.json()["error"]["status"] == "NOT_FOUND"
    nobody = guest.mail("GET", "messages", headers={"authorization": ""})
    assert nobody.status_code == 401
    assert nobody.json()["error"]["errors"][0]["reason"] == "authError"
    assert nobody.json()["error"]["status"] == "UNAUTHENTICATED"


def test_labels_are_made_put_on_and_taken_off(guest: RawClient) -> None:
    put = guest.insert(bytes(letter("Harbour fees")), "INBOX", "UNREAD")
    made = guest.mail("POST", "labels", json={"name": "Harbour/Fees"}).json()
    changed = guest.mail(
        "POST",
        f"messages/{put['id']}/modify",
        json={"addLabelIds": [made["id"]], "removeLabelIds": ["INBOX", "UNREAD"]},
    ).json()
    assert changed["labelIds"] == [made["id"]]
    assert guest.found("label:Harbour/Fees") == [put["id"]]
    trashed = guest.mail("POST", f"messages/{put['id']}/trash").json()
    assert "TRASH" in trashed["labelIds"]
    assert guest.found("") == []
    assert guest.found("in:trash", includeSpamTrash="true") == [put["id"]]
    ids = {"ids": [put["id"]], "addLabelIds": ["STARRED"]}
    assert guest.mail("POST", "messages/batchModify", json=ids).ok
    again = guest.mail("POST", "labels", json={"name": "Harbour/Fees"})
    assert again.status_code in {400, 409}


def test_history_lists_changes_since_an_id(guest: RawClient) -> None:
    first = guest.insert(bytes(letter("First")), "INBOX")
    since = guest.mail("GET", f"messages/{first['id']}").json()["historyId"]
    second = guest.insert(bytes(letter("Second")), "INBOX", "UNREAD")
    guest.mail("POST", f"messages/{second['id']}/modify", json={"removeLabelIds": ["UNREAD"]})
    told = guest.mail("GET", "history", params={"startHistoryId": since}).json()
    added = [each for change in told["history"] for each in change.get("messagesAdded", ())]
    removed = [each for change in told["history"] for each in change.get("labelsRemoved", ())]
    assert [each["message"]["id"] for each in added] == [second["id"]]
    assert [each["labelIds"] for each in removed] == [["UNREAD"]]
    assert int(told["historyId"]) > int(since)


def test_a_draft_that_is_sent_is_gone_and_its_message_is_in_sent(guest: RawClient) -> None:
    offer = {"raw": raw(letter("Offer", to="ravi@example.org"))}
    draft = guest.mail("POST", "drafts", json={"message": offer}).json()
    assert guest.found("in:drafts") == [draft["message"]["id"]]
    assert [d["id"] for d in guest.mail("GET", "drafts").json()["drafts"]] == [draft["id"]]
    sent = guest.mail("POST", "drafts/send", json={"id": draft["id"]}).json()
    assert "SENT" in sent["labelIds"]
    assert guest.mail("GET", f"drafts/{draft['id']}").status_code == 404
    assert guest.mail("POST", "drafts/send", json={"id": draft["id"]}).status_code == 404
    assert guest.found("in:sent subject:offer") == [sent["id"]]


def test_a_reply_is_in_the_thread_of_its_original(guest: RawClient) -> None:
    put = guest.insert(bytes(letter("Offer")), "INBOX")
    reply = letter("Re: Offer", to="ravi@example.org", answers="<Offer@example.org>")
    body = {"raw": raw(reply), "threadId": put["threadId"]}
    sent = guest.mail("POST", "messages/send", json=body).json()
    assert sent["threadId"] == put["threadId"]
    thread = guest.mail("GET", f"threads/{put['threadId']}").json()
    assert [each["id"] for each in thread["messages"]] == [put["id"], sent["id"]]


def test_events_are_made_listed_and_deleted(guest: RawClient) -> None:
    when = {"dateTime": "2026-11-23T10:00:00+01:00"}, {"dateTime": "2026-11-23T11:00:00+01:00"}
    made = guest.events("POST", json={"summary": "Talk", "start": when[0], "end": when[1]}).json()
    assert (made["summary"], made["status"], made["kind"]) == (
        "Talk",
        "confirmed",
        "calendar#event",
    )
    window = {"timeMin": "2026-11-23T00:00:00Z", "timeMax": "2026-11-24T00:00:00Z"}
    listed = guest.events("GET", params=window | {"singleEvents": "true", "orderBy": "startTime"})
    assert [each["id"] for each in listed.json()["items"]] == [made["id"]]
    assert guest.events("GET", params={"q": "nothing"}).json()["items"] == []
    assert guest.events("DELETE", f"/{made['id']}").status_code == 204
    assert guest.events("GET", params=window).json()["items"] == []
    assert guest.events("DELETE", "/neverwas").status_code == 404
