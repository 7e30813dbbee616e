"""Traces: what Gmail has of a letter, as a draft or in Sent, found without being told its id."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any
from urllib.parse import quote, urlencode

from tools.accounts.google.api import GoogleApi, GoogleApiError
from tools.accounts.google.permissions import Permission
from tools.mail.dates import read_date
from tools.mail.headers import readable

NEWEST = 10  # messages that are looked through

_ASCII = SMTP.clone(cte_type="7bit")  # Google's client cannot upload anything else
_ROOT = "/gmail/v1/users/me"
_HEADERS = urlencode(
    [("metadataHeaders", name) for name in ("Message-ID", "Date", "Subject")], doseq=True
)


@dataclass(frozen=True)
class Letter:
    """A message that goes out, and what it can be known by."""

    raw: bytes
    message_id: str
    date: str
    subject: str

    @classmethod
    def of(cls, message: EmailMessage) -> "Letter":
        """The message, written down; blocks while it does."""
        fields = (str(message[name] or "") for name in ("Message-ID", "Date", "Subject"))
        return cls(message.as_bytes(policy=_ASCII), *fields)

    def is_that_of(self, headers: Mapping[str, str]) -> bool:
        """Whether headers are its own; Gmail may have given it another Message-ID."""
        if self.message_id.strip() == headers.get("message-id", "").strip():
            return True
        moment = read_date(self.date)
        return (
            moment is not None
            and moment == read_date(headers.get("date", ""))
            and readable(self.subject) == readable(headers.get("subject", ""))
        )


class Traces:
    """Looks for letters in one account."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def searched(self, letter: Letter) -> tuple[bool, str]:
        """Whether it was sent before, and its draft's id or "", as Gmail's search knows it."""
        id = letter.message_id.strip("<> ").replace('"', "")
        sent = urlencode({"q": f'in:sent rfc822msgid:"{id}"', "includeSpamTrash": "true"})
        draft = urlencode({"q": f'rfc822msgid:"{id}"'})
        paths = [f"{_ROOT}/messages?{sent}", f"{_ROOT}/drafts?{draft}"]
        in_sent, drafts = await self._json(paths)
        return bool(in_sent.get("messages")), next(_ids(drafts.get("drafts")), "")

    async def is_in_sent(self, letter: Letter) -> bool:
        """Whether it is among the newest in Sent, which Gmail knows at once."""
        (listed,) = await self._json([f"{_ROOT}/messages?labelIds=SENT&maxResults={NEWEST}"])
        return bool(await self._known(letter, list(_ids(listed.get("messages")))))

    async def draft(self, letter: Letter) -> str:
        """The id of its draft among the newest, "" where there is none."""
        (listed,) = await self._json([f"{_ROOT}/drafts?maxResults={NEWEST}"])
        drafts = {each["message"]["id"]: each["id"] for each in listed.get("drafts") or ()}
        found = await self._known(letter, list(drafts))
        return str(drafts[found[0]]) if found else ""

    async def has_draft(self, id: str) -> bool:
        """Whether a draft is still there."""
        path = f"{_ROOT}/drafts/{quote(id, safe='')}?format=minimal"
        (answer,) = await self._api.each(Permission.WRITE_MAIL, [path])
        if isinstance(answer, GoogleApiError) and answer.status != 404:
            raise answer
        return not isinstance(answer, GoogleApiError)

    async def _known(self, letter: Letter, ids: Sequence[str]) -> list[str]:
        """Those of the messages that are the letter."""
        paths = [f"{_ROOT}/messages/{id}?format=metadata&{_HEADERS}" for id in ids]
        given = await self._json(paths, is_needed=False)
        return [id for id, each in zip(ids, given, strict=True) if letter.is_that_of(_fields(each))]

    async def _json(self, paths: Sequence[str], *, is_needed: bool = True) -> list[Any]:
        """What is read; {} for what is gone meanwhile."""
        answers = await self._api.each(Permission.READ_MAIL, paths)
        for each in answers:
            if isinstance(each, GoogleApiError) and (is_needed or each.status != 404):
                raise each
        return [{} if isinstance(each, GoogleApiError) else each.json for each in answers]


def _ids(listed: Iterable[Mapping[str, Any]] | None) -> Iterator[str]:
    return (str(each["id"]) for each in listed or ())


def _fields(message: Mapping[str, Any]) -> Mapping[str, str]:
    headers = (message.get("payload") or {}).get("headers") or ()
    return {str(each["name"]).lower(): str(each["value"]) for each in headers}
