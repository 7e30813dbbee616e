"""Requests go from the composer through the agent to the page and the database."""

import asyncio
from collections.abc import Callable

import pytest

from assistant.conversation_store import ConversationStore
from gui.chat.approval_card import ApprovalCard
from gui.chat.chat_pane import ChatPane
from gui.chat.suggestions import SAMPLE_REQUESTS, SuggestionCard
from gui.chat.turn_view import StepState
from gui.conversations.conversation_model import ConversationState
from gui.theme.app_icon import Activity
from gui.widgets.choice_buttons import ThemedRadioButton
from tests.assistant.scripted import CLOCK, NoteTools, step
from tests.gui.conftest import Run, Shown, attached
from tools.proposal import Choice, Proposal, Sink
from tools.tool import Effect, Tool

READ = [step(1, "read_notes"), step(2, "reply_to_user", message="Two notes.", details="$step1")]
SEND = [
    step(1, "send_note", to="ann@example.org", body="Hello"),
    step(2, "reply_to_user", message="Sent.", artifacts=["mail:7"]),
]
WAIT = [step(1, "wait"), step(2, "reply_to_user", message="Waited.")]


async def _until(holds: Callable[[], object]) -> None:
    while not holds():  # noqa: ASYNC110 — Qt signals are no asyncio events
        await asyncio.sleep(0.005)


def test_a_request_is_run_and_stored(shown: Shown, store: ConversationStore, run: Run) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, READ)
        session.submit("Read my notes")
        await tasks.end()

    run(work())
    assert session.current is not None
    (turn,) = store.turns(session.current)
    assert turn.reply is not None
    assert (turn.text, turn.reply.message) == ("Read my notes", "Two notes.")
    assert [(one.title, one.outcome) for one in turn.steps] == [
        ("Read the notes", "done"),
        ("Write the answer", "done"),
    ]
    assert [one.title for one in store.conversations()] == ["Read my notes"]


def test_early_requests_run_once_a_runner_is_attached(
    shown: Shown, store: ConversationStore, run: Run
) -> None:
    session = shown.session
    session.submit("First")
    session.submit("Second")
    assert store.conversations() == ()

    async def work() -> None:
        tasks = attached(session, READ, READ)
        await _until(lambda: len(tasks) == 0)

    run(work())
    assert session.current is not None
    assert [turn.text for turn in store.turns(session.current)] == ["First", "Second"]
    assert all(turn.reply for turn in store.turns(session.current))


def test_nothing_is_sent_before_the_card_is_answered(shown: Shown, run: Run) -> None:
    session, note_tools = shown.session, NoteTools()

    async def work() -> None:
        tasks = attached(session, SEND, note_tools=note_tools)
        session.submit("Send a note to Ann")
        await _until(lambda: ConversationState.WAITING in session.states.values())
        assert note_tools.sent == []
        _card(shown.window.chat).confirm.click()
        await tasks.end()

    run(work())
    assert note_tools.sent == ["ann@example.org: Hello"]


def test_a_card_is_shown_again_after_a_switch_of_conversation(shown: Shown, run: Run) -> None:
    session, note_tools = shown.session, NoteTools()
    chat = shown.window.chat

    async def work() -> None:
        tasks = attached(session, SEND, note_tools=note_tools)
        session.submit("Send a note to Ann")
        await _until(lambda: ConversationState.WAITING in session.states.values())
        asking = session.current
        session.show(None)
        assert not _card_is_shown(chat)
        session.show(asking)
        assert _card_is_shown(chat)
        _card(chat).cancel.click()
        await tasks.end()

    run(work())
    assert note_tools.sent == []


def test_closing_declines_open_requests_and_stores_a_reply(
    shown: Shown, store: ConversationStore, run: Run
) -> None:
    session, note_tools = shown.session, NoteTools()

    async def work() -> None:
        tasks = attached(session, SEND, note_tools=note_tools)
        session.submit("Send a note to Ann")
        await _until(lambda: ConversationState.WAITING in session.states.values())
        session.close()
        await tasks.end()

    run(work())
    assert note_tools.sent == []
    assert session.current is not None
    assert all(turn.reply for turn in store.turns(session.current))


def test_stopping_runs_the_next_request(shown: Shown, store: ConversationStore, run: Run) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, WAIT, READ)
        session.submit("Wait")
        session.submit("Read my notes")
        await _until(lambda: session.states)
        await asyncio.sleep(0.05)
        shown.window.chat.panel.composer.stop_requested.emit()
        await _until(lambda: len(tasks) == 0)

    run(work())
    assert session.current is not None
    first, second = store.turns(session.current)
    assert first.steps[0].outcome == StepState.CANCELLED
    assert first.reply
    assert second.reply
    assert second.reply.message == "Two notes."


