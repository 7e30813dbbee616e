"""Gmail sender: sends by way of a draft, which Gmail sends only once."""

import asyncio
import base64
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from io import BytesIO
from typing import Any
from urllib.parse import quote, urlencode

from tools.accounts.google.api_response import GoogleApiError, OutcomeUnknownError
from tools.accounts.google.google_api import GoogleApi
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.gmail_search import search_operand
from tools.mail.message.addresses import parse_addresses
from tools.mail.message.headers import header_text, parse_date_header
from tools.moments.clock import Clock
from tools.retry import RetryPolicy
from tools.tool_errors import ToolError, UnknownOutcomeError

NEWEST_CHECKED = 10  # messages that are looked through

_ASCII = SMTP.clone(cte_type="7bit")  # Google's client cannot upload anything else
_ROOT = "/gmail/v1/users/me"
_IDENTIFYING_HEADERS = ("Message-ID", "Date", "To", "Subject")
_HEADERS = urlencode([("metadataHeaders", name) for name in _IDENTIFYING_HEADERS])


@dataclass(frozen=True)
class SerializedMessage:
    """A message as it goes out, and the headers that it can be known by, names in lower case."""

    raw: bytes
    headers: Mapping[str, str]

    @classmethod
    def of(cls, message: EmailMessage) -> "SerializedMessage":
        """The message, written down; blocks while it does."""
        headers = {name.lower(): str(message[name] or "") for name in _IDENTIFYING_HEADERS}
        return cls(message.as_bytes(policy=_ASCII), headers)

    @property
    def message_id(self) -> str:
        """Its Message-ID, without angle brackets."""
        return _bare_message_id(self.headers)

    def is_draft(self, headers: Mapping[str, str]) -> bool:
        """Whether they are of its draft."""
        return _bare_message_id(headers) == self.message_id

    def is_sent(self, headers: Mapping[str, str]) -> bool:
        """Whether they are of it as it was sent, when it may get another Message-ID."""
        return self.is_draft(headers) or _identity(headers) == _identity(self.headers)


