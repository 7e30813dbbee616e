"""Threads: assigns messages to conversations by References, In-Reply-To and subject."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from tools.mail.message.headers import Headers

MOST_REFERENCES = 50
_SAME_SUBJECT_WITHIN = 30 * 24 * 3600
_MESSAGE_ID = re.compile(r"<([^<>\s]{1,500})>")
_REPLY_PREFIX = re.compile(
    r"^(?:\s*(?:re|aw|sv|antw|odp|ref|r)(?:\[\d{1,3}\])?\s?:)+\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ThreadLinks:
    """What ties a message to others: the ids it names, the root first, and its subject."""

    ids: tuple[str, ...]
    topic: str  # the subject without "Re:", lower-case
    is_reply: bool  # says "Re:"


def message_id_of(headers: Headers) -> str:
    """The Message-ID without its angle brackets, or ""."""
    text = headers.plain("message-id")[:1_000]
    found = _MESSAGE_ID.search(text)
    return found[1] if found else "".join(text.split())[:500]


def thread_links(headers: Headers, subject: str) -> ThreadLinks:
    """What ties a message to others, read from its headers."""
    named = _MESSAGE_ID.findall(headers.plain("references")[:50_000])
    answered = _MESSAGE_ID.findall(headers.plain("in-reply-to")[:5_000])[:1]
    kept = [*named[:1], *named[1:][-MOST_REFERENCES:], *answered]
    topic = _REPLY_PREFIX.sub("", subject)
    gmail = headers.plain("x-gm-thrid")[:40]
    ids = (*kept, message_id_of(headers), f"gmail thread {gmail}" if gmail else "")
    return ThreadLinks(
        ids=tuple(dict.fromkeys(filter(None, ids))),
        topic=topic.casefold()[:200],
        is_reply=topic != subject,
    )


def assign_thread(
    database: sqlite3.Connection, account: str, links: ThreadLinks, date: int
) -> tuple[str, str]:
    """The thread of a new message, and the topic to keep with it; joins what it connects."""
    names = [_hashed_id(account, one) for one in links.ids]
    known = _known_threads(database, names)
    if not known and links.is_reply:
        known = _thread_by_subject(database, links.topic, date)
    thread = (
        known[0] if known else names[0] if names else _hashed_id(account, f"{links.topic} {date}")
    )
    for other in known[1:]:
        database.execute("UPDATE messages SET thread = ? WHERE thread = ?", (thread, other))
        database.execute("UPDATE links SET thread = ? WHERE thread = ?", (thread, other))
    database.executemany(
        "INSERT OR IGNORE INTO links (message, thread) VALUES (?, ?)",
        [(name, thread) for name in names],
    )
    return thread, links.topic


def _hashed_id(account: str, text: str) -> str:
    return blake2b(f"{account}\0{text}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def _known_threads(database: sqlite3.Connection, names: Sequence[str]) -> list[str]:
    """The threads that these messages are in already, that of the first first."""
    marks = ", ".join("?" * len(names))
    rows = database.execute(
        f"SELECT message, thread FROM links WHERE message IN ({marks})",  # noqa: S608
        names,
    )
    thread_by_name = dict(rows.fetchall())
    return list(dict.fromkeys(thread_by_name[name] for name in names if name in thread_by_name))


def _thread_by_subject(database: sqlite3.Connection, topic: str, date: int) -> list[str]:
    row = database.execute(
        "SELECT thread FROM messages WHERE topic = ? AND topic <> '' AND date BETWEEN ? AND ?"
        " ORDER BY date DESC LIMIT 1",
        (topic, date - _SAME_SUBJECT_WITHIN, date + 24 * 3600),
    ).fetchone()
    return [row[0]] if row else []
