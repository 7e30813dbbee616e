"""The loopback Gmail behaves like the real one beyond the emulator."""

from datetime import UTC, datetime

import pytest

from tests.google.google import Google
from tests.google.letters import letter, raw
from tests.google.raw_client import RawClient, raw_client
from tests.google.server import google_server
from tools.accounts.google.permissions import Permission


def test_the_profile_counts_and_lists_come_in_pages_newest_first(
    google: Google, anna: RawClient
) -> None:
    ids = [
        google.add_mail(letter(f"Number {day}"), date=datetime(2026, 11, day, tzinfo=UTC)).id
        for day in range(1, 8)
    ]
    profile = anna.mail("GET", "profile").json()
    assert (profile["emailAddress"], profile["messagesTotal"]) == ("anna.berg@example.com", 7)
    found, token = [], ""
    while True:
        page = anna.mail("GET", "messages", params={"maxResults": 3, "pageToken": token or "0"})
        found += [each["id"] for each in page.json()["messages"]]
        token = page.json().get("nextPageToken", "")
        if not token:
            break
    assert found == ids[::-1]


def test_a_parameter_that_google_does_not_know_is_refused(anna: RawClient) -> None:
    answer = anna.mail("GET", "messages", params={"query": "x"})
    assert answer.status_code == 400
    assert 'Unknown name "query"' in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("harbour", {"Harbour fees"}),
        ("harb", set()),
        ('"harbour fees"', {"Harbour fees"}),
        ('"fees harbour"', set()),
        ("harbour OR offer", {"Harbour fees", "Offer"}),
        ("{subject:harbour subject:offer}", {"Harbour fees", "Offer"}),
        ("subject:(harbour fees)", {"Harbour fees"}),
        ("-subject:harbour", {"Offer", "With a file"}),
        ("from:(ravi OR nobody) -offer", {"Harbour fees", "With a file"}),
        ("from:example.org", {"Harbour fees", "Offer", "With a file"}),
        ("from:exam", set()),
        ("is:unread", {"Harbour fees"}),
        ("is:starred", {"Offer"}),
        ("in:inbox", {"Harbour fees", "With a file"}),
        ("label:port-of-call", {"Offer"}),
        ("has:attachment", {"With a file"}),
        ("filename:pdf", {"With a file"}),
        ("rfc822msgid:Offer@example.org", {"Offer"}),
        ("list:announce.example.org", {"Offer"}),
        ("after:1795100000", {"Harbour fees", "With a file"}),
        ("before:2026/11/19", {"Offer"}),
        ("larger:2k", {"With a file"}),
        ("smaller:2k harbour", {"Harbour fees"}),
        ("in:spam", {"Win"}),
        ("in:anywhere -has:attachment", {"Harbour fees", "Offer", "Win"}),
        ("newer_than:soon", set()),
        ("Grüße aus", {"Harbour fees", "Offer", "With a file"}),
        ("", {"Harbour fees", "Offer", "With a file"}),
    ],
)
def test_search_finds(google: Google, anna: RawClient, query: str, found: set[str]) -> None:
    google.add_mail(letter("Harbour fees"))
    offer = letter("Offer", date="Wed, 18 Nov 2026 12:00:00 +0000")
    offer["List-Id"] = "News <announce.example.org>"
    google.add_mail(offer, ["STARRED", "Port of Call"])
    with_file = letter("With a file")
    data = 3000 * b"%"
    with_file.add_attachment(data, maintype="application", subtype="pdf", filename="bill 7.pdf")
    google.add_mail(with_file, ["INBOX"])
    spam = letter("Win")
    spam.set_content("Win now.")
    google.add_mail(spam, ["SPAM"])
    subjects = {id: message.header("Subject") for id, message in google.messages.items()}
    assert {subjects[id] for id in anna.found(query)} == found


def test_a_text_in_another_charset_is_given_in_utf_8(google: Google, anna: RawClient) -> None:
    message = letter("Alt")
    message.set_content("Grüße", charset="iso-8859-1")
    id = google.add_mail(message).id
    body = anna.mail("GET", f"messages/{id}").json()["payload"]["body"]
    assert body["data"] == "R3LDvMOfZQ0K"


