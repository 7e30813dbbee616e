"""Proposals: prepared effects shown for approval, and results that are still being written."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Literal, TypeVar

T = TypeVar("T")


class Sink(StrEnum):
    """A place where a value has consequences."""

    RECIPIENT = "recipient"
    ATTENDEE = "attendee"
    LINK = "link"
    ATTACHMENT = "attachment"
    TARGET = "target"
    FILE = "file"


@dataclass(frozen=True)
class ProposalField:
    """One line of a proposal: a label and every value in full."""

    label: str
    values: tuple[str, ...]
    sink: Sink | None = None


@dataclass(frozen=True)
class Proposal(Generic[T]):
    """An effect made ready and not done: what is shown is what `perform` does.

    A tool with an effect returns a proposal. Nothing has happened until `perform` is awaited,
    and only the agent awaits it, after an approval. With `approval` "if_exposed" it needs none in
    a run whose planner has read nothing that tools gave out.
    """

    title: str  # "Send this email"
    verb: str  # the word on the button: "Send"
    shown: tuple[ProposalField, ...]
    body: str
    perform: Callable[[], Awaitable[T]] = field(compare=False)
    approval: Literal["always", "if_exposed"] = "always"


@dataclass(frozen=True)
class Choice(Generic[T]):
    """Proposals of which the user picks one or none, where nothing may be guessed.

    `options` are what each is called, such as the account it would go from, and the proposal.
    A tool returns it in place of a proposal.
    """

    question: str  # "From which account?"
    options: tuple[tuple[str, Proposal[T]], ...]


@dataclass(frozen=True)
class StreamedResult(Generic[T]):
    """A result that is still being written: its text can be shown before it is whole.

    `pieces` give Markdown as it comes; `result` may be asked for once they have ended, also with
    a `BrokenOffError`. With another error there is no result.
    """

    pieces: AsyncIterator[str] = field(compare=False)
    result: Callable[[], T] = field(compare=False)
