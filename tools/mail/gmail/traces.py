"""Traces: what Gmail has of a letter, as a draft or in Sent, found without being told its id."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any
from urllib.parse import quote, urlencode

from tools.accounts.google.api import GoogleApi, GoogleApiError
from tools.accounts.google.permissions import Permission
from tools.mail.addresses import addresses
from tools.mail.dates import read_date
from tools.mail.gmail.query import operand
from tools.mail.headers import readable

NEWEST = 10  # messages that are looked through

_ASCII = SMTP.clone(cte_type="7bit")  # Google's client cannot upload anything else
_ROOT = "/gmail/v1/users/me"
_KNOWN_BY = ("Message-ID", "Date", "To", "Subject")
_HEADERS = urlencode([("metadataHeaders", name) for name in _KNOWN_BY])


@dataclass(frozen=True)
class Written:
    """A message as it goes out, and the headers that it can be known by, names in lower case."""

    raw: bytes
    headers: Mapping[str, str]

    @classmethod
    def of(cls, message: EmailMessage) -> "Written":
        """The message, written down; blocks while it does."""
        headers = {name.lower(): str(message[name] or "") for name in _KNOWN_BY}
        return cls(message.as_bytes(policy=_ASCII), headers)

    @property
    def message_id(self) -> str:
        """Its Message-ID, without angle brackets."""
        return _bare(self.headers)

    def is_draft(self, headers: Mapping[str, str]) -> bool:
        """Whether they are of its draft."""
        return _bare(headers) == self.message_id

    def is_sent(self, headers: Mapping[str, str]) -> bool:
        """Whether they are of it as it was sent, when it may get another Message-ID."""
        return self.is_draft(headers) or _said(headers) == _said(self.headers)


class Traces:
    """Looks for letters in one account."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def searched(self, letter: Written) -> tuple[bool, str]:
        """Whether it was sent before, and its draft's id or "", as Gmail's search knows it."""
        text = f"rfc822msgid:{operand(letter.message_id)}"
        sent = urlencode({"q": text, "labelIds": "SENT", "maxResults": NEWEST})
        draft = urlencode({"q": text, "maxResults": NEWEST})
        listed, drafted = await self._json([f"{_ROOT}/messages?{sent}", f"{_ROOT}/drafts?{draft}"])
        was_sent = bool(await self._known(_ids(listed), letter.is_sent))
        return was_sent, "" if was_sent else await self._one_of(_drafts(drafted), letter)

    async def is_in_sent(self, letter: Written) -> bool:
        """Whether it is among the newest in Sent, which Gmail knows at once."""
        (listed,) = await self._json([f"{_ROOT}/messages?labelIds=SENT&maxResults={NEWEST}"])
        return bool(await self._known(_ids(listed), letter.is_sent))

    async def draft(self, letter: Written) -> str:
        """The id of its draft among the newest, "" where there is none."""
        (listed,) = await self._json([f"{_ROOT}/drafts?maxResults={NEWEST}"])
        return await self._one_of(_drafts(listed), letter)

    async def has_draft(self, id: str) -> bool:
        """Whether a draft is still there."""
        path = f"{_ROOT}/drafts/{quote(id, safe='')}?format=minimal"
        (answer,) = await self._api.each(Permission.WRITE_MAIL, [path])
        if isinstance(answer, GoogleApiError) and answer.status != 404:
            raise answer
        return not isinstance(answer, GoogleApiError)

    async def _one_of(self, drafts: Mapping[str, str], letter: Written) -> str:
        known = await self._known(list(drafts), letter.is_draft)
        return next((drafts[id] for id in known), "")

    async def _known(
        self, ids: Sequence[str], is_it: Callable[[Mapping[str, str]], bool]
    ) -> list[str]:
        """Those of the messages whose headers say that it is the letter."""
        paths = [f"{_ROOT}/messages/{id}?format=metadata&{_HEADERS}" for id in ids]
        given = await self._json(paths, is_needed=False)
        return [id for id, each in zip(ids, given, strict=True) if is_it(_headers(each))]

    async def _json(self, paths: Sequence[str], *, is_needed: bool = True) -> list[Any]:
        """What is read; {} for what is gone meanwhile."""
        answers = await self._api.each(Permission.READ_MAIL, paths)
        for each in answers:
            if isinstance(each, GoogleApiError) and (is_needed or each.status != 404):
                raise each
        return [{} if isinstance(each, GoogleApiError) else each.json for each in answers]


def _ids(listed: Mapping[str, Any]) -> list[str]:
    return [str(each["id"]) for each in listed.get("messages") or ()]


def _drafts(listed: Mapping[str, Any]) -> dict[str, str]:
    """The ids of drafts by those of their messages."""
    return {str(each["message"]["id"]): str(each["id"]) for each in listed.get("drafts") or ()}


def _headers(message: Mapping[str, Any]) -> Mapping[str, str]:
    headers = (message.get("payload") or {}).get("headers") or ()
    return {str(each["name"]).lower(): str(each["value"]) for each in headers}


def _bare(headers: Mapping[str, str]) -> str:
    return headers.get("message-id", "").strip("<> ")


def _said(headers: Mapping[str, str]) -> tuple[object, ...]:
    """When it was written, to whom and about what; of a message without a date nothing equal."""
    people = {one.address.casefold() for one in addresses(headers.get("to", ""))}
    moment = read_date(headers.get("date", ""))
    return moment or object(), people, readable(headers.get("subject", ""))