def test_only_named_headers_are_given(google: Google, anna: RawClient) -> None:
    message = letter("Greeting")
    message.replace_header("Subject", "Grüße")
    id = google.add_mail(message).id
    wanted = {"format": "metadata", "metadataHeaders": ["subject", "Date"]}
    payload = anna.mail("GET", f"messages/{id}", params=wanted).json()["payload"]
    assert [each["name"] for each in payload["headers"]] == ["Subject", "Date"]
    assert payload["headers"][0]["value"] == "Grüße"


def test_history_that_is_forgotten_is_not_found(google: Google, anna: RawClient) -> None:
    google.add_mail(letter("Old"))
    google.mailbox.forget_history()
    assert anna.mail("GET", "history", params={"startHistoryId": "1000"}).status_code == 404
    now = anna.mail("GET", "profile").json()["historyId"]
    told = anna.mail("GET", "history", params={"startHistoryId": now})
    assert told.json() == {"historyId": now}


def test_history_can_be_asked_for_some_kinds_and_one_label(google: Google, anna: RawClient) -> None:
    since = anna.mail("GET", "profile").json()["historyId"]
    kept = google.add_mail(letter("Kept"))
    gone = google.add_mail(letter("Gone"), ["Label"])
    google.mailbox.remove(gone.id)
    start = {"startHistoryId": since}
    deleted = anna.mail("GET", "history", params=start | {"historyTypes": "messageDeleted"})
    (change,) = deleted.json()["history"]
    assert change["messagesDeleted"][0]["message"]["id"] == gone.id
    inbox = anna.mail("GET", "history", params=start | {"labelId": "INBOX"})
    assert [each["messages"][0]["id"] for each in inbox.json()["history"]] == [kept.id]


def test_a_sent_message_reaches_local_recipients_without_bcc() -> None:
    with google_server("anna.berg@example.com", "ben@example.com") as google:
        message = letter("Offer", to="ben@example.com, eve@example.org")
        message["Bcc"] = "anna.berg@example.com"
        token = google.grant([Permission.WRITE_MAIL]).access_token
        with raw_client(google, token) as anna:
            sent = anna.mail("POST", "messages/send", json={"raw": raw(message)}).json()
        assert set(sent["labelIds"]) == {"SENT", "INBOX", "UNREAD"}
        (arrived,) = google.people["ben@example.com"].mailbox.messages.values()
        assert "Bcc" not in arrived.parsed
        assert google.sent[0].header("Bcc") == "anna.berg@example.com"
        assert google.sent[0].header("From") == "anna.berg@example.com"
        assert arrived.message_id == "<Offer@example.org>"


def test_a_message_without_recipients_is_not_sent(google: Google, anna: RawClient) -> None:
    message = letter("Offer")
    del message["To"]
    draft = anna.mail("POST", "drafts", json={"message": {"raw": raw(message)}}).json()
    refused = anna.mail("POST", "drafts/send", json={"id": draft["id"]})
    assert refused.json()["error"]["message"] == "Recipient address required"
    assert list(google.drafts) == [draft["id"]]
    assert google.sent == []


def test_a_reply_under_another_subject_begins_a_thread_of_its_own(
    google: Google, anna: RawClient
) -> None:
    first = google.add_mail(letter("Offer"))
    other = letter("Something else", answers="<Offer@example.org>")
    body = {"raw": raw(other), "threadId": first.thread_id}
    assert anna.mail("POST", "messages/send", json=body).json()["threadId"] != first.thread_id
    unknown = body | {"threadId": "1900000000000000"}
    assert anna.mail("POST", "messages/send", json=unknown).status_code == 404


