"""Folders and labels: their names compared, and their roles, such as inbox or trash."""

import base64
import re

from tools.mail.message.charsets import case_folded

_NAMES_BY_ROLE = {
    "inbox": ("inbox", "posteingang", "boîte de réception", "eingang"),
    "sent": (
        *("sent", "sent mail", "sent items", "sent messages", "sent-mail", "gesendet"),
        *("gesendete objekte", "gesendete elemente", "envoyés", "éléments envoyés", "enviados"),
        *("posta inviata", "verzonden items", "messages envoyés"),
    ),
    "drafts": (
        *("drafts", "draft", "entwürfe", "brouillons", "borradores", "bozze", "concepten"),
        *("unsent messages", "outbox", "templates", "postausgang", "vorlagen"),
    ),
    "trash": (
        *("trash", "bin", "deleted items", "deleted messages", "papierkorb", "corbeille"),
        *("gelöschte elemente", "gelöschte objekte", "éléments supprimés", "papelera", "cestino"),
    ),
    "spam": (
        *("spam", "junk", "junk e-mail", "junk mail", "bulk mail", "junk email"),
        *("courrier indésirable", "werbung", "unerwünscht", "correo no deseado"),
    ),
    "archive": ("archive", "archives", "archiv", "all mail", "alle nachrichten", "archivio"),
}
_ROLE_BY_NAME = {name: role for role, names in _NAMES_BY_ROLE.items() for name in names}
_LABEL_ALIASES = {"junk": "spam", "bin": "trash", "draft": "drafts"}
HIDDEN_ROLES = frozenset({"spam", "trash"})


def folder_role(folder: str) -> str:
    """Return a folder's role ("inbox", "sent", "drafts", "trash", "spam", "archive"), or ""."""
    parts = [case_folded(part) for part in folder.split("/")]
    if parts[0] in {"[gmail]", "[google mail]", "inbox"} and len(parts) > 1:
        parts = parts[1:]
    own = _ROLE_BY_NAME.get(parts[-1] if len(parts) == 1 else parts[0], "")
    return own if len(parts) == 1 or own in {*HIDDEN_ROLES, "archive", "sent"} else ""


def label_key(name: str) -> str:
    """Return the key by which names compare: "Work/To do" equals "work-to-do", as in Gmail."""
    key = re.sub(r"[\s/]+", "-", case_folded(name.strip()))
    return _LABEL_ALIASES.get(key, key)


def decode_modified_utf7(name: str) -> str:
    """Decode the modified UTF-7 of IMAP folder names, such as "Entw&APw-rfe"."""
    return re.sub(r"&([A-Za-z0-9+,]{0,200})-", _decode_utf7_run, name)


def _decode_utf7_run(run: re.Match[str]) -> str:
    if not run[1]:
        return "&"
    padded = run[1].replace(",", "/") + "=" * (-len(run[1]) % 4)
    try:
        return base64.b64decode(padded).decode("utf-16-be")
    except ValueError:
        return run[0]
