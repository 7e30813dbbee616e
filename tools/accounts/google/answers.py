"""Answers: what Google's servers say to one request, and why nothing was heard."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from tools.patience import wished_pause

_RATE = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"})


@dataclass(frozen=True)
class Answer:
    """One answer; header fields by lower-case name."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)

    @cached_property
    def json(self) -> Any:
        """The content read as JSON; an empty one is an empty object.

        Raises:
            UnheardError: it is none.
        """
        try:
            return json.loads(self.content or b"{}")
        except ValueError:
            raise UnheardError("broken", may_have_acted=True) from None


class RefusedError(Exception):
    """Google answered that it did not do what was asked."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer
        self.status = answer.status

    @property
    def may_pass(self) -> bool:
        """Whether the same request can be taken later."""
        return self.may_have_acted or self.status == 429 or self._is_about_rate

    @property
    def may_have_acted(self) -> bool:
        """Whether it may have been done all the same."""
        return self.status >= 500 or self.status == 408

    @property
    def _is_about_rate(self) -> bool:
        return self.status == 403 and bool(self.reasons & _RATE)

    @cached_property
    def _error(self) -> dict[str, Any]:
        try:
            said = json.loads(self.answer.content)
        except ValueError:
            return {}
        error = said.get("error") if isinstance(said, dict) else None
        return error if isinstance(error, dict) else {}

    @cached_property
    def reasons(self) -> frozenset[str]:
        """Every word that Google gives for why, such as "accessNotConfigured"."""
        return frozenset(self._reasons())

    @property
    def reason(self) -> str:
        """The first of them, or ""."""
        return next(self._reasons(), "")

    def _reasons(self) -> Iterator[str]:
        for name in ("errors", "details"):
            for each in self._error.get(name) or ():
                if isinstance(each, dict) and each.get("reason"):
                    yield str(each["reason"])
        if status := self._error.get("status"):
            yield str(status)

    @property
    def message(self) -> str:
        """Google's own words, or ""."""
        return str(self._error.get("message") or "")

    def pause(self, now: datetime) -> float | None:
        """The seconds for which Google wants to be left alone, where it says so."""
        return wished_pause(self.answer.headers, now)


class UnheardError(Exception):
    """No answer came that can be read.

    `obstacle` is "network", "insecure", "silent" or "broken"; `may_have_acted` tells whether
    Google can have done what was asked.
    """

    def __init__(self, obstacle: str, *, may_have_acted: bool) -> None:
        super().__init__(obstacle)
        self.obstacle = obstacle
        self.may_have_acted = may_have_acted

    @property
    def may_pass(self) -> bool:
        """Whether asking again makes sense."""
        return self.obstacle != "insecure"