def test_a_message_id_may_be_rewritten(google: Google, anna: RawClient) -> None:
    google.mailbox.rewrites_message_ids = True
    anna.mail("POST", "messages/send", json={"raw": raw(letter("Offer"))})
    assert anna.found("rfc822msgid:Offer@example.org") == []
    assert google.sent[0].message_id.endswith("@mail.gmail.com>")


def test_a_message_can_be_uploaded_as_it_is_or_beside_json(google: Google, anna: RawClient) -> None:
    send = "/upload/gmail/v1/users/me/messages/send"
    alone = anna.ask(
        "POST",
        f"{send}?uploadType=media",
        data=bytes(letter("Alone")),
        headers={"content-type": "message/rfc822"},
    )
    first = google.add_mail(letter("Beside"))
    related = (
        b"--xy\r\nContent-Type: application/json\r\n\r\n"
        b'{"threadId": "' + first.thread_id.encode() + b'"}\r\n'
        b"--xy\r\nContent-Type: message/rfc822\r\n\r\n"
        + bytes(letter("Re: Beside", answers="<Beside@example.org>"))
        + b"\r\n--xy--"
    )
    kind = {"content-type": "multipart/related; boundary=xy"}
    path = f"{send}?uploadType=multipart"
    beside = anna.ask("POST", path, data=related, headers=kind).json()
    assert alone.status_code == 200
    assert beside["threadId"] == first.thread_id
    assert [each.header("Subject") for each in google.sent] == ["Alone", "Re: Beside"]


def test_a_changed_draft_keeps_its_id(google: Google, anna: RawClient) -> None:
    made = anna.mail("POST", "drafts", json={"message": {"raw": raw(letter("One"))}}).json()
    body = {"message": {"raw": raw(letter("Two"))}}
    changed = anna.mail("PUT", f"drafts/{made['id']}", json=body).json()
    assert changed["id"] == made["id"]
    assert changed["message"]["id"] != made["message"]["id"]
    assert [each.header("Subject") for each in google.messages.values()] == ["Two"]
    assert anna.mail("DELETE", f"drafts/{made['id']}").status_code == 204
    assert google.messages == {}


def test_threads_are_listed_and_changed_whole(google: Google, anna: RawClient) -> None:
    first = google.add_mail(letter("Offer"))
    second = google.add_mail(letter("Re: Offer", answers="<Offer@example.org>"))
    google.add_mail(letter("Other"))
    listed = anna.mail("GET", "threads", params={"q": "subject:offer"}).json()["threads"]
    assert [each["id"] for each in listed] == [first.thread_id]
    change = {"removeLabelIds": ["INBOX"], "addLabelIds": ["STARRED"]}
    anna.mail("POST", f"threads/{first.thread_id}/modify", json=change)
    assert first.labels == second.labels == {"UNREAD", "STARRED"}
    assert anna.mail("GET", "threads/1900000000000000").status_code == 404


def test_labels_count_are_renamed_and_deleted(google: Google, anna: RawClient) -> None:
    message = google.add_mail(letter("Offer"), ["INBOX", "UNREAD", "Port"])
    port = google.mailbox.label("Port")
    counted = anna.mail("GET", f"labels/{port.id}").json()
    assert (counted["messagesTotal"], counted["messagesUnread"]) == (1, 1)
    assert anna.mail("POST", "labels", json={"name": "port"}).status_code == 409
    assert anna.mail("POST", "labels", json={"name": "Inbox"}).status_code == 400
    anna.mail("PATCH", f"labels/{port.id}", json={"name": "Harbour"})
    assert anna.found("label:harbour") == [message.id]
    assert anna.mail("DELETE", f"labels/{port.id}").status_code == 204
    assert anna.mail("DELETE", "labels/INBOX").status_code == 400
    assert message.labels == {"INBOX", "UNREAD"}


def test_an_unknown_label_and_an_empty_change_are_refused(google: Google, anna: RawClient) -> None:
    path = f"messages/{google.add_mail(letter('Offer')).id}/modify"
    assert anna.mail("POST", path, json={"addLabelIds": ["Label_99"]}).status_code == 400
    assert anna.mail("POST", path, json={}).status_code == 400
