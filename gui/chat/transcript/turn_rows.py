"""The rows of a turn, from the request to the footer, with their heights."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QRect
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
from gui.chat.transcript_signals import TranscriptSignals
from gui.chat.turn_view import STATUS_LABELS, RemedyView, TurnView


class WidgetRow:
    """A row with a widget, which is created on demand and can be released."""

    def __init__(self, create: Callable[[], QWidget], above: int, estimated: int) -> None:
        self.block = Block(BlockKind.WIDGET, "", "")
        self._create = create
        self._above = above
        self._estimated = estimated
        self._widget: QWidget | None = None
        self.height = 0  # when last measured

    @property
    def is_laid_out(self) -> bool:
        """Whether the widget exists."""
        return self._widget is not None

    def estimate(self, width: int) -> int:  # noqa: ARG002 — text rows need it
        """Return the estimated height."""
        return self._above + self._estimated

    def measure(self, width: int) -> int:
        """Create the widget if necessary; return its height in this width."""
        if self._widget is None:
            self._widget = self._create()
            self._widget.hide()  # else it would appear with its parent before it has a place
        self.height = self._above + self._widget.heightForWidth(width)
        return self.height

    def place(self, left: int, top: int, width: int) -> None:
        """Move the widget to its row and show it."""
        if self._widget is not None:
            width = min(width, self._widget.maximumWidth())
            height = self._widget.heightForWidth(width)
            self._widget.setGeometry(QRect(left, top + self._above, width, height))
            self._widget.show()

    def hide(self) -> None:
        """Hide the widget."""
        if self._widget is not None:
            self._widget.hide()

    def release(self) -> None:
        """Delete the widget; it is created again on demand."""
        if self._widget is not None:
            self._widget.hide()
            self._widget.deleteLater()
        self._widget = None


TranscriptRow = TextRow | WidgetRow


def estimate_turn_height(turn: TurnView, width: int, style: ChatStyle) -> int:
    """Estimate the height of a turn in pixels without creating its rows."""
    letters = max(1, round(width / (style.font.pixelSize() * 0.5)))
    lines = 1 + len(turn.request) // letters
    if turn.reply is not None:
        details = turn.reply.details
        lines += 3 + len(details) // letters + details.count("\n") * 5 // 4
        lines += 3 * bool(turn.reply.artifacts) + bool(turn.spent)
    return style.length(70 + 22 * lines + 34 * bool(turn.steps))


class TurnRows:
    """The rows of a turn; those of an open turn change while its reply streams in."""

    def __init__(
        self,
        turn: TurnView,
        style: ChatStyle,
        width: int,
        viewport: QWidget,
        signals: TranscriptSignals,
        *,
        is_last: bool,
    ) -> None:
        self._turn = turn
        self._is_last = is_last
        self._style = style
        self._width = width
        self._viewport = viewport
        self._signals = signals
        self._splitter = MarkdownSplitter()
        self.has_streamed = False
        self._steps: StepList | None = None
        self.rows: list[TranscriptRow] = []
        self._measured = bytearray()
        self.heights = HeightIndex()
        for row in self._create_rows():
            self._append(row)
        self._final = len(self.rows)  # rows from here on may still change
        if turn.text and turn.reply is None:
            self.stream(turn.text)

    def set_width(self, width: int) -> None:
        """Set the width; rows are measured again when they become visible."""
        self._width = width
        self._measured = bytearray(len(self.rows))
        self.heights = HeightIndex(row.estimate(width) for row in self.rows)

    def measure_between(self, top: int, bottom: int) -> Iterator[tuple[int, int]]:
        """Measure the rows between two heights; yield those that grew, and by how many pixels."""
        index = self.heights.index_at(top)
        while index < len(self.rows) and self.heights.offset(index) < bottom:
            grown = self._measure(index)
            if grown:
                yield index, grown
            index += 1

    def forget_widget_heights(self) -> None:
        """Measure all widgets again, as some may have been folded or unfolded."""
        for index, row in enumerate(self.rows):
            if isinstance(row, WidgetRow):
                self._measured[index] = False

    def release(self) -> None:
        """Release all documents and widgets."""
        for row in self.rows:
            row.release()

    def show_steps(self, turn: TurnView) -> None:
        """Show the current steps of an open turn, and its wait status."""
        self._turn = turn
        if self._steps is not None:
            self._steps.watch_steps(turn.steps, turn.wait)

    def become_earlier(self) -> None:
        """Remove the buttons for the last reply, since another turn follows."""
        if self._is_last and self._turn.reply is not None:
            self._is_last = False
            self._cut(len(self.rows) - 1)
            for row in self._footer():
                self._append(row)

    def stream(self, markdown: str) -> None:
        """Append to the reply; only the rows of unfinished blocks are created again."""
        self.has_streamed = True
        self._splitter.feed(markdown)
        closed = self._splitter.closed()
        self._replace(self._final, closed + self._splitter.tail())
        self._final += len(closed)

    def _measure(self, index: int) -> int:
        """Measure a row unless it is; return its growth in pixels."""
        row = self.rows[index]
        if self._measured[index] and row.is_laid_out:
            return 0
        height = row.measure(self._width)
        grown = height - self.heights[index]
        if grown:
            self.heights[index] = height
        self._measured[index] = True
        return grown

    def _replace(self, start: int, blocks: list[Block]) -> None:
        """Show these blocks from a row on; keep the rows that already show them."""
        for index, block in enumerate(blocks, start):
            row = self.rows[index] if index < len(self.rows) else None
            if row is not None and row.block == block:
                continue
            if isinstance(row, TextRow) and row.become(block):
                self._measured[index] = False
                continue
            self._cut(index)
            self._append(self._text(block))
        self._cut(start + len(blocks))

    def _append(self, row: TranscriptRow) -> None:
        self.rows.append(row)
        self._measured.append(False)
        self.heights.append(row.estimate(self._width))

    def _cut(self, length: int) -> None:
        for row in self.rows[length:]:
            row.release()
        del self.rows[length:]
        del self._measured[length:]
        self.heights.cut(length)

    def _create_rows(self) -> Iterator[TranscriptRow]:
        turn = self._turn
        yield self._text(Block(BlockKind.REQUEST, turn.request, turn.request))
        if turn.steps or turn.reply is None:
            yield self._widget(self._create_steps, 20, 28)
        if turn.reply is not None:
            yield from self._reply(turn.reply)

    def _reply(self, reply: Reply) -> Iterator[TranscriptRow]:
        label = STATUS_LABELS[reply.status]
        yield self._text(Block(BlockKind.STATUS, label, "", marker=reply.status))
        yield self._text(Block(BlockKind.MESSAGE, reply.message, reply.message))
        for block in split_markdown(reply.details):
            yield self._text(block)
        if reply.artifacts:
            yield self._widget(self._create_chips, 18, 60)
        if self._turn.suggestions:
            yield self._widget(self._create_suggestions, 18, 60 * len(self._turn.suggestions))
        if self._turn.remedy is not None:
            yield self._widget(self._create_remedy, 18, 38)
        yield from self._footer()

    def _footer(self) -> Iterator[WidgetRow]:
        if self._is_last or self._turn.spent:
            yield self._widget(self._create_footer, 12, 30 if self._is_last else 20)

    def _text(self, block: Block) -> TextRow:
        if block.kind is BlockKind.CODE:
            return CodeRow(block, self._style, self._viewport)
        return TextRow(block, self._style, self.rows[-1].block.kind if self.rows else None)

    def _widget(self, create: Callable[[], QWidget], above: int, estimated: int) -> WidgetRow:
        return WidgetRow(create, self._style.length(above), self._style.length(estimated))

    def _create_steps(self) -> QWidget:
        self._steps = steps = StepList(self._style, self._viewport)
        if self._turn.reply is None:
            steps.watch_steps(self._turn.steps, self._turn.wait)
        else:
            steps.show_steps(self._turn.steps)
        steps.resized.connect(self._signals.resized)
        steps.destroyed.connect(self._forget_steps)
        return steps

    def _forget_steps(self) -> None:
        self._steps = None

    def _create_chips(self) -> QWidget:
        references = self._turn.reply.artifacts if self._turn.reply else ()
        chips = ArtifactChips(references, self._style, self._viewport)
        chips.activated.connect(self._signals.artifact_activated)
        return chips

    def _create_suggestions(self) -> QWidget:
        suggestions = SuggestionList(self._turn.suggestions, self._style, self._viewport)
        suggestions.requested.connect(self._signals.request_suggested)
        return suggestions

    def _create_remedy(self) -> QWidget:
        remedy = self._turn.remedy or RemedyView("", "")
        button = AccentButton(self._style, remedy.label, self._viewport)
        button.setMaximumWidth(button.sizeHint().width())
        request = self._turn.request
        button.clicked.connect(lambda: self._signals.remedy_requested.emit(remedy.name, request))
        return button

    def _create_footer(self) -> QWidget:
        footer = ReplyFooter(
            self._turn.spent, self._style, self._viewport, has_actions=self._is_last
        )
        footer.action_chosen.connect(self._signals.footer_action)
        return footer
