"""Newsletter tools: the news digest."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tools.mail.mailbox import Mailbox
from tools.mail.search.query import And
from tools.moments.clock import Clock
from tools.moments.time_parsing import parse_past_moment
from tools.newsletters.newsletter_search import find_newsletters
from tools.proposal import StreamedResult
from tools.prose.text_writer import TextWriter, stream_result
from tools.summaries.summary_tools import SummarizedEmail
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from tools.newsletters.extractive_digest import ExtractiveDigest

MAX_NEWSLETTERS = 100
_DEFAULT_SINCE = "7 days ago"


@dataclass(frozen=True)
class NewsDigest:
    """What newsletters brought, in Markdown by source; each line of it is linked to its mail.

    `found` of them there are, `read` were read and `unreadable` could not be, wholly.
    """

    digest: str
    since: datetime
    focus: str | None
    found: int
    read: int
    unreadable: int
    newsletters: tuple[SummarizedEmail, ...]

    def markdown(self) -> str:
        """The digest."""
        return self.digest


class NewsletterTools:
    """Digests the newsletters of a mailbox: with a writer in its words, without by extraction."""

    def __init__(self, mailbox: Mailbox, clock: Clock, writer: TextWriter | None = None) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._writer = writer

    async def news_digest(
        self, since: str | None = None, focus: str | None = None
    ) -> NewsDigest | StreamedResult[NewsDigest]:
        """Sum up newsletters.

        Use it for what newsletters brought; it finds and reads them itself, in every folder. Says
        it by source, each line linked to its mail.

        Args:
            since: From when on, such as today, yesterday, monday, 3 days ago or 2026-11-16; the
                past 7 days if left out.
            focus: What to look for in them, in any words. Leave out for everything.
        """
        beginning = parse_past_moment(since or _DEFAULT_SINCE, self._clock)
        if beginning > self._clock():
            raise ToolError(f'"{since}" has not come yet; name when the newsletters should begin.')
        words = (focus or "").strip()
        digest = await self._digest(beginning, words)

        def made(text: str) -> NewsDigest:
            return NewsDigest(
                text,
                beginning,
                words or None,
                len(digest.newsletters),
                len(digest.newsletters) - len(digest.unreadable),
                len(digest.unreadable),
                tuple(
                    SummarizedEmail(email.sender, email.subject, email.date, email.id)
                    for email in digest.newsletters
                ),
            )

        if self._writer is None or not digest.newsletters:
            return made(await asyncio.to_thread(digest.markdown))
        return stream_result(_generate(digest, self._writer), made)

    async def _digest(self, since: datetime, focus: str) -> "ExtractiveDigest":
        # Loads the stemmer, which most runs do not need.
        from tools.newsletters.extractive_digest import ExtractiveDigest  # noqa: PLC0415

        found = await find_newsletters(self._mailbox, And(), since, MAX_NEWSLETTERS)
        return await asyncio.to_thread(ExtractiveDigest.of, found, since, focus, self._clock())


def _generate(digest: "ExtractiveDigest", writer: TextWriter) -> AsyncGenerator[str]:
    from tools.newsletters.generated_digest import GeneratedDigest  # noqa: PLC0415 — as in _digest

    return GeneratedDigest(digest, writer).pieces()
