"""HTTP requests and responses, independent of their transport."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass
class Asked:
    """One HTTP request; header names are lower case. A batch holds its parts."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""
    parts: list["Asked"] = field(default_factory=list)

    @cached_property
    def path(self) -> str:
        """The path as it was written, without the query."""
        return self.target.partition("?")[0]

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The path's parts, unquoted."""
        return tuple(unquote(each) for each in self.path.strip("/").split("/"))

    @cached_property
    def query(self) -> Mapping[str, list[str]]:
        """The parameters after the question mark."""
        return parse_qs(urlsplit(self.target).query, keep_blank_values=True)

    @cached_property
    def posted(self) -> Mapping[str, list[str]]:
        """The fields of a posted form."""
        return parse_qs(self.body.decode(), keep_blank_values=True)

    @property
    def form(self) -> Mapping[str, str]:
        """The fields that come once; of another the last."""
        return {name: values[-1] for name, values in self.posted.items()}

    @property
    def json(self) -> Any:
        """The body, read; None where there is none."""
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True)
class Answered:
    """An answer; its body is already encoded."""

    status: int = 200
    body: bytes = b""
    kind: str = "application/json; charset=UTF-8"
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(value: Any, *, status: int = 200) -> Answered:
    """JSON, or nothing at all for None, as Google answers 204."""
    if value is None:
        return Answered(204, kind="")
    return Answered(status, json.dumps(value).encode())
