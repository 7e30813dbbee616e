"""A directory of the labels of one Gmail account, asked for when they are needed."""

from collections.abc import Sequence
from time import monotonic

from tools.accounts.google.api import GoogleApi, GoogleApiError
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.labels import Labels, is_archive
from tools.mail.places import label_key
from tools.mail.query import In, State, Term, leaves

_FRESH = 60.0  # seconds
_NO_LABELS = {"anywhere", *State}


class Directory:
    """Knows the labels as of the last time that they were asked for."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api
        self._labels = Labels()
        self._asked: float | None = None  # in seconds of `time.monotonic`

    async def names(self) -> Sequence[str]:
        """The names of all places, not older than a minute."""
        if self._asked is None or monotonic() - self._asked >= _FRESH:
            await self._ask()
        return self._labels.names

    async def labels_for(self, term: Term) -> Labels:
        """The labels, those that a search names among them if they exist."""
        places = [leaf.place for leaf in leaves(term) if isinstance(leaf, In)]
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
        is_one = label_key(place) not in _NO_LABELS and not is_archive(place)
        return not is_one or bool(self._labels.id_of(place))

    async def _ask(self) -> None:
        listed = await self._api.call(
            Permission.READ_MAIL, lambda gmail: gmail.users().labels().list(userId="me")
        )
        self._labels = Labels.of(listed)
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
