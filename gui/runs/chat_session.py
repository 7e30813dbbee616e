"""The chat session: the shown conversation, and the runs and queues of all conversations."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from assistant.conversation_store import Conversation, Turn
from gui.chat.chat_pane import ChatPane
from gui.chat.suggestions import SAMPLE_REQUESTS
from gui.chat.turn_view import RemedyView, StepView, TurnView
from gui.conversations.conversation_model import ConversationState
from gui.conversations.history import ConversationHistory
from gui.runs.open_turn import OpenTurn, finished_turn_view
from gui.runs.request_queue import RequestQueue
from gui.theme.app_icon import Activity

if TYPE_CHECKING:
    from tools.proposal import Proposal

MAX_TITLE_LENGTH = 60  # characters of the first request that name a conversation


class RequestRunner(Protocol):
    """Runs requests; there is none until what it needs is loaded."""

    def now(self) -> datetime:
        """The present moment, aware."""

    def conduct(self, turn: OpenTurn, before: tuple[Turn, ...]) -> None:
        """Begin to run a turn; `before` are the earlier ones of its conversation."""


class ChatSession(QObject):
    """Between agent and widgets: takes requests, keeps open turns, shows them as they go on.

    Each conversation runs one request at a time and queues the others; conversations run
    beside each other.

    Signals:
        opened: Another conversation is shown: its title, "" for a new one.
        list_changed: The conversations are other ones, or stand in another order.
        activity_changed: What the program is at.
        artifacts_changed: The artifacts of the shown conversation, oldest first.
        replied: A conversation got a reply: id and Reply.
        approval_requested: A proposal or a choice waits in this conversation.
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
        self._history = history
        self._chat = chat
        self._conductor: RequestRunner | None = None
        self._open: dict[int, OpenTurn] = {}
        self._waiting = RequestQueue()
        self._remedies: dict[int, RemedyView | None] = {}
        self._closing = False

    def attach(self, conductor: RequestRunner) -> None:
        """Begin to run what was asked; what came early runs now."""
        self._conductor = conductor
        for text in self._waiting.take_early():
            self.submit(text)
        self._show_waiting()

    def open_last(self) -> None:
        """Show the conversation that was used last."""
        listed = self._history.store.conversations()
        last = max(listed, key=lambda one: one.updated, default=None)
        self.show(last.id if last else None)

    def show(self, id: int | None) -> None:
        """Show a conversation, or an empty page for a new one."""
        known = {one.id: one for one in self._history.listed()}
        conversation = known.get(id) if id is not None else None
        self.current = conversation.id if conversation else None
        if conversation:
            self._show_turns(conversation)
        else:
            self._show_nothing()
        self.opened.emit(conversation.title if conversation else "")

    def submit(self, text: str) -> None:
        """Take a request for the shown conversation."""
        if self._closing:
            return
        if self._conductor is None:
            self._waiting.add(None, text)
        else:
            conversation = self._conversation_for(text, self._conductor.now())
            self._waiting.add(conversation, text)
            self._next(conversation)
        self._show_waiting()

    def resubmit(self, text: str) -> None:
        """Take a request in place of the last one, whose turn stays where it had an effect."""
        if self.current is not None and self._conductor is not None and not self._closing:
            self._replace_last(self.current, text)
        self.submit(text)

    def repeat(self, text: str) -> None:
        """Ask the same once more, in place of the last turn if that was asked there."""
        turns = self._history.store.turns(self.current) if self.current is not None else ()
        if turns and turns[-1].text == text:
            self.resubmit(text)
        else:
            self.submit(text)

    def take_back(self, number: int) -> None:
        """Let a request of the shown conversation wait no longer."""
        self._waiting.take_back(self.current, number)
        self._show_waiting()

    def stop(self) -> None:
        """Stop what runs in the shown conversation; what waits there runs next."""
        if self.current is not None and self.current in self._open:
            self._open[self.current].stop()

    def answer(self, approved: "Proposal[Any] | None") -> None:
        """The person has decided about what is shown: this may be performed, or nothing."""
        if self.current is not None and self.current in self._open:
            self._open[self.current].answer(approved)

    def forget(self, id: int) -> None:
        """End what runs in a deleted conversation; show an empty page if it was shown."""
        self._waiting.forget(id)
        if id in self._open:
            self._open[id].answer(None)
            self._open[id].stop()
        if id == self.current:
            self.show(None)

    def close(self) -> None:
        """Take nothing new, decline what waits and stop what runs."""
        self._closing = True
        self._waiting.clear()
        for turn in tuple(self._open.values()):
            turn.answer(None)
            turn.stop()

    def _next(self, id: int) -> None:
        """Run what waits in a conversation, shown or not, once nothing runs there."""
        text = self._waiting.next(id) if self._conductor and id not in self._open else None
        if self._conductor is None or text is None:
            return
        store, now = self._history.store, self._conductor.now()
        before = store.turns(id)
        turn = OpenTurn(store.begin(id, text, now), self)
        self._open[id] = turn
        self._follow(turn)
        if id == self.current:
            self._chat.begin_turn(turn.turn.text, turn.turn.asked)
        self._mark(id, ConversationState.RUNNING)
        self.list_changed.emit()
        self._conductor.conduct(turn, before)

    def _replace_last(self, id: int, text: str) -> None:
        """Take the last turn away if nothing goes on and nothing was done in it."""
        store = self._history.store
        turns = store.turns(id)
        if id in self._open or not turns or turns[-1].acted:
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

    def _follow(self, turn: OpenTurn) -> None:
        id = turn.turn.conversation_id
        turn.planned.connect(lambda steps: self._if_shown(id, steps, self._chat.set_steps))
        turn.stepped.connect(lambda step: self._if_shown(id, step, self._show_step))
        turn.waited.connect(lambda wait: self._if_shown(id, wait, self._chat.set_wait))
        turn.wrote.connect(lambda text: self._if_shown(id, text, self._chat.append_text))
        turn.asked.connect(lambda question: self._asked(id, question))
        turn.answered.connect(lambda: self._answered(id))
        turn.closed.connect(lambda remedy: self._closed(turn, remedy))

    def _if_shown(self, id: int, value: Any, show: Any) -> None:
        if id == self.current:
            show(value)

    def _show_step(self, step: StepView) -> None:
        self._chat.set_step(step.id, step.state, step.note)

    def _asked(self, id: int, question: object) -> None:
        self._if_shown(id, question, self._chat.show_approval)
        self._mark(id, ConversationState.WAITING)
        self.approval_requested.emit(id)

    def _answered(self, id: int) -> None:
        if id == self.current:
            self._chat.hide_approval()
        self._mark(id, ConversationState.RUNNING)

    def _closed(self, open_turn: OpenTurn, remedy: RemedyView | None) -> None:
        turn = open_turn.turn
        id, reply = turn.conversation_id, turn.reply
        self._history.store.finish(turn)
        self._remedies[turn.id] = remedy
        del self._open[id]
        open_turn.deleteLater()
        failed = reply is not None and reply.status == "error"
        self._mark(id, ConversationState.FAILED if failed else ConversationState.QUIET)
        if id == self.current:
            self._chat.finish_turn(finished_turn_view(turn, remedy))
            self._show_artifacts()
        self.replied.emit(id, reply)
        self._next(id)
        self._show_waiting()

    def _mark(self, id: int, state: ConversationState) -> None:
        """Note the state of a conversation; looking at a failed one quiets it."""
        self.states = {one: kept for one, kept in self.states.items() if one != id}
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
        running = self._open.get(conversation.id)
        turns = self._history.store.turns(conversation.id)
        self._chat.hide_approval()
        self._chat.show_turns([self._viewed(turn) for turn in turns])
        if running and running.question:
            self._chat.show_approval(running.question)
        if self.states.get(conversation.id) is ConversationState.FAILED:
            self._mark(conversation.id, ConversationState.QUIET)
        self._show_artifacts()
        self._show_waiting()

    def _viewed(self, turn: Turn) -> TurnView:
        running = self._open.get(turn.conversation_id)
        if running and running.turn.id == turn.id:
            return running.view
        return finished_turn_view(turn, self._remedies.get(turn.id))

    def _show_nothing(self) -> None:
        self._chat.hide_approval()
        self._chat.clear()
        self._chat.show_empty(SAMPLE_REQUESTS)
        self._show_artifacts()
        self._show_waiting()

    def _show_artifacts(self) -> None:
        shown = self.current
        turns = self._history.store.turns(shown) if shown is not None else ()
        made = (artifact for turn in turns if turn.reply for artifact in turn.reply.artifacts)
        self.artifacts_changed.emit(tuple(dict.fromkeys(made)))

    def _show_waiting(self) -> None:
        self._chat.set_waiting(self._waiting.shown(self.current))


def _title(text: str) -> str:
    """The first line of a request, shortened at a word."""
    line = " ".join(text.split())
    return (
        line if len(line) <= MAX_TITLE_LENGTH else f"{line[:MAX_TITLE_LENGTH].rsplit(' ', 1)[0]}…"
    )
