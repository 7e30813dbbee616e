"""Gmail account: a mailbox signed in to a loopback Google, with a sleep that only counts."""

from collections.abc import Collection
from pathlib import Path

from tests.google.google import Google
from tests.tools.mail.raw_messages import CLOCK
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.permissions import Permission
from tools.accounts.secret_store import SecretStore
from tools.mail.gmail.mailbox import GmailMailbox
from tools.mail.search.query_syntax import parse_query
from tools.moments.clock import system_clock
from tools.retry import RetryPolicy


class GmailTestAccount:
    """One account named "work" and its mailbox; `slept` holds the pauses, in seconds."""

    def __init__(
        self, google: Google, folder: Path, permissions: Collection[Permission] = tuple(Permission)
    ) -> None:
        self.google = google
        self.slept: list[float] = []
        self.cache = folder / "indexes" / "gmail.db"
        self.account = GoogleAccount(
            "work",
            google.address,
            google.client,
            SecretStore(),
            google.endpoints,
            clock=system_clock,
            grant=google.grant(permissions),
        )
        self.mailbox = self._opened()

    def _opened(self) -> GmailMailbox:
        retry_policy = RetryPolicy(sleep=self._sleep, random=lambda: 1.0)
        return GmailMailbox(
            self.account, cache=self.cache, clock=CLOCK, name="Anna Berg", retry_policy=retry_policy
        )

    async def subjects(self, query: str = "", count: int = 50) -> list[str]:
        """The subjects that a search finds, newest first."""
        found = await self.mailbox.search(parse_query(query, CLOCK), count)
        return [email.subject for email in found]

    def asked(self) -> list[str]:
        """Verbs and paths of the HTTP requests since the last time."""
        asked = [f"{each.method} {each.path}" for each in self.google.requests]
        self.google.requests.clear()
        return asked

    async def reopen(self) -> None:
        """Open another mailbox of the same account over the same cache, as after a restart."""
        await self.mailbox.close()
        self.mailbox = self._opened()

    async def close(self) -> None:
        """Close the mailbox and the account."""
        await self.mailbox.close()
        await self.account.close()

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
