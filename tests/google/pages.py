"""Pages: a long answer, given out piece by piece."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tests.google.catalogue import Call
from tests.google.refusal import invalid

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list: its items, the total number, and the token of the next page."""

    items: Sequence[Item]
    all: int
    next: Mapping[str, str]


def page(items: Sequence[Item], call: Call, *, most: int, usual: int) -> Page[Item]:
    """The piece that is asked for."""
    token = call.one("pageToken", "0")
    if not token.isdecimal():
        raise invalid("Invalid pageToken")
    start, size = int(token), call.number("maxResults", usual, most)
    following = {"nextPageToken": str(start + size)} if start + size < len(items) else {}
    return Page(items[start : start + size], len(items), following)
