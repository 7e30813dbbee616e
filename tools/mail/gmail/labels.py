"""Labels: what Gmail's places are called here, and the ids it knows them by."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tools.mail.places import label_key, role_of
from tools.mail.query import State

ARCHIVE = "Archive"
"""The place of what is nowhere else; Gmail has no label for it."""

NOT_ARCHIVED = frozenset({"INBOX", "SENT", "DRAFT", "SPAM", "TRASH"})
STATES = {State.UNREAD: "UNREAD", State.STARRED: "STARRED"}

_NAMES = {
    "INBOX": "INBOX",
    "SENT": "Sent",
    "DRAFT": "Drafts",
    "TRASH": "Trash",
    "SPAM": "Spam",
    "STARRED": "Starred",
    "IMPORTANT": "Important",
    "CATEGORY_PERSONAL": "Personal",
    "CATEGORY_SOCIAL": "Social",
    "CATEGORY_PROMOTIONS": "Promotions",
    "CATEGORY_UPDATES": "Updates",
    "CATEGORY_FORUMS": "Forums",
}
_ROLES = {"inbox": "INBOX", "sent": "SENT", "drafts": "DRAFT", "trash": "TRASH", "spam": "SPAM"}
_SYNTAX = re.compile(r"""[\s/&(){}|"'\\]""")


@dataclass(frozen=True)
class Labels:
    """The labels of an account; `own` are those that its person made, names by id."""

    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, listed: Any) -> "Labels":
        """The labels in what Gmail's API lists."""
        made = [each for each in listed.get("labels") or () if each.get("type") == "user"]
        return cls({str(each["id"]): str(each["name"]) for each in made})

    @property
    def names(self) -> Sequence[str]:
        """What `in:` takes."""
        return [*_NAMES.values(), ARCHIVE, *sorted(self.own.values(), key=str.casefold)]

    @cached_property
    def _ids(self) -> Mapping[str, str]:
        """Ids by the names as they are compared; a system label is never hidden by another."""
        own = {label_key(name): id for id, name in self.own.items()}
        return own | {label_key(name): id for id, name in _NAMES.items()}

    def id_of(self, place: str) -> str:
        """The id of a label, "" where there is none of this name."""
        return self._ids.get(label_key(place)) or _ROLES.get(role_of(place), "")

    def searched(self, place: str) -> str:
        """How Gmail's search names a place; of the characters of a name none is syntax."""
        id = self.id_of(place)
        if id.startswith("CATEGORY_"):
            return f"category:{id.removeprefix('CATEGORY_').lower()}"
        if id in {"STARRED", "IMPORTANT"}:
            return f"is:{id.lower()}"
        if id in _NAMES:
            return f"in:{_NAMES[id].lower()}"
        name = self.own.get(id, place)
        return f"label:{_SYNTAX.sub('-', name.lower())}"


def is_archive(place: str) -> bool:
    """Whether a place that is no label is the archive."""
    return role_of(place) == "archive"
