"""Google: the accounts of a server, and its response to each request."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any

from tests.google import batch, calendar, gmail, labels, mime, outgoing, threads
from tests.google.calendar import Calendars
from tests.google.catalogue import Call, called, missing_scope
from tests.google.consent import ACTION, SCOPE, consent_page, error_page
from tests.google.events import Event
from tests.google.faults import WELL, Fault, Faults, Match
from tests.google.mailbox import Change, Label, Mailbox, Message
from tests.google.message import Answered, Asked, json_answer
from tests.google.oauth import Authorizations
from tests.google.refusal import RefusalError, not_found, refused
from tools.accounts.google.grant import Grant
from tools.accounts.google.oauth_client import GoogleClient, GoogleEndpoints
from tools.accounts.google.permissions import Permission, scopes_of

_GMAIL = {**gmail.METHODS, **labels.METHODS, **outgoing.METHODS, **threads.METHODS}
_COUNTS = "/counts"
_MISSING = Answered(404, b"Not Found", "text/html; charset=utf-8")


@dataclass(frozen=True)
class Person:
    """One account."""

    mailbox: Mailbox
    calendars: Calendars


@dataclass(frozen=True)
class Outcome:
    """The response to a request, and its fault."""

    answer: Answered
    fault: Fault = WELL


class Google:
    """The whole state of a server. `latency` is in seconds, for each HTTP request.

    The mailbox and the calendar of the server are those of its first account.
    """

    def __init__(self, addresses: Collection[str], zone: str = "Europe/Berlin") -> None:
        self.people = {each: Person(Mailbox(each), Calendars(each, zone)) for each in addresses}
        self.client = GoogleClient("1234-deskhand.apps.googleusercontent.com", "GOCSPX-loopback")
        self.oauth = Authorizations(self.client.id, self.client.secret, tuple(addresses))
        self.url = ""
        self.latency = 0.0
        self.connections = 0
        self.requests: list[Asked] = []
        self._faults = Faults()
        for person in self.people.values():
            person.mailbox.deliver = self._deliver
        self._lock = threading.RLock()

    @property
    def endpoints(self) -> GoogleEndpoints:
        """Where Deskhand finds it."""
        return GoogleEndpoints.at(self.url)

    @property
    def address(self) -> str:
        """The first account's."""
        return next(iter(self.people))

    @property
    def mailbox(self) -> Mailbox:
        """The first account's mail."""
        return self.people[self.address].mailbox

    @property
    def calendar(self) -> calendar.Calendar:
        """The first account's own calendar."""
        return self.people[self.address].calendars.primary

    @property
    def messages(self) -> Mapping[str, Message]:
        """The mail by its ids."""
        return self.mailbox.messages

    @property
    def drafts(self) -> Mapping[str, str]:
        """The id of each draft's message."""
        return self.mailbox.drafts

    @property
    def sent(self) -> list[Message]:
        """The mail that went out, in order."""
        return self.mailbox.sent

    @property
    def labels(self) -> Mapping[str, Label]:
        """The labels by their ids."""
        return self.mailbox.labels

    @property
    def history(self) -> list[Change]:
        """The history of the mailbox."""
        return self.mailbox.history

    @property
    def events(self) -> Mapping[str, Event]:
        """The events of the own calendar by their ids."""
        return self.calendar.events

    def add_mail(
        self,
        message: bytes | EmailMessage,
        labels: Collection[str] = ("INBOX", "UNREAD"),
        thread: str = "",
        date: datetime | None = None,
    ) -> Message:
        """Let a message arrive."""
        with self._lock:
            return self.mailbox.add(message, labels, thread, date)

    def _deliver(self, raw: bytes, addresses: Sequence[str]) -> None:
        """Deliver a sent message to its recipients on this server."""
        for address, person in self.people.items():
            if address.lower() in addresses:
                person.mailbox.add(mime.without_bcc(raw))

    def add_event(self, **body: Any) -> Event:
        """Put an event, as the API takes it, into the own calendar."""
        with self._lock:
            return self.calendar.add(body)

    def grant(self, permissions: Iterable[Permission], address: str = "") -> Grant:
        """Return the grant that signing in would return."""
        with self._lock:
            tokens = self.oauth.grant(address or self.address, scopes_of(permissions))
        ends = datetime.now(UTC) + timedelta(seconds=tokens["expires_in"])
        scopes = frozenset(tokens["scope"].split())
        return Grant(tokens["refresh_token"], scopes, tokens["access_token"], ends)

    def fail(self, match: Match, fault: Fault, times: int = 1) -> None:
        """Inject a fault into the next matching requests.

        Args:
            match: a part of the path and query, also after a verb ("POST drafts/send"), or a
                test of the request. A part of a batch is a request too.
            fault: the fault.
            times: the number of requests.
        """
        with self._lock:
            self._faults.plan(match, fault, times)

    def mend(self) -> None:
        """Let everything go well again."""
        with self._lock:
            self._faults.clear()

    def refuse_batch(self) -> None:
        """Answer no batch from now on."""
        gone = Fault("refused", 404, "notFound", "Not Found")
        self.fail(lambda asked: asked.path in batch.PATHS, gone, times=1_000_000)

    def expire_tokens(self) -> None:
        """Let every access token have ended; those that refresh still do."""
        with self._lock:
            self.oauth.expire()

    def revoke_all(self) -> None:
        """Revoke all grants, as users do in their account."""
        with self._lock:
            self.oauth.revoke_all()

    def outcome(self, asked: Asked) -> Outcome:
        """Return the response to a request, with its fault."""
        if asked.path == _COUNTS:
            return Outcome(self._counts())
        with self._lock:
            self.requests.append(asked)
            fault = self._faults.take(asked) or WELL
            match fault.end:
                case "refused":
                    return Outcome(fault.refusal(_api(asked)), fault)
                case "closed" | "hanging":
                    return Outcome(_MISSING, fault)
                case "broken":
                    whole = self._answer(asked)
                    return Outcome(Answered(200, whole.body[:-1] + b'"', whole.kind), fault)
                case "empty":
                    return Outcome(Answered(200, b"{}", self._answer(asked).kind), fault)
            return Outcome(self._answer(asked), fault)

    def _answer(self, asked: Asked) -> Answered:
        if asked.method == "POST" and asked.path in batch.PATHS:
            return self._batched(asked)
        page = self._pages.get((asked.method, asked.path))
        return page(asked) if page else self._called(asked)

    @property
    def _pages(self) -> Mapping[tuple[str, str], Callable[[Asked], Answered]]:
        """Return the response of a page that is not an API method."""
        return {
            ("GET", "/o/oauth2/v2/auth"): self._asking,
            ("POST", ACTION): self._decided,
            ("POST", "/oauth2/token"): lambda asked: self.oauth.token(asked.form),
            ("POST", "/oauth2/revoke"): lambda asked: self.oauth.revoke(_token(asked)),
        }

    def _asking(self, asked: Asked) -> Answered:
        request = {name: values[-1] for name, values in asked.query.items()}
        wrong = self.oauth.check(request)
        return error_page(wrong) if wrong else consent_page(request, list(self.people))

    def _counts(self) -> Answered:
        """Return the request counts, for measurements from another process."""
        return json_answer({"requests": len(self.requests), "connections": self.connections})

    def _decided(self, asked: Asked) -> Answered:
        if asked.form.get("email") not in self.people:
            return error_page("no such account")
        where = self.oauth.decide(asked.form, asked.posted.get(SCOPE, []))
        return Answered(302, kind="", headers={"location": where})

    def _batched(self, asked: Asked) -> Answered:
        try:
            asked.parts = batch.read_parts(asked)
        except RefusalError as error:
            return refused(error, "gmail")
        return batch.joined(asked.parts, [self._part(each) for each in asked.parts])

    def _part(self, asked: Asked) -> Answered:
        fault = self._faults.take(asked)
        if fault and fault.end == "refused":
            return fault.refusal(_api(asked))
        answer = self._called(asked)
        if fault and fault.end == "broken":
            return Answered(200, answer.body[:-1], answer.kind)
        return answer

    def _called(self, asked: Asked) -> Answered:
        try:
            return _given(self._done(asked))
        except RefusalError as error:
            return refused(error, _api(asked))

    def _done(self, asked: Asked) -> Any:
        call = called(asked)
        allowed = self.oauth.bearer(asked.headers.get("authorization", ""))
        if not call.method.scopes & allowed.scopes:
            raise missing_scope(call.method)
        return _do(self.people[allowed.address], call)


def _do(person: Person, call: Call) -> Any:
    name = call.method.id
    if name in _GMAIL:
        gmail.own(person.mailbox, call)
        return _GMAIL[name](person.mailbox, call)
    if name in calendar.METHODS:
        found = person.calendars.find(call.variables["calendarId"])
        return calendar.METHODS[name](found, call)
    if name == "calendar.calendarList.list":
        entries = [calendar.entry(each) for each in person.calendars.all.values()]
        return {"kind": "calendar#calendarList", "items": entries}
    raise not_found(f"This server does not play {name}.")


def _token(asked: Asked) -> str:
    return asked.form.get("token") or asked.query.get("token", [""])[-1]


def _given(value: Any) -> Answered:
    return Answered(200, value) if isinstance(value, bytes) else json_answer(value)


def _api(asked: Asked) -> str:
    return "calendar" if "calendar" in asked.segments[:2] else "gmail"
