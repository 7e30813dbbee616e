"""Outgoing mail by Gmail: a draft first, and sent from there, which Gmail does only once."""

import asyncio
import base64
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from io import BytesIO
from typing import Any

from tools.accounts.google.api import GoogleApi, GoogleApiError, LostReplyError
from tools.accounts.google.permissions import Permission
from tools.mail.gmail.traces import Traces, Written
from tools.moments import Clock
from tools.patience import Patience
from tools.tool import ToolError, UnsettledError

LOOKS = (1.0, 2.0, 4.0)  # seconds before each look at what became of a letter
LARGEST_IN_JSON = 3_000_000  # bytes; a larger letter is uploaded beside the JSON


class GmailOutgoing:
    """Implements `Outgoing`. A lost reply is settled by looking at the draft and into Sent."""

    drafts_online = True

    def __init__(self, api: GoogleApi, name: str, clock: Clock, patience: Patience) -> None:
        """Nothing is asked yet.

        Args:
            api: Gmail's.
            name: the name shown beside the address, or "".
            clock: tells when was looked for a letter.
            patience: how the time between looks is slept through.
        """
        self.account = api.account.name
        self.address = api.account.address
        self.name = name
        self._api = api
        self._clock = clock
        self._sleep = patience.sleep
        self._traces = Traces(api)
        self._drafts: dict[str, str] = {}  # ids by Message-ID
        self._sent: set[str] = set()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def ready(self) -> None:
        """Make sure that the account is signed in, and may write, and read what became of it."""
        await self._api.account.authorized(Permission.READ_MAIL)
        await self._api.account.authorized(Permission.WRITE_MAIL)

    async def send(self, message: EmailMessage, thread_id: str = "") -> str:
        """Send the message; where it was sent already, nothing is done."""
        letter = await asyncio.to_thread(Written.of, message)
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
        letter = await asyncio.to_thread(Written.of, message)
        async with self._turns[letter.message_id]:
            _, draft = await self._earlier(letter)
            if not draft:
                await self._created(letter, thread_id)
        return f"Drafts in Gmail ({self.account})"

    async def _earlier(self, letter: Written) -> tuple[bool, str]:
        """Whether it was sent before, and its draft's id or ""."""
        if known := self._drafts.get(letter.message_id):
            return False, known
        return await self._traces.searched(letter)

    async def _created(self, letter: Written, thread_id: str) -> str:
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

    async def _tried_to_create(self, letter: Written, thread_id: str) -> str:
        try:
            made = await self._api.call(
                Permission.WRITE_MAIL,
                lambda gmail: _creation(gmail.users().drafts(), letter, thread_id),
                repeat=False,
            )
            return str(made["id"])
        except LostReplyError:
            await self._sleep(LOOKS[0])
            return await self._traces.draft(letter)

    async def _send(self, letter: Written, draft: str) -> None:
        """Send the draft; a second time only where it is still there and was not sent."""
        trace = _Trace()
        if await self._gave(draft) or (trace := await self._settled(letter, draft)).is_sent:
            return
        if trace.has_draft:
            with suppress(ToolError):  # what is told is the first time's
                if await self._gave(draft):
                    return
                trace = await self._settled(letter, draft)
        if not trace.is_sent:
            raise UnsettledError(trace.words(self.account))

    async def _gave(self, draft: str) -> bool:
        """Whether Gmail says that it sent the draft; False where it says nothing that tells."""
        try:
            await self._api.call(
                Permission.WRITE_MAIL,
                lambda gmail: gmail.users().drafts().send(userId="me", body={"id": draft}),
                repeat=False,
            )
        except LostReplyError:
            return False
        except GoogleApiError as error:
            if error.status == 404:  # it may have been sent by the time before
                return False
            words = f"{error} The message is kept in Drafts of {self.account}."
            raise ToolError(words, error.remedy) from error
        return True

    async def _settled(self, letter: Written, draft: str) -> "_Trace":
        """What became of a draft that may have been sent; asked some times, as it may take long."""
        trace = _Trace()
        for pause in LOOKS:
            await self._sleep(pause)
            try:
                is_sent = await self._traces.is_in_sent(letter)
                has_draft = not is_sent and await self._traces.has_draft(draft)
            except ToolError:
                continue
            trace = _Trace(is_sent, has_draft, self._clock())
            if is_sent:
                break
        return trace


@dataclass(frozen=True)
class _Trace:
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


def _creation(drafts: Any, letter: Written, thread_id: str) -> Any:
    """The request that makes a draft; within JSON where it is small enough."""
    message = {"threadId": thread_id} if thread_id else {}
    if len(letter.raw) <= LARGEST_IN_JSON:
        message["raw"] = base64.urlsafe_b64encode(letter.raw).decode()
        return drafts.create(userId="me", body={"message": message})
    from googleapiclient.http import MediaIoBaseUpload  # noqa: PLC0415 — it is loaded by now

    upload = MediaIoBaseUpload(BytesIO(letter.raw), "message/rfc822")
    return drafts.create(userId="me", body={"message": message}, media_body=upload)
