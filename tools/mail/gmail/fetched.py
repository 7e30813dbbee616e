"""Fetched: what there is of messages that Gmail listed, from Gmail or kept from before."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tools.accounts.google.api import Answer, GoogleApiError
from tools.mail.gmail.cache import Kept
from tools.mail.gmail.payload import GmailMessage, Unfetched, gmail_message

GONE = frozenset({400, 404})  # 400 for what can be no id

_PEOPLE = ("from", "to", "cc")
_UNREADABLE = "This message cannot be read here; open it in Gmail."


@dataclass(frozen=True)
class Fetched:
    """Messages by id: of all of them the threads in their order, what was kept, what was answered.

    Reading them takes a while: in a thread.
    """

    threads: Mapping[str, str]
    kept: Mapping[str, tuple[frozenset[str], bytes]]
    answers: Mapping[str, Answer | GoogleApiError]

    @property
    def failure(self) -> GoogleApiError | None:
        """What failed first, where everything did."""
        failures = [
            answer
            for answer in self.answers.values()
            if isinstance(answer, GoogleApiError) and not is_gone(answer)
        ]
        return failures[0] if failures and len(failures) == len(self.threads) else None

    @property
    def messages(self) -> list[GmailMessage | Unfetched]:
        """Those that are still there, in their order."""
        there = [id for id in self.threads if not is_gone(self.answers.get(id))]
        return [self._new.get(id) or self._old(id) or self._unfetched(id) for id in there]

    @property
    def to_keep(self) -> Iterator[Kept]:
        """Those that were not kept yet."""
        for id, message in self._new.items():
            people = [one for field in _PEOPLE for one in message.parsed.people(field)]
            answer = self.answers[id]
            if isinstance(answer, Answer):
                yield Kept(id, message.received, message.labels, tuple(people), answer.content)

    @cached_property
    def _new(self) -> Mapping[str, GmailMessage]:
        return {
            id: message
            for id, answer in self.answers.items()
            if isinstance(answer, Answer) and (message := _read(answer.json))
        }

    def _old(self, id: str) -> GmailMessage | None:
        labels, payload = self.kept.get(id, (frozenset[str](), b"{}"))
        message = _read(json.loads(payload))
        return replace(message, labels=labels) if message else None

    def _unfetched(self, id: str) -> Unfetched:
        answer = self.answers.get(id)
        problem = str(answer) if isinstance(answer, GoogleApiError) else _UNREADABLE
        return Unfetched(id, self.threads[id], problem)


def messages_of(thread: Mapping[str, Any]) -> list[GmailMessage | Unfetched]:
    """The messages of a thread as Gmail gives it."""
    return [
        _read(each) or Unfetched(str(each.get("id")), str(each.get("threadId")), _UNREADABLE)
        for each in thread.get("messages") or ()
    ]


def is_gone(answer: Answer | GoogleApiError | None) -> bool:
    """Whether Gmail answered that there is no such message."""
    return isinstance(answer, GoogleApiError) and answer.status in GONE


def _read(given: Mapping[str, Any]) -> GmailMessage | None:
    try:
        return gmail_message(given)
    except ValueError:
        return None
