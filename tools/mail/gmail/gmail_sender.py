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

NEWEST_CHECKED = 10  # messages
CHECK_DELAYS = (1.0, 2.0, 4.0)  # seconds before each check for a message
MAX_JSON_SIZE = 3_000_000  # bytes; a larger message is uploaded beside the JSON

_ASCII = SMTP.clone(cte_type="7bit")  # Google's client cannot upload anything else
_ROOT = "/gmail/v1/users/me"
_IDENTIFYING_HEADERS = ("Message-ID", "Date", "To", "Subject")
_HEADERS = urlencode([("metadataHeaders", name) for name in _IDENTIFYING_HEADERS])


@dataclass(frozen=True)
class SerializedMessage:
    """A message as sent, with its identifying headers, names in lower case."""

    raw: bytes
    headers: Mapping[str, str]

    @classmethod
    def of(cls, message: EmailMessage) -> "SerializedMessage":
        """Serialize the message; blocks."""
        headers = {name.lower(): str(message[name] or "") for name in _IDENTIFYING_HEADERS}
        return cls(message.as_bytes(policy=_ASCII), headers)

    @property
    def message_id(self) -> str:
        """The Message-ID without angle brackets."""
        return _bare_message_id(self.headers)

    def is_draft(self, headers: Mapping[str, str]) -> bool:
        """Whether the headers are those of its draft."""
        return _bare_message_id(headers) == self.message_id

    def is_sent(self, headers: Mapping[str, str]) -> bool:
        """Whether the headers are those of the sent message, which may have a new Message-ID."""
        return self.is_draft(headers) or _identity(headers) == _identity(self.headers)


class SentMessageFinder:
    """Looks for messages in Sent and Drafts of one account."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def search(self, message: SerializedMessage) -> tuple[bool, str]:
        """Return whether Gmail's search finds it as sent, and the id of its draft or ""."""
        text = f"rfc822msgid:{search_operand(message.message_id)}"
        sent = urlencode({"q": text, "labelIds": "SENT", "maxResults": NEWEST_CHECKED})
        draft = urlencode({"q": text, "maxResults": NEWEST_CHECKED})
        listed, drafted = await self._json([f"{_ROOT}/messages?{sent}", f"{_ROOT}/drafts?{draft}"])
        was_sent = bool(await self._matching_ids(_ids(listed), message.is_sent))
        return was_sent, "" if was_sent else await self._matching_draft(_drafts(drafted), message)

    async def is_in_sent(self, message: SerializedMessage) -> bool:
        """Whether it is among the newest messages in Sent, which need no search index."""
        (listed,) = await self._json(
            [f"{_ROOT}/messages?labelIds=SENT&maxResults={NEWEST_CHECKED}"]
        )
        return bool(await self._matching_ids(_ids(listed), message.is_sent))

    async def find_draft(self, message: SerializedMessage) -> str:
        """Return the id of its draft among the newest, "" if there is none."""
        (listed,) = await self._json([f"{_ROOT}/drafts?maxResults={NEWEST_CHECKED}"])
        return await self._matching_draft(_drafts(listed), message)

    async def has_draft(self, id: str) -> bool:
        """Whether a draft still exists."""
        path = f"{_ROOT}/drafts/{quote(id, safe='')}?format=minimal"
        (response,) = await self._api.read_all(Permission.WRITE_MAIL, [path])
        if isinstance(response, GoogleApiError) and response.status != 404:
            raise response
        return not isinstance(response, GoogleApiError)

    async def _matching_draft(self, drafts: Mapping[str, str], message: SerializedMessage) -> str:
        known = await self._matching_ids(list(drafts), message.is_draft)
        return next((drafts[id] for id in known), "")

    async def _matching_ids(
        self, ids: Sequence[str], is_match: Callable[[Mapping[str, str]], bool]
    ) -> list[str]:
        """Return the ids of the messages whose headers match."""
        paths = [f"{_ROOT}/messages/{id}?format=metadata&{_HEADERS}" for id in ids]
        messages = await self._json(paths, required=False)
        return [id for id, each in zip(ids, messages, strict=True) if is_match(_headers(each))]

    async def _json(self, paths: Sequence[str], *, required: bool = True) -> list[Any]:
        """Return the JSON responses; {} for objects that are gone."""
        responses = await self._api.read_all(Permission.READ_MAIL, paths)
        for each in responses:
            if isinstance(each, GoogleApiError) and (required or each.status != 404):
                raise each
        return [{} if isinstance(each, GoogleApiError) else each.json for each in responses]


