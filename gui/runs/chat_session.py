"""The chat session: the shown conversation, and the runs and queues of all conversations."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from assistant.conversation_store import Conversation, Turn
from gui.chat.chat_pane import ChatPane
from gui.chat.suggestions import SAMPLE_REQUESTS
from gui.chat.turn_view import RemedyView, TurnView
from gui.conversations.conversation_model import ConversationState
from gui.conversations.history import ConversationHistory
from gui.runs.open_turn import OpenTurn, finished_turn_view
from gui.runs.request_queue import RequestQueue
from gui.theme.app_icon import Activity

if TYPE_CHECKING:
    from gui.chat.approval_card import ApprovalRequest

MAX_TITLE_LENGTH = 60  # characters of the first request that name a conversation


class RequestRunner(Protocol):
    """Runs requests; set once a workspace is open."""

    def now(self) -> datetime:
        """Return the aware current time."""

    def start(self, turn: OpenTurn, earlier: tuple[Turn, ...]) -> None:
        """Start to run a turn after the earlier turns of its conversation."""


class ChatSession(QObject):
    """Takes requests, runs them turn by turn and shows the turns of the open conversation.

    Each conversation runs one request at a time and queues the others; conversations run
    concurrently.

    Signals:
        opened: Another conversation is shown: its title, "" for a new one.
        list_changed: The list of conversations, or its order, has changed.
        activity_changed: The activity of the program: Activity.
        artifacts_changed: The artifacts of the shown conversation, oldest first.
        replied: A conversation got a reply: its ID and Reply.
        approval_requested: A conversation asks for approval: its ID.
    """

    opened = Signal(str)
    list_changed = Signal()
    activity_changed = Signal(object)
    artifacts_changed = Signal(object)
    replied = Signal(int, object)
    approval_requested = Signal(int)

    def __init__(
        self, history: ConversationHistory, chat: ChatPane, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.current: int | None = None
        self.states: dict[int, ConversationState] = {}
        self.open_turns: dict[int, OpenTurn] = {}
        self._history = history
        self._chat = chat
        self._runner: RequestRunner | None = None
        self._queue = RequestQueue()
        self._remedies: dict[int, RemedyView | None] = {}
        self._is_closing = False

    def attach(self, runner: RequestRunner) -> None:
        """Run requests with a runner; requests submitted before are run now."""
        self._runner = runner
        for text in self._queue.take_early():
            self.submit(text)
        self._show_queue()

    def open_last(self) -> None:
        """Show the conversation that was used last."""
        conversations = self._history.store.conversations()
        last = max(conversations, key=lambda one: one.updated, default=None)
        self.show(last.id if last else None)

    def show(self, id: int | None) -> None:
        """Show a conversation, or an empty page for a new one."""
        listed = {one.id: one for one in self._history.listed()}
        conversation = listed.get(id) if id is not None else None
        self.current = conversation.id if conversation else None
        if conversation:
            self._show_turns(conversation)
        else:
            self._show_empty()
        self.opened.emit(conversation.title if conversation else "")

    def submit(self, text: str) -> None:
        """Queue a request for the shown conversation."""
        if self._is_closing:
            return
        if self._runner is None:
            self._queue.add(None, text)
        else:
            conversation = self._conversation_for(text, self._runner.now())
            self._queue.add(conversation, text)
            self._run_next(conversation)
        self._show_queue()

    def resubmit(self, text: str) -> None:
        """Submit a request that replaces the last turn, unless that had an effect."""
        if self.current is not None and self._runner is not None and not self._is_closing:
            self._remove_last(self.current, text)
        self.submit(text)

    def repeat(self, text: str) -> None:
        """Submit a request again; it replaces the last turn if it is the same request."""
        turns = self._history.store.turns(self.current) if self.current is not None else ()
        if turns and turns[-1].text == text:
            self.resubmit(text)
        else:
            self.submit(text)

    def take_back(self, number: int) -> None:
        """Remove a queued request of the shown conversation."""
        self._queue.take_back(self.current, number)
        self._show_queue()

    def stop(self) -> None:
        """Stop the running request of the shown conversation; the next one runs."""
        if self.current is not None and self.current in self.open_turns:
            self.open_turns[self.current].stop()

    def forget(self, id: int) -> None:
        """Stop and forget a deleted conversation; show an empty page if it was shown."""
        self._queue.forget(id)
        if id in self.open_turns:
            self.open_turns[id].decline_and_stop()
        if id == self.current:
            self.show(None)

    def close(self) -> None:
        """Accept no requests, drop queued ones and stop running ones."""
        self._is_closing = True
        self._queue.clear()
        for turn in tuple(self.open_turns.values()):
            turn.decline_and_stop()

    def _run_next(self, id: int) -> None:
        """Run the next queued request of a conversation if none is running there."""
        text = self._queue.next(id) if self._runner and id not in self.open_turns else None
        if self._runner is None or text is None:
            return
        store = self._history.store
        earlier = store.turns(id)
        turn = OpenTurn(store.begin(id, text, self._runner.now()), self)
        self.open_turns[id] = turn
        self._connect(turn)
        if id == self.current:
            self._chat.begin_turn(turn.turn.text, turn.turn.asked)
        self._set_state(id, ConversationState.RUNNING)
        self.list_changed.emit()
        self._runner.start(turn, earlier)

    def _remove_last(self, id: int, text: str) -> None:
        """Remove the last turn if it is finished without an effect; retitle if it was the first."""
        store = self._history.store
        turns = store.turns(id)
        if id in self.open_turns or not turns or turns[-1].acted:
            return
        store.remove(turns[-1].id)
        self._chat.remove_last()
        titles = [one.title for one in store.conversations() if one.id == id]
        if len(turns) == 1 and titles == [_title(turns[-1].text)]:
            store.rename(id, _title(text))
            self.opened.emit(_title(text))

    def _conversation_for(self, text: str, now: datetime) -> int:
        if self.current is None:
            created = self._history.store.create(_title(text), now)
            self.current = created.id
            self.opened.emit(created.title)
        return self.current

    def _connect(self, turn: OpenTurn) -> None:
        id, chat = turn.turn.conversation_id, self._chat
        turn.steps_changed.connect(lambda steps: self._if_shown(id, steps, chat.set_steps))
        turn.wait_changed.connect(lambda wait: self._if_shown(id, wait, chat.set_wait))
        turn.text_appended.connect(lambda text: self._if_shown(id, text, chat.append_text))
        turn.approval_requested.connect(lambda request: self._show_approval(id, request))
        turn.finished.connect(lambda remedy: self._finish(turn, remedy))

    def _if_shown(self, id: int, value: Any, show: Any) -> None:
        if id == self.current:
            show(value)

    def _show_approval(self, id: int, request: "ApprovalRequest") -> None:
        self._if_shown(id, request, self._chat.panel.show_approval)
        self._set_state(id, ConversationState.WAITING)
        request.closed.connect(lambda _: self._set_state(id, ConversationState.RUNNING))
        self.approval_requested.emit(id)

    def _finish(self, open_turn: OpenTurn, remedy: RemedyView | None) -> None:
        turn = open_turn.turn
        id, reply = turn.conversation_id, turn.reply
        self._history.store.finish(turn)
        self._remedies[turn.id] = remedy
        del self.open_turns[id]
        open_turn.deleteLater()
        failed = reply is not None and reply.status == "error"
        self._set_state(id, ConversationState.FAILED if failed else ConversationState.QUIET)
        if id == self.current:
            self._chat.finish_turn(finished_turn_view(turn, remedy))
            self._show_artifacts()
        self.replied.emit(id, reply)
        self._run_next(id)
        self._show_queue()

    def _set_state(self, id: int, state: ConversationState) -> None:
        self.states = {one: other for one, other in self.states.items() if one != id}
        if state is not ConversationState.QUIET:
            self.states[id] = state
        self.activity_changed.emit(self._activity())

    def _activity(self) -> Activity:
        states = set(self.states.values())
        if ConversationState.WAITING in states:
            return Activity.NEEDS_YOU
        if ConversationState.RUNNING in states:
            return Activity.BUSY
        return Activity.ERROR if ConversationState.FAILED in states else Activity.IDLE

    def _show_turns(self, conversation: Conversation) -> None:
        running = self.open_turns.get(conversation.id)
        turns = self._history.store.turns(conversation.id)
        self._chat.show_turns([self._turn_view(turn) for turn in turns])
        if running and running.approval:
            self._chat.panel.show_approval(running.approval)
        if self.states.get(conversation.id) is ConversationState.FAILED:
            self._set_state(conversation.id, ConversationState.QUIET)
        self._show_artifacts()
        self._show_queue()

    def _turn_view(self, turn: Turn) -> TurnView:
        running = self.open_turns.get(turn.conversation_id)
        if running and running.turn.id == turn.id:
            return running.view
        return finished_turn_view(turn, self._remedies.get(turn.id))

    def _show_empty(self) -> None:
        self._chat.clear()
        self._chat.show_empty(SAMPLE_REQUESTS)
        self._show_artifacts()
        self._show_queue()

    def _show_artifacts(self) -> None:
        turns = self._history.store.turns(self.current) if self.current is not None else ()
        artifacts = (one for turn in turns if turn.reply for one in turn.reply.artifacts)
        self.artifacts_changed.emit(tuple(dict.fromkeys(artifacts)))

    def _show_queue(self) -> None:
        self._chat.set_waiting(self._queue.listed(self.current))


def _title(text: str) -> str:
    """Return the request in one line, shortened at a word."""
    line = " ".join(text.split())
    if len(line) <= MAX_TITLE_LENGTH:
        return line
    return f"{line[:MAX_TITLE_LENGTH].rsplit(' ', 1)[0]}…"
