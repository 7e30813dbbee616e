"""Proposals: prepared effects shown for approval; and results streamed while they are written."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Literal, TypeVar

T = TypeVar("T")


class Sink(StrEnum):
    """A kind of parameter whose value has consequences outside the program."""

    RECIPIENT = "recipient"
    ATTENDEE = "attendee"
    LINK = "link"
    ATTACHMENT = "attachment"
    TARGET = "target"
    FILE = "file"


@dataclass(frozen=True)
class ProposalField:
    """A labelled line of a proposal, every value in full."""

    label: str
    values: tuple[str, ...]
    sink: Sink | None = None


@dataclass(frozen=True)
class Proposal(Generic[T]):
    """A prepared effect: `perform` does exactly what `fields` and `body` show.

    A tool with an effect returns a proposal. Only the agent awaits `perform`, after approval;
    with `approval` "if_exposed" without one unless the planner has read tool output.
    """

    title: str  # "Send this email"
    verb: str  # label of the button: "Send"
    fields: tuple[ProposalField, ...]
    body: str
    perform: Callable[[], Awaitable[T]] = field(compare=False)
    approval: Literal["always", "if_exposed"] = "always"


@dataclass(frozen=True)
class Choice(Generic[T]):
    """Alternative proposals, of which the user picks one or none.

    `options` are pairs of a label, such as the sending account, and a proposal. A tool returns a
    choice instead of a proposal where it must not guess.
    """

    question: str  # "From which account?"
    options: tuple[tuple[str, Proposal[T]], ...]


@dataclass(frozen=True)
class StreamedResult(Generic[T]):
    """A result whose text is shown while it is written.

    `chunks` yield Markdown. `result` is available after them, also after an
    `IncompleteTextError`; any other error means there is no result.
    """

    chunks: AsyncIterator[str] = field(compare=False)
    result: Callable[[], T] = field(compare=False)
