"""Gmail labels: their names and ids, and the list of an account's labels."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import Any

from tools.accounts.google.api_response import GoogleApiError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.mail.folders import folder_role, label_key
from tools.mail.search.query import InFolder, MessageState, Term, leaf_terms

ARCHIVE = "Archive"
"""The place of what is nowhere else; Gmail has no label for it."""

NOT_ARCHIVED = frozenset({"INBOX", "SENT", "DRAFT", "SPAM", "TRASH"})
STATE_LABELS = {MessageState.UNREAD: "UNREAD", MessageState.STARRED: "STARRED"}

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
_SYNTAX_CHARACTERS = re.compile(r"""[\s/&(){}|"'\\]""")


@dataclass(frozen=True)
class GmailLabels:
    """The labels of an account; `own` are those that its person made, names by id."""

    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, listed: Any) -> "GmailLabels":
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
        return self._ids.get(label_key(place)) or _ROLES.get(folder_role(place), "")

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
        return f"label:{_SYNTAX_CHARACTERS.sub('-', name.lower())}"


def is_archive(place: str) -> bool:
    """Whether a place that is no label is the archive."""
    return folder_role(place) == "archive"


_MAX_AGE = 60.0  # seconds
_NOT_LABELS = {"anywhere", *MessageState}


class LabelDirectory:
    """Knows the labels as of the last time that they were asked for."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api
        self._labels = GmailLabels()
        self._asked: float | None = None  # in seconds of `time.monotonic`

    async def names(self) -> Sequence[str]:
        """The names of all places, not older than a minute."""
        if self._asked is None or monotonic() - self._asked >= _MAX_AGE:
            await self._ask()
        return self._labels.names

    async def labels_for(self, term: Term) -> GmailLabels:
        """The labels, those that a search names among them if they exist."""
        places = [leaf.place for leaf in leaf_terms(term) if isinstance(leaf, InFolder)]
        if not all(map(self._is_known, places)):
            await self._ask()
        return self._labels

    async def ids(self, names: Sequence[str], *, make: bool = False) -> list[str]:
        """The ids of labels; those that are not there are made, or left out."""
        if not all(map(self._labels.id_of, names)):
            await self._ask()
        if make:
            for name in names:
                if not self._labels.id_of(name):
                    await self._make(name)
        return list(filter(None, map(self._labels.id_of, names)))

    def _is_known(self, place: str) -> bool:
        is_one = label_key(place) not in _NOT_LABELS and not is_archive(place)
        return not is_one or bool(self._labels.id_of(place))

    async def _ask(self) -> None:
        listed = await self._api.call(
            Permission.READ_MAIL, lambda gmail: gmail.users().labels().list(userId="me")
        )
        self._labels = GmailLabels.of(listed)
        self._asked = monotonic()

    async def _make(self, name: str) -> None:
        body = {"name": name.strip()}
        try:
            await self._api.call(
                Permission.CHANGE_MAIL,
                lambda gmail: gmail.users().labels().create(userId="me", body=body),
            )
        except GoogleApiError as error:
            if error.status != 409:  # made meanwhile, or by the first of two tries
                raise
        await self._ask()