def _ids(listed: Mapping[str, Any]) -> list[str]:
    return [str(each["id"]) for each in listed.get("messages") or ()]


def _drafts(listed: Mapping[str, Any]) -> dict[str, str]:
    """Return draft ids by message id."""
    return {str(each["message"]["id"]): str(each["id"]) for each in listed.get("drafts") or ()}


def _headers(message: Mapping[str, Any]) -> Mapping[str, str]:
    headers = (message.get("payload") or {}).get("headers") or ()
    return {str(each["name"]).lower(): str(each["value"]) for each in headers}


def _bare_message_id(headers: Mapping[str, str]) -> str:
    return headers.get("message-id", "").strip("<> ")


def _identity(headers: Mapping[str, str]) -> tuple[object, ...]:
    """Return date, recipients and subject; a message without a date equals no other."""
    recipients = {one.address.casefold() for one in parse_addresses(headers.get("to", ""))}
    date = parse_date_header(headers.get("date", ""))
    return date or object(), recipients, header_text(headers.get("subject", ""))


class GmailSender:
    """Implements `MailSender`. After a lost reply it checks the draft and the Sent folder."""

    drafts_online = True

    def __init__(self, api: GoogleApi, name: str, clock: Clock, retry_policy: RetryPolicy) -> None:
        """Configure the sender; nothing is requested yet."""
        self.account = api.account.name
        self.address = api.account.address
        self.name = name
        self._api = api
        self._clock = clock
        self._sleep = retry_policy.sleep
        self._finder = SentMessageFinder(api)
        self._drafts: dict[str, str] = {}  # ids by Message-ID
        self._sent: set[str] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def ensure_ready(self) -> None:
        """Ensure that the account is signed in, and may write and read mail."""
        await self._api.account.authorized_session(Permission.READ_MAIL)
        await self._api.account.authorized_session(Permission.WRITE_MAIL)

    async def send(self, message: EmailMessage, thread_id: str = "") -> str:
        """Send the message; does nothing if it was already sent."""
        serialized = await asyncio.to_thread(SerializedMessage.of, message)
        id = serialized.message_id
        async with self._locks[id]:
            if id not in self._sent:
                was_sent, draft_id = await self._find_earlier(serialized)
                if not was_sent:
                    draft_id = draft_id or await self._create_draft(serialized, thread_id)
                    await self._send_once(serialized, draft_id)
                self._drafts.pop(id, None)
                self._sent.add(id)
        return ""

    async def save_draft(self, message: EmailMessage, thread_id: str = "") -> str:
        """Save the message in Drafts; does nothing if it is already there."""
        serialized = await asyncio.to_thread(SerializedMessage.of, message)
        async with self._locks[serialized.message_id]:
            _, draft_id = await self._find_earlier(serialized)
            if not draft_id:
                await self._create_draft(serialized, thread_id)
        return f"Drafts in Gmail ({self.account})"

    async def _find_earlier(self, message: SerializedMessage) -> tuple[bool, str]:
        """Return whether the message was already sent, and the id of its draft or ""."""
        if known := self._drafts.get(message.message_id):
            return False, known
        return await self._finder.search(message)

    async def _create_draft(self, message: SerializedMessage, thread_id: str) -> str:
        """Create a draft, return its id; after a lost reply it is searched before a second try."""
        id = await self._try_to_create(message, thread_id)
        id = id or await self._try_to_create(message, thread_id)
        if not id:
            raise ToolError(
                "Gmail did not say whether the message was saved as a draft: look in Drafts of"
                f" {self.account}."
            )
        self._drafts[message.message_id] = id
        return id

    async def _try_to_create(self, message: SerializedMessage, thread_id: str) -> str:
        try:
            draft = await self._api.call(
                Permission.WRITE_MAIL,
                lambda gmail: _draft_request(gmail.users().drafts(), message, thread_id),
                idempotent=False,
            )
            return str(draft["id"])
        except OutcomeUnknownError:
            await self._sleep(CHECK_DELAYS[0])
            return await self._finder.find_draft(message)

    async def _send_once(self, message: SerializedMessage, draft_id: str) -> None:
        """Send the draft; a second time only if it still exists and was not sent."""
        if await self._send_draft(draft_id):
            return
        check = await self._check_delivery(message, draft_id)
        if check.has_draft:
            with suppress(ToolError):  # the first error is the one to report
                if await self._send_draft(draft_id):
                    return
                check = await self._check_delivery(message, draft_id)
        if not check.is_sent:
            raise UnknownOutcomeError(check.words(self.account))

    async def _send_draft(self, draft_id: str) -> bool:
        """Whether Gmail confirms that the draft was sent; False if its reply does not tell."""
        try:
            await self._api.call(
                Permission.WRITE_MAIL,
                lambda gmail: gmail.users().drafts().send(userId="me", body={"id": draft_id}),
                idempotent=False,
            )
        except OutcomeUnknownError:
            return False
        except GoogleApiError as error:
            if error.status == 404:  # an earlier attempt may have sent it
                return False
            text = f"{error} The message is in Drafts of {self.account}."
            raise ToolError(text, error.remedy) from error
        return True

    async def _check_delivery(self, message: SerializedMessage, draft_id: str) -> "_DeliveryCheck":
        """Check repeatedly whether a draft was sent, as Gmail may take a while."""
        check = _DeliveryCheck()
        for pause in CHECK_DELAYS:
            await self._sleep(pause)
            try:
                is_sent = await self._finder.is_in_sent(message)
                has_draft = not is_sent and await self._finder.has_draft(draft_id)
            except ToolError:
                continue
            check = _DeliveryCheck(is_sent, has_draft, self._clock())
            if is_sent:
                break
        return check