def test_conversations_run_concurrently(shown: Shown, store: ConversationStore, run: Run) -> None:
    session = shown.session

    async def work() -> None:
        tasks = attached(session, WAIT, READ)
        session.submit("Wait")
        waiting = session.current
        await asyncio.sleep(0.05)
        session.show(None)
        session.submit("Read my notes")
        await _until(lambda: len(session.states) == 1)
        assert session.states == {waiting: ConversationState.RUNNING}
        session.close()
        await tasks.end()

    run(work())
    assert len(store.conversations()) == 2


def test_changes_of_activity_are_emitted(shown: Shown, run: Run) -> None:
    session = shown.session
    told: list[Activity] = []
    session.activity_changed.connect(told.append)

    async def work() -> None:
        tasks = attached(session, SEND)
        session.submit("Send")
        await _until(lambda: Activity.NEEDS_YOU in told)
        _card(shown.window.chat).confirm.click()
        await tasks.end()

    run(work())
    assert list(dict.fromkeys(told)) == [Activity.BUSY, Activity.NEEDS_YOU, Activity.IDLE]


def test_an_interrupted_turn_has_an_error_reply(shown: Shown, store: ConversationStore) -> None:
    conversation = store.create("Cut off", CLOCK())
    store.begin(conversation.id, "Read my notes", CLOCK())
    shown.session.show(conversation.id)
    (turn,) = shown.window.chat.transcript.turns
    assert turn.reply is not None
    assert turn.reply.message == "Deskhand was closed before this was answered."


def test_an_empty_page_offers_requests_that_run_at_a_click(
    shown: Shown, store: ConversationStore, run: Run
) -> None:
    offered = {card.accessibleName(): card for card in _suggestions(shown.window.chat)}
    assert set(SAMPLE_REQUESTS) <= {name.removeprefix("Ask: ") for name in offered}

    async def work() -> None:
        tasks = attached(shown.session, READ)
        offered[f"Ask: {SAMPLE_REQUESTS[0]}"].click()
        await tasks.end()

    run(work())
    assert [one.title for one in store.conversations()] == [SAMPLE_REQUESTS[0]]


@pytest.mark.parametrize("text", ["Read my notes", "x" * 500, "line one\nline two"])
def test_the_first_request_names_the_conversation(
    shown: Shown, store: ConversationStore, run: Run, text: str
) -> None:
    async def work() -> None:
        tasks = attached(shown.session, READ)
        shown.session.submit(text)
        await tasks.end()

    run(work())
    (conversation,) = store.conversations()
    assert len(conversation.title) <= 61
    assert "\n" not in conversation.title


class TwoAccounts(NoteTools):
    """Note tools that send from one of two accounts."""

    async def send_from_one(self, to: str) -> Proposal[str] | Choice[str]:
        """Send a note from one account.

        Args:
            to: who gets it.
        """
        return Choice(
            "From which account?", (await self._way("Home", to), await self._way("Work", to))
        )

    async def _way(self, account: str, to: str) -> tuple[str, Proposal[str]]:
        return account, await self.send_note(to, f"from {account}")

    def tools(self) -> dict[str, Tool]:
        """All of them, and the one that asks from where."""
        sinks = {"to": Sink.RECIPIENT}
        asking = Tool.of(self.send_from_one, group="notes", effect=Effect.ACT, sinks=sinks)
        return {**super().tools(), asking.name: asking}


CHOOSE = [
    step(1, "send_from_one", to="ann@example.org"),
    step(2, "reply_to_user", message="Sent."),
]


def test_the_picked_proposal_is_performed(shown: Shown, run: Run) -> None:
    session, note_tools, chat = shown.session, TwoAccounts(), shown.window.chat

    async def work() -> None:
        tasks = attached(session, CHOOSE, note_tools=note_tools)
        session.submit("Send a note to Ann")
        await _until(lambda: ConversationState.WAITING in session.states.values())
        asking = session.current
        session.show(None)
        session.show(asking)
        card = _card(chat)
        card.confirm.click()
        assert note_tools.sent == []
        next(one for one in card.findChildren(ThemedRadioButton) if one.text() == "Work").click()
        card.confirm.click()
        await tasks.end()

    run(work())
    assert note_tools.sent == ["ann@example.org: from Work"]


def test_a_choice_that_is_declined_sends_nothing(shown: Shown, run: Run) -> None:
    session, note_tools, chat = shown.session, TwoAccounts(), shown.window.chat

    async def work() -> None:
        tasks = attached(session, CHOOSE, note_tools=note_tools)
        session.submit("Send a note to Ann")
        await _until(lambda: ConversationState.WAITING in session.states.values())
        _card(chat).findChildren(ThemedRadioButton)[0].click()
        _card(chat).cancel.click()
        await tasks.end()

    run(work())
    assert note_tools.sent == []


def _card(chat: ChatPane) -> ApprovalCard:
    return next(card for card in chat.findChildren(ApprovalCard) if card.isVisible())


def _card_is_shown(chat: ChatPane) -> bool:
    return any(card.isVisible() for card in chat.findChildren(ApprovalCard))


def _suggestions(chat: ChatPane) -> list[SuggestionCard]:
    return chat.findChildren(SuggestionCard)
