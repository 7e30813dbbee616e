"""Gmail: its methods on a mailbox."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.google import mime, search
from tests.google.catalogue import Call
from tests.google.mailbox import Change, Mailbox, Message
from tests.google.pages import page
from tests.google.refusal import RefusalError, invalid

Method = Callable[[Mailbox, Call], Any]
_KINDS = {
    "messageAdded": "messagesAdded",
    "messageDeleted": "messagesDeleted",
    "labelAdded": "labelsAdded",
    "labelRemoved": "labelsRemoved",
}
_HIDDEN = {"SPAM", "TRASH"}


def own(mailbox: Mailbox, call: Call) -> None:
    """Refuse another's mailbox."""
    user = call.variables["userId"]
    if user.lower() not in {"me", mailbox.address.lower()}:
        raise RefusalError(403, "forbidden", f"Delegation denied for {mailbox.address}")


def _profile(mailbox: Mailbox, _call: Call) -> Any:
    return {
        "emailAddress": mailbox.address,
        "messagesTotal": len(mailbox.messages),
        "threadsTotal": len({each.thread_id for each in mailbox.messages.values()}),
        "historyId": str(mailbox.history_id),
    }


def _senders(mailbox: Mailbox, _call: Call) -> Any:
    own = {"sendAsEmail": mailbox.address, "displayName": mailbox.person}
    return {"sendAs": [{**own, "isPrimary": True, "isDefault": True, "replyToAddress": ""}]}


def _history(mailbox: Mailbox, call: Call) -> Any:
    if not call.one("startHistoryId").isdecimal():
        raise invalid("Invalid value for startHistoryId.")
    kinds = {_KINDS[each] for each in call.many("historyTypes")} or set(_KINDS.values())
    label = call.one("labelId")
    changes = [
        each
        for each in mailbox.changes(int(call.one("startHistoryId")))
        if each.kind in kinds and (not label or label in {*each.labels, *each.changed})
    ]
    given = page(changes, call, most=500, usual=100)
    said = {"history": [_change(each) for each in given.items]} if given.items else {}
    return {**said, **given.next, "historyId": str(mailbox.history_id)}


def _change(change: Change) -> Mapping[str, Any]:
    message = {"id": change.message_id, "threadId": change.thread_id}
    one: dict[str, Any] = {"message": {**message, "labelIds": list(change.labels)}}
    if change.changed:
        one["labelIds"] = list(change.changed)
    return {"id": str(change.id), "messages": [message], change.kind: [one]}


def _list(mailbox: Mailbox, call: Call) -> Any:
    given = page(found(mailbox, call), call, most=500, usual=100)
    said = [{"id": each.id, "threadId": each.thread_id} for each in given.items]
    return {**({"messages": said} if said else {}), **given.next, "resultSizeEstimate": given.all}


def found(mailbox: Mailbox, call: Call) -> Sequence[Message]:
    """The messages that a list is asked for, newest first."""
    query = search.parse(call.one("q"))
    labels = set(call.many("labelIds"))
    hidden = call.flag("includeSpamTrash") or labels & _HIDDEN or query.includes_hidden
    return [
        each
        for each in mailbox.newest_first()
        if labels <= each.labels
        and (hidden or not each.labels & _HIDDEN)
        and query.matches(each, mailbox)
    ]


def _get(mailbox: Mailbox, call: Call) -> bytes:
    return encoded(mailbox.find(call.variables["id"]), call)


def encoded(message: Message, call: Call) -> bytes:
    """A message in the format that is asked for, kept so that it is made once."""
    wanted = call.one("format", "full")
    names = call.many("metadataHeaders")
    key = f"{wanted} {' '.join(names)}"
    if key not in message.encoded:
        message.encoded[key] = json.dumps(as_json(message, wanted, names)).encode()
    return message.encoded[key]


def as_json(message: Message, wanted: str, names: Sequence[str] = ()) -> Mapping[str, Any]:
    """A message as JSON has it."""
    head = short(message) | {
        "snippet": message.snippet,
        "sizeEstimate": len(message.raw),
        "historyId": str(message.history_id),
        "internalDate": str(message.date),
    }
    match wanted:
        case "minimal":
            return head
        case "raw":
            return head | {"raw": mime.encoded(message.raw)}
        case "metadata":
            kind = message.parsed.get_content_type()
            headers = mime.headers_of(message.parsed, names)
            return head | {"payload": {"mimeType": kind, "headers": headers}}
    return head | {"payload": mime.payload(message.parsed)}


def short(message: Message) -> dict[str, Any]:
    """Return the response for a changed message."""
    labels = {"labelIds": sorted(message.labels)} if message.labels else {}
    return {"id": message.id, "threadId": message.thread_id, **labels}


def _attachment(mailbox: Mailbox, call: Call) -> Any:
    message = mailbox.find(call.variables["messageId"])
    data = mime.attachment(message.parsed, call.variables["id"])
    if data is None:
        raise invalid("Invalid attachment token")
    return {"size": len(data), "data": mime.encoded(data)}


def _modify(mailbox: Mailbox, call: Call) -> Any:
    message = mailbox.find(call.variables["id"])
    mailbox.modify(message, *changes_of_labels(call))
    return short(message)


def _batch_modify(mailbox: Mailbox, call: Call) -> None:
    ids = call.body.get("ids", ())
    if not 1 <= len(ids) <= 1000:
        raise invalid("Invalid ids value")
    for each in ids:
        if each in mailbox.messages:
            mailbox.modify(mailbox.messages[each], *changes_of_labels(call))


def changes_of_labels(call: Call) -> tuple[list[str], list[str]]:
    """The labels to add and to remove."""
    add, remove = call.body.get("addLabelIds", []), call.body.get("removeLabelIds", [])
    if not add and not remove:
        raise invalid("No label add or removes specified")
    if "SENT" in add or "DRAFT" in add:
        raise invalid("Invalid label: SENT")
    return add, remove


def _trash(mailbox: Mailbox, call: Call) -> Any:
    message = mailbox.find(call.variables["id"])
    mailbox.modify(message, ["TRASH"], ["INBOX"])
    return short(message)


def _untrash(mailbox: Mailbox, call: Call) -> Any:
    message = mailbox.find(call.variables["id"])
    mailbox.modify(message, [], ["TRASH"])
    return short(message)


def _delete(mailbox: Mailbox, call: Call) -> None:
    mailbox.remove(call.variables["id"])


METHODS: Mapping[str, Method] = {
    "gmail.users.getProfile": _profile,
    "gmail.users.settings.sendAs.list": _senders,
    "gmail.users.history.list": _history,
    "gmail.users.messages.list": _list,
    "gmail.users.messages.get": _get,
    "gmail.users.messages.attachments.get": _attachment,
    "gmail.users.messages.modify": _modify,
    "gmail.users.messages.batchModify": _batch_modify,
    "gmail.users.messages.trash": _trash,
    "gmail.users.messages.untrash": _untrash,
    "gmail.users.messages.delete": _delete,
}
