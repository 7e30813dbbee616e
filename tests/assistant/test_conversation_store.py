import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.conversation_store import ConversationStore, StepRecord
from assistant.database import MIGRATIONS, DatabaseError, open_database
from assistant.runs.reply import Reply

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "deskhand.db"


@pytest.fixture
def store(path: Path) -> Iterator[ConversationStore]:
    with closing(ConversationStore(path)) as opened:
        yield opened


def test_a_turn_is_found_again_after_a_restart(path: Path) -> None:
    store = ConversationStore(path)
    conversation = store.create("Latest emails", NOW)
    turn = store.begin(conversation.id, "Read my latest 5 emails", NOW)
    reply = Reply("Your latest emails.", "- **Zoë**", ("mail:1", "documents/a b.docx"))
    store.finish(replace(turn, steps=(StepRecord("Read the latest emails", "done"),), reply=reply))
    store.close()

    with closing(ConversationStore(path)) as again:
        (found,) = again.turns(conversation.id)
    assert found.reply == reply
    assert found.steps == (StepRecord("Read the latest emails", "done"),)
    assert found.asked == NOW


def test_a_request_without_an_answer_is_kept(store: ConversationStore) -> None:
    conversation = store.create("x", NOW)
    store.begin(conversation.id, "Summarise", NOW)
    (turn,) = store.turns(conversation.id)
    assert (turn.text, turn.reply) == ("Summarise", None)


def test_pinned_conversations_come_first_and_then_the_most_recent(store: ConversationStore) -> None:
    old, middle, new = (store.create(name, NOW) for name in ("old", "middle", "new"))
    store.begin(middle.id, "again", NOW + timedelta(hours=1))
    store.pin(old.id, pinned=True)
    assert [each.id for each in store.conversations()] == [old.id, middle.id, new.id]


def test_search_covers_titles_requests_and_replies_and_escapes_wildcards(
    store: ConversationStore,
) -> None:
    by_title, by_reply, other = (store.create(name, NOW) for name in ("100% sure", "b", "c"))
    turn = store.begin(by_reply.id, "?", NOW)
    store.finish(replace(turn, reply=Reply("Grüße, 100% of it")))
    assert {each.id for each in store.search("100%")} == {by_title.id, by_reply.id}
    assert {each.id for each in store.search("Grüße")} == {by_reply.id}
    assert other.id not in {each.id for each in store.search("_")}


def test_deleting_a_conversation_takes_its_turns_along(store: ConversationStore) -> None:
    conversation = store.create("x", NOW)
    store.begin(conversation.id, "y", NOW)
    store.delete(conversation.id)
    assert store.conversations() == ()
    assert store.turns(conversation.id) == ()


def test_a_copy_is_kept_before_a_migration_changes_an_existing_database(path: Path) -> None:
    open_database(path).close()
    more = (*MIGRATIONS, ("ALTER TABLE conversations ADD COLUMN colour TEXT",))
    open_database(path, more).close()
    copy = path.with_name(f"deskhand.db.version-{len(MIGRATIONS)}")
    with closing(sqlite3.connect(copy)) as kept:
        columns = kept.execute("PRAGMA table_info(conversations)").fetchall()
    assert "colour" not in {column[1] for column in columns}


def test_a_failing_migration_leaves_the_database_as_it_was(path: Path) -> None:
    open_database(path).close()
    broken = (*MIGRATIONS, ("CREATE TABLE extra (id)", "CREATE NONSENSE"))
    with pytest.raises(DatabaseError):
        open_database(path, broken)
    with closing(open_database(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
    assert "extra" not in {row["name"] for row in tables}


def test_a_database_of_a_newer_version_is_left_alone(path: Path) -> None:
    open_database(path, (*MIGRATIONS, ("CREATE TABLE later (id)",))).close()
    with pytest.raises(DatabaseError, match="newer version"):
        open_database(path)


def test_a_damaged_database_is_named_with_a_remedy(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database" * 500)
    with pytest.raises(DatabaseError, match="Move it away"):
        open_database(path)


def test_the_database_is_for_its_owner_alone(path: Path) -> None:
    open_database(path).close()
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_turns_stored_by_an_older_version_count_as_having_acted(store: ConversationStore) -> None:
    conversation = store.create("x", NOW)
    turn = store.begin(conversation.id, "Send it", NOW)
    assert turn.acted, "a request that was cut off"
    read = replace(turn, steps=(StepRecord("Read", "done"),), reply=Reply("Read."))
    store.finish(read)
    assert not store.turns(conversation.id)[0].acted
    with store._database as database:
        written = '[{"title": "Send", "outcome": "done", "note": ""}]'
        database.execute("UPDATE turns SET steps = ?", (written,))
    assert store.turns(conversation.id)[0].acted
