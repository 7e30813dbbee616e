"""Outgoing mail: drafts, and the delivery of sent messages.

Source: https://developers.google.com/workspace/gmail/api/guides/sending and …/guides/threads
"""

import secrets
from collections.abc import Mapping, Sequence
from email.utils import formatdate, getaddresses, parseaddr
from typing import Any

from tests.google import mime
from tests.google.catalogue import Call
from tests.google.gmail import Method, as_json, found, short
from tests.google.mailbox import Mailbox, Message
from tests.google.pages import page
from tests.google.refusal import invalid, not_found
from tests.google.uploads import parse_upload


def _send(mailbox: Mailbox, call: Call) -> Any:
    given = parse_upload(call).needed()
    return short(send(mailbox, given.raw, given.thread))


def _create(mailbox: Mailbox, call: Call) -> Any:
    given = parse_upload(call).needed()
    id = f"r-{secrets.randbelow(10**19)}"
    mailbox.drafts[id] = _drafted(mailbox, given.raw, given.thread).id
    return _draft(mailbox, id)


def _update(mailbox: Mailbox, call: Call) -> Any:
    id = call.variables["id"]
    before = mailbox.messages[_message_id(mailbox, id)]
    given = parse_upload(call).needed()
    mailbox.drafts[id] = _drafted(mailbox, given.raw, given.thread or before.thread_id).id
    mailbox.remove(before.id)
    return _draft(mailbox, id)


def _drafted(mailbox: Mailbox, raw: bytes, thread: str) -> Message:
    if thread and not mailbox.has_thread(thread):
        raise not_found()
    return mailbox.add(_completed(mailbox, raw), ("DRAFT",), thread)


def _draft(mailbox: Mailbox, id: str) -> Mapping[str, Any]:
    return {"id": id, "message": short(mailbox.messages[_message_id(mailbox, id)])}


def _message_id(mailbox: Mailbox, id: str) -> str:
    if id not in mailbox.drafts:
        raise not_found()
    return mailbox.drafts[id]


def _get(mailbox: Mailbox, call: Call) -> Any:
    id = call.variables["id"]
    message = mailbox.messages[_message_id(mailbox, id)]
    return {"id": id, "message": as_json(message, call.one("format", "full"))}


def _list(mailbox: Mailbox, call: Call) -> Any:
    fitting = {each.id for each in found(mailbox, call)}
    drafts = [id for id, message in reversed(mailbox.drafts.items()) if message in fitting]
    shown = page(drafts, call, most=500, usual=100)
    said = [_draft(mailbox, each) for each in shown.items]
    said = [{**each, "message": _bare(each["message"])} for each in said]
    return {**({"drafts": said} if said else {}), **shown.next, "resultSizeEstimate": shown.all}


def _bare(message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"id": message["id"], "threadId": message["threadId"]}


def _delete(mailbox: Mailbox, call: Call) -> None:
    mailbox.remove(_message_id(mailbox, call.variables["id"]))
    del mailbox.drafts[call.variables["id"]]


def _send_draft(mailbox: Mailbox, call: Call) -> Any:
    given = parse_upload(call)
    id = str(given.said.get("id") or "")
    draft = mailbox.messages[_message_id(mailbox, id)]
    raw = given.raw or draft.raw
    _check_recipients(mime.parsed(raw))
    mailbox.remove(draft.id)
    del mailbox.drafts[id]
    thread = given.thread or draft.thread_id
    return short(send(mailbox, raw, thread if mailbox.has_thread(thread) else ""))


def send(mailbox: Mailbox, raw: bytes, thread: str) -> Message:
    """Send a message: it is in Sent then, in the inbox too where it goes to its sender."""
    if thread and not mailbox.has_thread(thread):
        raise not_found()
    read = mime.parsed(raw)
    recipients = _check_recipients(read)
    if mailbox.rewrites_message_ids:
        del read["Message-ID"]
        raw = read.as_bytes()
    complete = _completed(mailbox, raw)
    fits = bool(thread) and mailbox.fits(thread, mime.parsed(complete))
    mine = mailbox.address.lower() in recipients
    labels = ("SENT", "INBOX", "UNREAD") if mine else ("SENT",)
    message = mailbox.add(complete, labels, thread if fits else "")
    mailbox.sent.append(message)
    mailbox.deliver(complete, [each for each in recipients if each != mailbox.address.lower()])
    return message


def _check_recipients(message: mime.Part) -> Sequence[str]:
    fields = [str(value) for name in ("To", "Cc", "Bcc") for value in message.get_all(name, [])]
    addresses = [address.lower() for _, address in getaddresses(fields) if address]
    if not addresses:
        raise invalid("Recipient address required")
    if any("@" not in address for address in addresses):
        raise invalid("Invalid To header")
    return list(dict.fromkeys(addresses))


def _completed(mailbox: Mailbox, raw: bytes) -> bytes:
    """Add a missing sender, date and Message-ID; the sender is always the account."""
    message = mime.parsed(raw)
    missing = []
    if parseaddr(str(message.get("From", "")))[1].lower() != mailbox.address.lower():
        del message["From"]
        raw = message.as_bytes()
        missing.append(f"From: {mailbox.address}")
    if not message.get("Date"):
        missing.append(f"Date: {formatdate(localtime=False)}")
    if not message.get("Message-ID"):
        missing.append(f"Message-ID: <CA{secrets.token_hex(20)}@mail.gmail.com>")
    end = "\r\n" if b"\r\n" in raw else "\n"
    return "".join(line + end for line in missing).encode() + raw


def _insert(mailbox: Mailbox, call: Call) -> Any:
    """Put a message in as it is, as from another mailbox."""
    given = parse_upload(call).needed()
    labels = given.said.get("labelIds") or ()
    if not set(labels) <= set(mailbox.labels):
        raise invalid(f"Invalid label: {labels}")
    return short(mailbox.add(given.raw, labels, given.thread))


METHODS: Mapping[str, Method] = {
    "gmail.users.messages.insert": _insert,
    "gmail.users.messages.import": _insert,
    "gmail.users.messages.send": _send,
    "gmail.users.drafts.create": _create,
    "gmail.users.drafts.update": _update,
    "gmail.users.drafts.get": _get,
    "gmail.users.drafts.list": _list,
    "gmail.users.drafts.delete": _delete,
    "gmail.users.drafts.send": _send_draft,
}
