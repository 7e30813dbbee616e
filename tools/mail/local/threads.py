"""Threads: assigns messages to conversations by References, In-Reply-To and subject.

A message joins the thread of the messages it names in References and In-Reply-To, and of those that
name it; a message that connects two threads merges them. Only a "Re:" whose references are all
unknown is assigned by its subject, to a message of the previous weeks.
"""

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b

from tools.mail.message.headers import ThreadLinks

_SAME_SUBJECT_WITHIN = 30 * 24 * 3600


def assign_thread(
    database: sqlite3.Connection, account: str, links: ThreadLinks, date: int
) -> tuple[str, str]:
    """Return thread and topic of a new message; merges the threads it connects."""
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
    """Return the existing threads of these messages, in order."""
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
