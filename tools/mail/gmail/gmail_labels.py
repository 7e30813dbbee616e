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
"""The folder of messages without another one; Gmail has no label for it."""

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
_NOT_LABELS = {"anywhere", *MessageState}
_MAX_AGE = 60.0  # seconds
_SYNTAX_CHARACTERS = re.compile(r"""[\s/&(){}|"'\\]""")


@dataclass(frozen=True)
class GmailLabels:
    """The labels of an account; `user` are the user's labels, names by id."""

    user: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_api(cls, listed: Any) -> "GmailLabels":
        """Return the labels from a `labels.list` response."""
        user_labels = [each for each in listed.get("labels") or () if each.get("type") == "user"]
        return cls({str(each["id"]): str(each["name"]) for each in user_labels})

    @property
    def names(self) -> Sequence[str]:
        """The names that `in:` accepts."""
        return [*_NAMES.values(), ARCHIVE, *sorted(self.user.values(), key=str.casefold)]

    @cached_property
    def _ids(self) -> Mapping[str, str]:
        """Label ids by comparison key; system labels take precedence."""
        user = {label_key(name): id for id, name in self.user.items()}
        return user | {label_key(name): id for id, name in _NAMES.items()}

    def id_of(self, name: str) -> str:
        """Return the id of the label with this name, "" if there is none."""
        return self._ids.get(label_key(name)) or _ROLES.get(folder_role(name), "")

    def search_term(self, name: str) -> str:
        """Return the search operator for a folder or label; its name is never read as syntax."""
        id = self.id_of(name)
        if id.startswith("CATEGORY_"):
            return f"category:{id.removeprefix('CATEGORY_').lower()}"
        if id in {"STARRED", "IMPORTANT"}:
            return f"is:{id.lower()}"
        if id in _NAMES:
            return f"in:{_NAMES[id].lower()}"
        label = self.user.get(id, name)
        return f"label:{_SYNTAX_CHARACTERS.sub('-', label.lower())}"


def is_archive(name: str) -> bool:
    """Whether a name that is no label means the archive."""
    return folder_role(name) == "archive"


class LabelDirectory:
    """Caches the list of labels of one account."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api
        self._labels = GmailLabels()
        self._listed_at: float | None = None  # in seconds of `time.monotonic`

    async def names(self) -> Sequence[str]:
        """Return the names of all labels, at most a minute old."""
        if self._listed_at is None or monotonic() - self._listed_at >= _MAX_AGE:
            await self._refresh()
        return self._labels.names

    async def labels_for(self, term: Term) -> GmailLabels:
        """Return the labels, listed anew if the search names one that is unknown."""
        names = [leaf.name for leaf in leaf_terms(term) if isinstance(leaf, InFolder)]
        if not all(map(self._is_known, names)):
            await self._refresh()
        return self._labels

    async def ids(self, names: Sequence[str], *, create: bool = False) -> list[str]:
        """Return the ids of labels; unknown ones are created or omitted."""
        if not all(map(self._labels.id_of, names)):
            await self._refresh()
        if create:
            for name in names:
                if not self._labels.id_of(name):
                    await self._create(name)
        return list(filter(None, map(self._labels.id_of, names)))

    def _is_known(self, name: str) -> bool:
        is_label = label_key(name) not in _NOT_LABELS and not is_archive(name)
        return not is_label or bool(self._labels.id_of(name))

    async def _refresh(self) -> None:
        listed = await self._api.call(
            Permission.READ_MAIL, lambda gmail: gmail.users().labels().list(userId="me")
        )
        self._labels = GmailLabels.from_api(listed)
        self._listed_at = monotonic()

    async def _create(self, name: str) -> None:
        body = {"name": name.strip()}
        try:
            await self._api.call(
                Permission.CHANGE_MAIL,
                lambda gmail: gmail.users().labels().create(userId="me", body=body),
            )
        except GoogleApiError as error:
            if error.status != 409:  # created meanwhile, or by a first attempt
                raise
        await self._refresh()