class SentMessageFinder:
    """Looks for letters in one account."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def searched(self, letter: SerializedMessage) -> tuple[bool, str]:
        """Whether it was sent before, and its draft's id or "", as Gmail's search knows it."""
        text = f"rfc822msgid:{search_operand(letter.message_id)}"
        sent = urlencode({"q": text, "labelIds": "SENT", "maxResults": NEWEST_CHECKED})
        draft = urlencode({"q": text, "maxResults": NEWEST_CHECKED})
        listed, drafted = await self._json([f"{_ROOT}/messages?{sent}", f"{_ROOT}/drafts?{draft}"])
        was_sent = bool(await self._known(_ids(listed), letter.is_sent))
        return was_sent, "" if was_sent else await self._one_of(_drafts(drafted), letter)

    async def is_in_sent(self, letter: SerializedMessage) -> bool:
        """Whether it is among the newest in Sent, which Gmail knows at once."""
        (listed,) = await self._json(
            [f"{_ROOT}/messages?labelIds=SENT&maxResults={NEWEST_CHECKED}"]
        )
        return bool(await self._known(_ids(listed), letter.is_sent))

    async def draft(self, letter: SerializedMessage) -> str:
        """The id of its draft among the newest, "" where there is none."""
        (listed,) = await self._json([f"{_ROOT}/drafts?maxResults={NEWEST_CHECKED}"])
        return await self._one_of(_drafts(listed), letter)

    async def has_draft(self, id: str) -> bool:
        """Whether a draft is still there."""
        path = f"{_ROOT}/drafts/{quote(id, safe='')}?format=minimal"
        (answer,) = await self._api.read_all(Permission.WRITE_MAIL, [path])
        if isinstance(answer, GoogleApiError) and answer.status != 404:
            raise answer
        return not isinstance(answer, GoogleApiError)

    async def _one_of(self, drafts: Mapping[str, str], letter: SerializedMessage) -> str:
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
        answers = await self._api.read_all(Permission.READ_MAIL, paths)
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


def _bare_message_id(headers: Mapping[str, str]) -> str:
    return headers.get("message-id", "").strip("<> ")


def _identity(headers: Mapping[str, str]) -> tuple[object, ...]:
    """When it was written, to whom and about what; of a message without a date nothing equal."""
    people = {one.address.casefold() for one in parse_addresses(headers.get("to", ""))}
    moment = parse_date_header(headers.get("date", ""))
    return moment or object(), people, header_text(headers.get("subject", ""))


CHECK_DELAYS = (1.0, 2.0, 4.0)  # seconds before each look at what became of a letter
LARGEST_IN_JSON = 3_000_000  # bytes; a larger letter is uploaded beside the JSON


class GmailSender:
    """Implements `Outgoing`. A lost reply is settled by looking at the draft and into Sent."""

    drafts_online = True

    def __init__(self, api: GoogleApi, name: str, clock: Clock, retry_policy: RetryPolicy) -> None:
        """Nothing is asked yet.

        Args:
            api: Gmail's.
            name: the name shown beside the address, or "".
            clock: tells when was looked for a letter.
            retry_policy: how the time between looks is slept through.
        """
        self.account = api.account.name
        self.address = api.account.address
        self.name = name
        self._api = api
        self._clock = clock
        self._sleep = retry_policy.sleep
        self._traces = SentMessageFinder(api)
        self._drafts: dict[str, str] = {}  # ids by Message-ID
        self._sent: set[str] = set()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def ready(self) -> None:
        """Make sure that the account is signed in, and may write, and read what became of it."""
        await self._api.account.authorized_session(Permission.READ_MAIL)
        await self._api.account.authorized_session(Permission.WRITE_MAIL)

    async def send(self, message: EmailMessage, thread_id: str = "") -> str:
        """Send the message; where it was sent already, nothing is done."""
        letter = await asyncio.to_thread(SerializedMessage.of, message)
        async with self._turns[letter.message_id]:
            if letter.message_id not in self._sent:
                was_sent, draft = await self._earlier(letter)
                if not was_sent:
                    await self._send(letter, draft or await self._created(letter, thread_id))
                self._drafts.pop(letter.message_id, None)
                self._sent.add(letter.message_id)
        return ""

    async def save_draft(self, message: EmailMessage, thread_id: str = "") -> str:
        """Keep the message in Drafts; where it is there already, nothing is done."""
        letter = await asyncio.to_thread(SerializedMessage.of, message)
        async with self._turns[letter.message_id]:
            _, draft = await self._earlier(letter)
            if not draft:
                await self._created(letter, thread_id)
        return f"Drafts in Gmail ({self.account})"

    async def _earlier(self, letter: SerializedMessage) -> tuple[bool, str]:
        """Whether it was sent before, and its draft's id or ""."""
        if known := self._drafts.get(letter.message_id):
            return False, known
        return await self._traces.searched(letter)

    async def _created(self, letter: SerializedMessage, thread_id: str) -> str:
        """The id of a new draft; one whose reply was lost is looked for before it is made anew."""
        id = await self._tried_to_create(letter, thread_id)
        id = id or await self._tried_to_create(letter, thread_id)
        if not id:
            raise ToolError(
                "Gmail did not say whether the message is kept as a draft: look into Drafts of"
                f" {self.account}."
            )
        self._drafts[letter.message_id] = id
        return id

    async def _tried_to_create(self, letter: SerializedMessage, thread_id: str) -> str:
        try:
            made = await self._api.call(
                Permission.WRITE_MAIL,
                lambda gmail: _draft_request(gmail.users().drafts(), letter, thread_id),
                idempotent=False,
            )
            return str(made["id"])
        except OutcomeUnknownError:
            await self._sleep(CHECK_DELAYS[0])
            return await self._traces.draft(letter)

    async def _send(self, letter: SerializedMessage, draft: str) -> None:
        """Send the draft; a second time only where it is still there and was not sent."""
        trace = _DeliveryCheck()
        if await self._gave(draft) or (trace := await self._settled(letter, draft)).is_sent:
            return
        if trace.has_draft:
            with suppress(ToolError):  # what is told is the first time's
                if await self._gave(draft):
                    return
                trace = await self._settled(letter, draft)
        if not trace.is_sent:
            raise UnknownOutcomeError(trace.words(self.account))

    async def _gave(self, draft: str) -> bool:
        """Whether Gmail says that it sent the draft; False where it says nothing that tells."""
        try:
            await self._api.call(
                Permission.WRITE_MAIL,
                lambda gmail: gmail.users().drafts().send(userId="me", body={"id": draft}),
                idempotent=False,
            )
        except OutcomeUnknownError:
            return False
        except GoogleApiError as error:
            if error.status == 404:  # it may have been sent by the time before
                return False
            words = f"{error} The message is kept in Drafts of {self.account}."
            raise ToolError(words, error.remedy) from error
        return True

    async def _settled(self, letter: SerializedMessage, draft: str) -> "_DeliveryCheck":
        """What became of a draft that may have been sent; asked some times, as it may take long."""
        trace = _DeliveryCheck()
        for pause in CHECK_DELAYS:
            await self._sleep(pause)
            try:
                is_sent = await self._traces.is_in_sent(letter)
                has_draft = not is_sent and await self._traces.has_draft(draft)
            except ToolError:
                continue
            trace = _DeliveryCheck(is_sent, has_draft, self._clock())
            if is_sent:
                break
        return trace


@dataclass(frozen=True)
class _DeliveryCheck:
    """What was last seen of a letter, and when; None where nothing could be looked at."""

    is_sent: bool = False
    has_draft: bool = False
    looked: datetime | None = None

    def words(self, account: str) -> str:
        """What the user should know of a letter whose fate is unclear."""
        begin = f"The email may have been sent: Gmail did not say ({account})."
        if self.looked is None:
            return f"{begin} It could not be looked for. Look into Sent before you send it again."
        where = "It is still in Drafts." if self.has_draft else "It is not in Drafts any more."
        seen = f"Looked in Sent: not there at {self.looked:%H:%M}. {where}"
        return f"{begin} {seen} Look into Sent before you send it again."


def _draft_request(drafts: Any, letter: SerializedMessage, thread_id: str) -> Any:
    """The request that makes a draft; within JSON where it is small enough."""
    message = {"threadId": thread_id} if thread_id else {}
    if len(letter.raw) <= LARGEST_IN_JSON:
        message["raw"] = base64.urlsafe_b64encode(letter.raw).decode()
        return drafts.create(userId="me", body={"message": message})
    from googleapiclient.http import MediaIoBaseUpload  # noqa: PLC0415 — it is loaded by now

    upload = MediaIoBaseUpload(BytesIO(letter.raw), "message/rfc822")
    return drafts.create(userId="me", body={"message": message}, media_body=upload)
