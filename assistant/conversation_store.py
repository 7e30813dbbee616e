"""The conversation store: conversations and their turns in the profile's database.

Imports the standard library only, because the first frame of the window shows conversations.
"""

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from assistant.database import open_database
from assistant.runs.reply import Reply, RequestUsage


@dataclass(frozen=True)
class Conversation:
    """A conversation of the side bar; `updated` is an aware time."""

    id: int
    title: str
    pinned: bool
    updated: datetime


@dataclass(frozen=True)
class StepRecord:
    """The outcome of a step, as in `assistant.runs.events.StepOutcome`.

    `acted` means that it had an effect, or may have had one.
    """

    title: str
    outcome: str
    note: str = ""
    acted: bool = False


@dataclass(frozen=True)
class Turn:
    """One request of a conversation with its steps, and its reply once it has ended.

    `plan` and `planner_text` are as in `assistant.runs.request.Exchange`.
    """

    id: int
    conversation_id: int
    text: str
    steps: tuple[StepRecord, ...]
    reply: Reply | None
    asked: datetime
    plan: str = ""
    planner_text: str = ""
    usage: RequestUsage | None = None

    @property
    def acted(self) -> bool:
        """Whether it had an effect, or may have: a turn without a reply was interrupted."""
        return self.reply is None or any(step.acted for step in self.steps)


_LIST = """
    SELECT id, title, pinned, updated FROM conversations
    ORDER BY pinned DESC, updated DESC, id DESC
"""
_SEARCH = """
    SELECT id, title, pinned, updated FROM conversations
    WHERE title LIKE ? ESCAPE '\\' OR id IN (
        SELECT conversation_id FROM turns WHERE text LIKE ? ESCAPE '\\' OR reply LIKE ? ESCAPE '\\'
    )
    ORDER BY pinned DESC, updated DESC, id DESC
"""
_TURNS = """
    SELECT * FROM turns
    WHERE conversation_id = ? ORDER BY id
"""


class ConversationStore:
    """The conversations of one profile.

    Its methods are fast enough for the event loop; use each instance in one thread.
    """

    def __init__(self, path: Path) -> None:
        self._database = open_database(path)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def conversations(self) -> tuple[Conversation, ...]:
        """List all conversations: pinned first, then the most recent."""
        return self._listed(_LIST)

    def search(self, text: str) -> tuple[Conversation, ...]:
        """List conversations whose title, requests or replies contain `text`."""
        like = f"%{_escape_like(text)}%"
        return self._listed(_SEARCH, (like, like, like))

    def create(self, title: str, now: datetime) -> Conversation:
        """Create a conversation."""
        with self._database as database:
            row = database.execute(
                "INSERT INTO conversations (title, updated) VALUES (?, ?)"
                " RETURNING id, title, pinned, updated",
                (title, _utc(now)),
            ).fetchone()
        return _conversation(row)

    def rename(self, id: int, title: str) -> None:
        """Rename a conversation."""
        self._change("UPDATE conversations SET title = ? WHERE id = ?", (title, id))

    def pin(self, id: int, *, pinned: bool) -> None:
        """Pin or unpin a conversation."""
        self._change("UPDATE conversations SET pinned = ? WHERE id = ?", (int(pinned), id))

    def delete(self, id: int) -> None:
        """Delete a conversation with its turns."""
        self._change("DELETE FROM conversations WHERE id = ?", (id,))

    def turns(self, conversation_id: int) -> tuple[Turn, ...]:
        """List the turns of a conversation, oldest first."""
        rows = self._database.execute(_TURNS, (conversation_id,))
        return tuple(_turn(row) for row in rows)

    def begin(self, conversation_id: int, text: str, now: datetime) -> Turn:
        """Store a request before it runs, so that a crash does not lose it."""
        with self._database as database:
            row = database.execute(
                "INSERT INTO turns (conversation_id, text, asked) VALUES (?, ?, ?) RETURNING *",
                (conversation_id, text, _utc(now)),
            ).fetchone()
            database.execute(
                "UPDATE conversations SET updated = ? WHERE id = ?",
                (_utc(now), conversation_id),
            )
        return _turn(row)

    def finish(self, turn: Turn) -> None:
        """Store the end of a turn."""
        self._change(
            "UPDATE turns SET steps = ?, reply = ?, plan = ?, said = ?, spent = ? WHERE id = ?",
            (
                _json([asdict(step) for step in turn.steps]),
                turn.reply and _json(asdict(turn.reply)),
                turn.plan,
                turn.planner_text,
                turn.usage and _json(asdict(turn.usage)),
                turn.id,
            ),
        )

    def remove(self, turn_id: int) -> None:
        """Delete a turn."""
        self._change("DELETE FROM turns WHERE id = ?", (turn_id,))

    def _listed(self, query: str, values: tuple[object, ...] = ()) -> tuple[Conversation, ...]:
        with closing(self._database.execute(query, values)) as rows:
            return tuple(_conversation(row) for row in rows)

    def _change(self, statement: str, values: tuple[object, ...]) -> None:
        with self._database as database:
            database.execute(statement, values)


def _conversation(row: sqlite3.Row) -> Conversation:
    return Conversation(
        row["id"], row["title"], bool(row["pinned"]), datetime.fromisoformat(row["updated"])
    )


def _turn(row: sqlite3.Row) -> Turn:
    steps = tuple(_step(fields) for fields in json.loads(row["steps"]))
    asked = datetime.fromisoformat(row["asked"])
    return Turn(
        row["id"],
        row["conversation_id"],
        row["text"],
        steps,
        _reply(row["reply"]),
        asked,
        row["plan"],
        row["said"],
        _usage(row["spent"]),
    )


def _step(fields: dict[str, Any]) -> StepRecord:
    may_have_acted = fields["outcome"] == "done"  # not stored by older versions
    return StepRecord(**{"acted": may_have_acted, **fields})


def _reply(stored: str | None) -> Reply | None:
    if stored is None:
        return None
    fields = json.loads(stored)
    return Reply(**{**fields, "artifacts": tuple(fields["artifacts"])})


def _usage(stored: str | None) -> RequestUsage | None:
    if stored is None:
        return None
    fields = json.loads(stored)
    money = fields["money"]
    return RequestUsage(**{**fields, "money": None if money is None else Decimal(money)})


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)  # money as text


def _escape_like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
