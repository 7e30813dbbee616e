"""Labels: Gmail's methods on labels."""

from collections.abc import Mapping
from typing import Any

from tests.google.catalogue import Call
from tests.google.gmail import Method
from tests.google.mailbox import Label, Mailbox
from tests.google.refusal import invalid, not_found

_SHOWN = {"messageListVisibility": "show", "labelListVisibility": "labelShow"}


def _list(mailbox: Mailbox, _call: Call) -> Any:
    return {"labels": [_said(each) for each in mailbox.labels.values()]}


def _said(label: Label) -> dict[str, Any]:
    shown = _SHOWN if label.type == "user" else {}
    return {"id": label.id, "name": label.name, **shown, "type": label.type}


def _find(mailbox: Mailbox, call: Call) -> Label:
    label = mailbox.labels.get(call.variables["id"])
    if label is None:
        raise not_found("Requested entity was not found.")
    return label


def _own(mailbox: Mailbox, call: Call) -> Label:
    label = _find(mailbox, call)
    if label.type == "system":
        raise invalid(
            "Invalid delete request" if call.asked.method == "DELETE" else "Invalid label"
        )
    return label


def _get(mailbox: Mailbox, call: Call) -> Any:
    label = _find(mailbox, call)
    return _said(label) | mailbox.counts(label.id)


def _create(mailbox: Mailbox, call: Call) -> Any:
    return _said(mailbox.make_label(str(call.body.get("name", ""))))


def _rename(mailbox: Mailbox, call: Call) -> Any:
    label = _own(mailbox, call)
    name = str(call.body.get("name", label.name))
    return _said(label if name == label.name else mailbox.rename_label(label, name))


def _delete(mailbox: Mailbox, call: Call) -> None:
    label = _own(mailbox, call)
    for message in mailbox.messages.values():
        mailbox.modify(message, (), (label.id,))
    del mailbox.labels[label.id]


METHODS: Mapping[str, Method] = {
    "gmail.users.labels.list": _list,
    "gmail.users.labels.get": _get,
    "gmail.users.labels.create": _create,
    "gmail.users.labels.patch": _rename,
    "gmail.users.labels.update": _rename,
    "gmail.users.labels.delete": _delete,
}
