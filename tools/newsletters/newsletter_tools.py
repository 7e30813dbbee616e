"""Newsletter tools: the news digest."""

import asyncio
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
    """Digest in Markdown by source; each line is linked to its email.

    `found`, `read` and `unreadable` are numbers of newsletters; unreadable also in part.
    """

    digest: str
    since: datetime
    focus: str | None
    found: int
    read: int
    unreadable: int
    newsletters: tuple[SummarizedEmail, ...]

    def markdown(self) -> str:
        """Return the digest."""
        return self.digest


class NewsletterTools:
    """Tool that digests newsletters, by a text writer if there is one, otherwise by extraction."""

    def __init__(self, mailbox: Mailbox, clock: Clock, writer: TextWriter | None = None) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._writer = writer

    async def news_digest(
        self, since: str | None = None, focus: str | None = None
    ) -> NewsDigest | StreamedResult[NewsDigest]:
        """Sum up newsletters.

        Use it for the news in newsletters; it finds and reads them itself, in every folder. Gives
        a digest by source, each line linked to its mail.

        Args:
            since: From when on, such as today, yesterday, monday, 3 days ago or 2026-11-16; the
                past 7 days if left out.
            focus: A subject to look for in them, in any words. Leave out for everything.
        """
        beginning = parse_past_moment(since or _DEFAULT_SINCE, self._clock)
        if beginning > self._clock():
            raise ToolError(f'"{since}" is in the future; name a time in the past.')
        words = (focus or "").strip()
        digest = await self._digest(beginning, words)

        def result(text: str) -> NewsDigest:
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
            return result(await asyncio.to_thread(digest.markdown))
        from tools.newsletters.generated_digest import GeneratedDigest  # noqa: PLC0415 — as below

        return stream_result(GeneratedDigest(digest, self._writer).pieces(), result)

    async def _digest(self, since: datetime, focus: str) -> "ExtractiveDigest":
        # Loads the stemmer, which most runs do not need.
        from tools.newsletters.extractive_digest import ExtractiveDigest  # noqa: PLC0415

        found = await find_newsletters(self._mailbox, And(), since, MAX_NEWSLETTERS)
        return await asyncio.to_thread(ExtractiveDigest.of, found, since, focus, self._clock())
