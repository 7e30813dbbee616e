"""The conversation store: conversations and their turns in the profile's database.

Imports the standard library only, because the first frame of the window shows them.
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
    """A conversation as the side bar lists it; `updated` is aware."""

    id: int
    title: str
    pinned: bool
    updated: datetime


@dataclass(frozen=True)
class StepRecord:
    """How a step of a turn ended; `outcome` as in `assistant.runs.events.Outcome`.

    `acted` tells that it made or sent something, or may have.
    """

    title: str
    outcome: str
    note: str = ""
    acted: bool = False


@dataclass(frozen=True)
class Turn:
    """One request of a conversation with its steps and its reply, once there is one.

    `plan` and `said` are what a later planner may read of it, as `assistant.runs.request.Exchange`
    has them.
    """

    id: int
    conversation_id: int
    text: str
    steps: tuple[StepRecord, ...]
    reply: Reply | None
    asked: datetime
    plan: str = ""
    said: str = ""
    spent: RequestUsage | None = None

    @property
    def acted(self) -> bool:
        """Whether it had an effect, or may have had one: a turn without a reply was cut off."""
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
    """The conversations of one profile. One store a thread of use; calls are short."""

    def __init__(self, path: Path) -> None:
        self._database = open_database(path)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def conversations(self) -> tuple[Conversation, ...]:
        """All of them: pinned first, then the most recently used."""
        return self._listed(_LIST)

    def search(self, text: str) -> tuple[Conversation, ...]:
        """Those whose title, requests or replies contain `text`, in the order of the list."""
        like = f"%{_escape_like(text)}%"
        return self._listed(_SEARCH, (like, like, like))

    def create(self, title: str, now: datetime) -> Conversation:
        """Begin a conversation."""
        with self._database as database:
            row = database.execute(
                "INSERT INTO conversations (title, updated) VALUES (?, ?)"
                " RETURNING id, title, pinned, updated",
                (title, _utc(now)),
            ).fetchone()
        return _conversation(row)

    def rename(self, id: int, title: str) -> None:
        """Give a conversation another title."""
        self._change("UPDATE conversations SET title = ? WHERE id = ?", (title, id))

    def pin(self, id: int, *, pinned: bool) -> None:
        """Keep a conversation at the top of the list, or let it go."""
        self._change("UPDATE conversations SET pinned = ? WHERE id = ?", (int(pinned), id))

    def delete(self, id: int) -> None:
        """Remove a conversation with its turns."""
        self._change("DELETE FROM conversations WHERE id = ?", (id,))

    def turns(self, conversation_id: int) -> tuple[Turn, ...]:
        """The turns of a conversation, oldest first."""
        rows = self._database.execute(_TURNS, (conversation_id,))
        return tuple(_turn(row) for row in rows)

    def begin(self, conversation_id: int, text: str, now: datetime) -> Turn:
        """Note a request before it runs, so that a crash does not lose it."""
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
        """Keep how a turn ended."""
        self._change(
            "UPDATE turns SET steps = ?, reply = ?, plan = ?, said = ?, spent = ? WHERE id = ?",
            (
                _json([asdict(step) for step in turn.steps]),
                turn.reply and _json(asdict(turn.reply)),
                turn.plan,
                turn.said,
                turn.spent and _json({**asdict(turn.spent), "money": _money(turn.spent)}),
                turn.id,
            ),
        )

    def remove(self, turn_id: int) -> None:
        """Take a turn out of its conversation."""
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
    steps = tuple(_step(written) for written in json.loads(row["steps"]))
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
        _spent(row["spent"]),
    )


def _step(written: dict[str, Any]) -> StepRecord:
    may_have_acted = written["outcome"] == "done"  # what an older version did not note
    return StepRecord(**{"acted": may_have_acted, **written})


def _reply(stored: str | None) -> Reply | None:
    if stored is None:
        return None
    fields = json.loads(stored)
    return Reply(**{**fields, "artifacts": tuple(fields["artifacts"])})


def _spent(stored: str | None) -> RequestUsage | None:
    if stored is None:
        return None
    fields = json.loads(stored)
    money = fields["money"]
    return RequestUsage(**{**fields, "money": None if money is None else Decimal(money)})


def _money(spent: RequestUsage) -> str | None:
    return None if spent.money is None else str(spent.money)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _escape_like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
