"""Threads: messages that belong together, said and changed at once."""

from collections.abc import Mapping
from typing import Any

from tests.google.catalogue import Call
from tests.google.gmail import Method, as_json, changes_of_labels, found, short
from tests.google.mailbox import Mailbox, Message
from tests.google.pages import page


def _list(mailbox: Mailbox, call: Call) -> Any:
    newest: dict[str, Message] = {}
    for message in found(mailbox, call):
        newest.setdefault(message.thread_id, message)
    shown = page(list(newest.values()), call, most=500, usual=100)
    said = [_head(each) for each in shown.items]
    return {**({"threads": said} if said else {}), **shown.next, "resultSizeEstimate": shown.all}


def _head(message: Message) -> Mapping[str, Any]:
    history = str(message.history_id)
    return {"id": message.thread_id, "snippet": message.snippet, "historyId": history}


def _get(mailbox: Mailbox, call: Call) -> Any:
    messages = mailbox.thread(call.variables["id"])
    wanted, names = call.one("format", "full"), call.many("metadataHeaders")
    return {
        "id": messages[0].thread_id,
        "historyId": str(max(each.history_id for each in messages)),
        "messages": [as_json(each, wanted, names) for each in messages],
    }


def _modify(mailbox: Mailbox, call: Call) -> Any:
    return _changed(mailbox, call, *changes_of_labels(call))


def _trash(mailbox: Mailbox, call: Call) -> Any:
    return _changed(mailbox, call, ["TRASH"], ["INBOX"])


def _untrash(mailbox: Mailbox, call: Call) -> Any:
    return _changed(mailbox, call, [], ["TRASH"])


def _changed(mailbox: Mailbox, call: Call, add: list[str], remove: list[str]) -> Any:
    messages = mailbox.thread(call.variables["id"])
    for each in messages:
        mailbox.modify(each, add, remove)
    return {"id": messages[0].thread_id, "messages": [short(each) for each in messages]}


METHODS: Mapping[str, Method] = {
    "gmail.users.threads.list": _list,
    "gmail.users.threads.get": _get,
    "gmail.users.threads.modify": _modify,
    "gmail.users.threads.trash": _trash,
    "gmail.users.threads.untrash": _untrash,
}
