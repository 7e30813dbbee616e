"""The rows of a turn, from the request to the footer, with their heights."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QWidget

from assistant.runs.reply import Reply
from gui.chat.blocks import Block, BlockKind
from gui.chat.chat_buttons import AccentButton
from gui.chat.chat_style import ChatStyle
from gui.chat.suggestions import SuggestionList
from gui.chat.transcript.height_index import HeightIndex
from gui.chat.transcript.markdown_splitter import MarkdownSplitter, split_markdown
from gui.chat.transcript.reply_footer import ArtifactChips, ReplyFooter
from gui.chat.transcript.step_list import StepList
from gui.chat.transcript.text_row import CodeRow, TextRow
from gui.chat.turn_view import STATUS_LABELS, RemedyView, TurnView


class WidgetRow:
    """Holds the place of a widget, and the widget while there is one."""

    def __init__(self, make: Callable[[], QWidget], above: int, guess: int) -> None:
        self.block = Block(BlockKind.WIDGET, "", "")
        self._make = make
        self._above = above
        self._guess = guess
        self._widget: QWidget | None = None
        self.height = 0  # when it was measured last

    @property
    def is_laid_out(self) -> bool:
        """Whether there is a widget to show."""
        return self._widget is not None

    def estimate(self, width: int) -> int:  # noqa: ARG002 — text rows need it
        """Guess the height."""
        return self._above + self._guess

    def measure(self, width: int) -> int:
        """Make the widget if there is none, and give the height it takes in this width."""
        if self._widget is None:
            self._widget = self._make()
            self._widget.hide()  # else it would appear with its parent before it has a place
        self.height = self._above + self._widget.heightForWidth(width)
        return self.height

    def place(self, left: int, top: int, width: int) -> None:
        """Put the widget where its row is."""
        if self._widget is not None:
            width = min(width, self._widget.maximumWidth())
            height = self._widget.heightForWidth(width)
            self._widget.setGeometry(QRect(left, top + self._above, width, height))
            self._widget.show()

    def hide(self) -> None:
        """Take the widget out of sight."""
        if self._widget is not None:
            self._widget.hide()

    def release(self) -> None:
        """Let go of the widget; it is made again when needed."""
        if self._widget is not None:
            self._widget.hide()
            self._widget.deleteLater()
        self._widget = None


TranscriptRow = TextRow | WidgetRow


class RowSignals(QObject):
    """What people do with the rows of a conversation.

    Signals:
        artifact_activated: A chip was clicked: its reference.
        remedy_requested: The button of a reply was pressed: the name of its remedy, and the
            request that was replied to.
        request_suggested: A suggested request was clicked: its words.
        foot_chosen: A button under the last reply was pressed: its name.
        resized: Something in a row became taller or shorter.
    """

    artifact_activated = Signal(str)
    remedy_requested = Signal(str, str)
    request_suggested = Signal(str)
    foot_chosen = Signal(str)
    resized = Signal()


def estimate_turn_height(turn: TurnView, width: int, style: ChatStyle) -> int:
    """Guess how tall a turn is, without making anything of it."""
    letters = max(1, round(width / (style.font.pixelSize() * 0.5)))
    lines = 1 + len(turn.request) // letters
    if turn.reply is not None:
        details = turn.reply.details
        lines += 3 + len(details) // letters + details.count("\n") * 5 // 4
        lines += 3 * bool(turn.reply.artifacts) + bool(turn.spent)
    return style.length(70 + 22 * lines + 34 * bool(turn.steps))


class TurnRows:
    """The rows of a turn; those of an open turn grow while its reply streams in."""

    def __init__(
        self,
        turn: TurnView,
        style: ChatStyle,
        width: int,
        viewport: QWidget,
        events: RowSignals,
        *,
        is_last: bool,
    ) -> None:
        self._turn = turn
        self._is_last = is_last
        self._style = style
        self._width = width
        self._viewport = viewport
        self._events = events
        self._splitter = MarkdownSplitter()
        self.has_streamed = False
        self._steps: StepList | None = None
        self.rows: list[TranscriptRow] = []
        for row in self._compose():
            self.rows.append(row)
        self._settled = len(self.rows)  # rows from here on may still change
        self._measured = bytearray(len(self.rows))
        self.heights = HeightIndex(row.estimate(width) for row in self.rows)
        if turn.text and turn.reply is None:
            self.stream(turn.text)

    def set_width(self, width: int) -> None:
        """Take another width; everything is measured again when it is seen."""
        self._width = width
        self._measured = bytearray(len(self.rows))
        self.heights = HeightIndex(row.estimate(width) for row in self.rows)

    def measure(self, index: int) -> int:
        """Lay a row out, unless it is, and say how much taller it is than was thought."""
        row = self.rows[index]
        if self._measured[index] and row.is_laid_out:
            return 0
        height = row.measure(self._width)
        grown = height - self.heights[index]
        if grown:
            self.heights[index] = height
        self._measured[index] = True
        return grown

    def measure_between(self, top: int, bottom: int) -> Iterator[tuple[int, int]]:
        """Lay out the rows between two heights; give those that grew, and by how much."""
        index = self.heights.index_at(top)
        while index < len(self.rows) and self.heights.offset(index) < bottom:
            grown = self.measure(index)
            if grown:
                yield index, grown
            index += 1

    def forget_widget_heights(self) -> None:
        """Measure again whatever may have been folded or unfolded."""
        for index, row in enumerate(self.rows):
            if isinstance(row, WidgetRow):
                self._measured[index] = False

    def release(self) -> None:
        """Let go of every document and widget."""
        for row in self.rows:
            row.release()

    def show_steps(self, turn: TurnView) -> None:
        """Take the steps of an open turn as they stand now, and what it waits for."""
        self._turn = turn
        if self._steps is not None:
            self._steps.watch_steps(turn.steps, turn.wait)

    def become_earlier(self) -> None:
        """Offer less: another turn has come after this one."""
        if self._is_last and self._turn.reply is not None:
            self._is_last = False
            self._cut(len(self.rows) - 1)
            for row in self._foot():
                self.rows.append(row)
                self._measured.append(False)
                self.heights.append(row.estimate(self._width))

    def stream(self, markdown: str) -> None:
        """Add to the reply; only the open tail is made again."""
        self.has_streamed = True
        self._splitter.feed(markdown)
        closed = self._splitter.closed()
        self._replace(self._settled, closed + self._splitter.tail())
        self._settled += len(closed)

    def _replace(self, start: int, blocks: list[Block]) -> None:
        """Set these blocks from a row on, and keep the rows that already show them."""
        for index, block in enumerate(blocks, start):
            if index < len(self.rows) and self.rows[index].block == block:
                continue
            if self._become(index, block):
                continue
            self._cut(index)
            row = self._set(block)
            self.rows.append(row)
            self._measured.append(False)
            self.heights.append(row.estimate(self._width))
        self._cut(start + len(blocks))

    def _become(self, index: int, block: Block) -> bool:
        row = self.rows[index] if index < len(self.rows) else None
        if not isinstance(row, TextRow) or not row.become(block):
            return False
        self._measured[index] = False
        return True

    def _cut(self, length: int) -> None:
        for row in self.rows[length:]:
            row.release()
        del self.rows[length:]
        del self._measured[length:]
        self.heights.cut(length)

    def _compose(self) -> Iterator[TranscriptRow]:
        turn = self._turn
        yield self._set(Block(BlockKind.REQUEST, turn.request, turn.request))
        if turn.steps or turn.reply is None:
            yield self._widget(self._make_steps, 20, 28)
        if turn.reply is not None:
            yield from self._answer(turn.reply)

    def _answer(self, reply: Reply) -> Iterator[TranscriptRow]:
        yield self._set(
            Block(BlockKind.STATUS, STATUS_LABELS[reply.status], "", marker=reply.status)
        )
        yield self._set(Block(BlockKind.MESSAGE, reply.message, reply.message))
        for block in split_markdown(reply.details):
            yield self._set(block)
        if reply.artifacts:
            yield self._widget(self._make_chips, 18, 60)
        if self._turn.suggestions:
            yield self._widget(self._make_suggestions, 18, 60 * len(self._turn.suggestions))
        if self._turn.remedy is not None:
            yield self._widget(self._make_remedy, 18, 38)
        yield from self._foot()

    def _foot(self) -> Iterator[WidgetRow]:
        if self._is_last or self._turn.spent:
            yield self._widget(self._make_foot, 12, 30 if self._is_last else 20)

    def _set(self, block: Block) -> TextRow:
        if block.kind is BlockKind.CODE:
            return CodeRow(block, self._style, self._viewport)
        return TextRow(block, self._style, self.rows[-1].block.kind if self.rows else None)

    def _widget(self, make: Callable[[], QWidget], above: int, guess: int) -> WidgetRow:
        return WidgetRow(make, self._style.length(above), self._style.length(guess))

    def _make_steps(self) -> QWidget:
        self._steps = steps = StepList(self._style, self._viewport)
        if self._turn.reply is None:
            steps.watch_steps(self._turn.steps, self._turn.wait)
        else:
            steps.show_steps(self._turn.steps)
        steps.resized.connect(self._events.resized)
        steps.destroyed.connect(self._forget_steps)
        return steps

    def _forget_steps(self) -> None:
        self._steps = None

    def _make_chips(self) -> QWidget:
        references = self._turn.reply.artifacts if self._turn.reply else ()
        chips = ArtifactChips(references, self._style, self._viewport)
        chips.activated.connect(self._events.artifact_activated)
        return chips

    def _make_suggestions(self) -> QWidget:
        suggestions = SuggestionList(self._turn.suggestions, self._style, self._viewport)
        suggestions.requested.connect(self._events.request_suggested)
        return suggestions

    def _make_remedy(self) -> QWidget:
        remedy = self._turn.remedy or RemedyView("", "")
        button = AccentButton(self._style, remedy.label, self._viewport)
        button.setMaximumWidth(button.sizeHint().width())
        asked = self._turn.request
        button.clicked.connect(lambda: self._events.remedy_requested.emit(remedy.name, asked))
        return button

    def _make_foot(self) -> QWidget:
        foot = ReplyFooter(self._turn.spent, self._style, self._viewport, offers=self._is_last)
        foot.chosen.connect(self._events.foot_chosen)
        return foot
