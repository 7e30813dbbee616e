"""Requests asked again: turns without an effect are replaced, others stay."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from assistant.conversation_store import ConversationStore, Turn
from gui.chat.approval_card import ApprovalRequest
from gui.runs.chat_session import ChatSession
from tests.assistant.scripted import NoteTools, step
from tests.gui.conftest import Run, Shown, attached, settled
from tests.gui.settings.model_window import until
from tools.proposal import Proposal

READ = [step(1, "read_notes"), step(2, "reply_to_user", message="Two notes.", details="$step1")]
FAIL = [step(1, "fail"), step(2, "reply_to_user", message="Done.")]
MAKE = [step(1, "make_page", title="A page"), step(2, "reply_to_user", message="Made.")]
SEND = [
    step(1, "send_note", to="ann@example.org", body="Hello"),
    step(2, "reply_to_user", message="Sent."),
]
WAIT = [step(1, "wait"), step(2, "reply_to_user", message="Waited.")]


def _turns(session: ChatSession, store: ConversationStore) -> tuple[Turn, ...]:
    assert session.current is not None
    return store.turns(session.current)


def _shown_requests(shown: Shown) -> list[str]:
    return [turn.request for turn in shown.window.chat.transcript.turns]


def _answers(session: ChatSession, store: ConversationStore) -> list[str]:
    return [turn.reply.message for turn in _turns(session, store) if turn.reply]


@pytest.mark.parametrize("first", [READ, FAIL], ids=["read", "failed"])
def test_a_turn_without_effect_is_replaced(
    shown: Shown, store: ConversationStore, run: Run, first: object
) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, READ, first, READ)
        session.submit("Before")
        await settled(tasks)
        session.submit("Read my notes")
        await settled(tasks)
        shown.window.chat.panel.composer.resubmitted.emit("Read my notes")
        await settled(tasks)

    run(work())
    assert _answers(session, store) == ["Two notes.", "Two notes."]
    assert _shown_requests(shown) == ["Before", "Read my notes"]


def test_an_edited_request_names_the_conversation_it_began(
    shown: Shown, store: ConversationStore, run: Run
) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, READ, READ)
        session.submit("Red my notes")
        await settled(tasks)
        session.resubmit("Read my notes")
        await settled(tasks)

    run(work())
    assert [turn.text for turn in _turns(session, store)] == ["Read my notes"]
    assert [one.title for one in store.conversations()] == ["Read my notes"]


async def _approval(session: ChatSession) -> ApprovalRequest:
    """Return the request for approval in the shown conversation, once it is open."""
    assert session.current is not None
    turn = session.open_turns[session.current]
    await until(lambda: turn.approval)
    assert turn.approval is not None
    assert isinstance(turn.approval.question, Proposal)
    return turn.approval


async def _lost() -> None:
    raise OSError("the connection was lost")


@pytest.mark.parametrize(
    ("acting", "sending"),
    [(MAKE, None), (SEND, None), (SEND, _lost)],
    ids=["made something", "sent something", "may have sent something"],
)
def test_a_turn_with_an_effect_stays(
    shown: Shown,
    store: ConversationStore,
    run: Run,
    acting: object,
    sending: Callable[[], Awaitable[None]] | None,
) -> None:
    session = shown.session
    note_tools = NoteTools(sending=sending) if sending else NoteTools()

    async def work() -> None:
        tasks = attached(session, acting, READ, note_tools=note_tools)
        session.submit("Do it")
        if acting is SEND:
            request = await _approval(session)
            assert isinstance(request.question, Proposal)
            request.answer(request.question)
        await settled(tasks)
        session.resubmit("Do it")
        await settled(tasks)

    run(work())
    assert [turn.text for turn in _turns(session, store)] == ["Do it", "Do it"]
    assert _turns(session, store)[0].acted
    assert _shown_requests(shown) == ["Do it", "Do it"]


def test_a_declined_turn_is_replaced(shown: Shown, store: ConversationStore, run: Run) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, SEND, READ)
        session.submit("Send it")
        (await _approval(session)).answer(None)
        await settled(tasks)
        session.resubmit("Read it instead")
        await settled(tasks)

    run(work())
    assert [turn.text for turn in _turns(session, store)] == ["Read it instead"]


def test_a_resubmitted_request_follows_the_running_one(
    shown: Shown, store: ConversationStore, run: Run
) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, WAIT, READ)
        session.submit("Wait")
        await asyncio.sleep(0.05)
        session.resubmit("Read")
        session.stop()
        await settled(tasks)

    run(work())
    assert [turn.text for turn in _turns(session, store)] == ["Wait", "Read"]


@pytest.mark.parametrize("request_text", ["Read my notes", "Something before it"])
def test_try_again_replaces_only_its_own_turn(
    shown: Shown, store: ConversationStore, run: Run, request_text: str
) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, READ, FAIL, READ)
        session.submit("Something before it")
        await settled(tasks)
        session.submit("Read my notes")
        await settled(tasks)
        shown.window.chat.signals.remedy_requested.emit("try_again", request_text)
        await settled(tasks)

    run(work())
    asked = [turn.text for turn in _turns(session, store)]
    kept = ["Something before it"]
    if request_text in kept:
        kept.append("Read my notes")
    assert asked == [*kept, request_text]


def test_a_queued_request_is_taken_back(shown: Shown, store: ConversationStore, run: Run) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, WAIT, READ)
        for text in ("Wait", "Not this", "Read"):
            session.submit(text)
        await asyncio.sleep(0.05)
        shown.window.chat.panel.taken_back.emit(0)
        session.stop()
        await settled(tasks)

    run(work())
    assert [turn.text for turn in _turns(session, store)] == ["Wait", "Read"]


def test_a_request_is_taken_back_before_anything_runs(shown: Shown, run: Run) -> None:
    session = shown.session
    session.submit("First")
    session.submit("Second")
    shown.window.chat.panel.taken_back.emit(0)

    async def work() -> None:
        await settled(attached(session, READ))

    run(work())
    assert _shown_requests(shown) == ["Second"]