@dataclass(frozen=True)
class _DeliveryCheck:
    """Result and time of the last check; `checked_at` is None if no check succeeded."""

    is_sent: bool = False
    has_draft: bool = False
    checked_at: datetime | None = None

    def words(self, account: str) -> str:
        """Return the explanation for the user of an unconfirmed delivery."""
        intro = f"The email may have been sent: Gmail did not say ({account})."
        if self.checked_at is None:
            return f"{intro} It could not be checked. Look in Sent before you send it again."
        where = "It is still in Drafts." if self.has_draft else "It is not in Drafts any more."
        seen = f"Looked in Sent: not there at {self.checked_at:%H:%M}. {where}"
        return f"{intro} {seen} Look in Sent before you send it again."


def _draft_request(drafts: Any, message: SerializedMessage, thread_id: str) -> Any:
    """Return the request that creates a draft, with the message in JSON if small enough."""
    body = {"threadId": thread_id} if thread_id else {}
    if len(message.raw) <= MAX_JSON_SIZE:
        body["raw"] = base64.urlsafe_b64encode(message.raw).decode()
        return drafts.create(userId="me", body={"message": body})
    from googleapiclient.http import MediaIoBaseUpload  # noqa: PLC0415 — it is loaded by now

    upload = MediaIoBaseUpload(BytesIO(message.raw), "message/rfc822")
    return drafts.create(userId="me", body={"message": body}, media_body=upload)
