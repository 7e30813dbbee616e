"""Benchmark: streaming, opening and scrolling the transcript, beside Qt's own text widget.

Prints ratios measured in one run. Run with `python -m tests.benchmarks.bench_transcript`.
"""

import gc
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QTextEdit

from assistant.runs.reply import Reply
from gui.chat.chat_style import ChatStyle
from gui.chat.transcript.transcript_view import TranscriptView
from gui.chat.turn_view import TurnView
from gui.theme.colors import LIGHT

WORDS = 20_000
PIECES_A_FRAME = 4  # a fast model: some 240 pieces a second
WORDS_A_PIECE = 3
MESSAGES = 10_000
SCROLLS = 300
_VOCABULARY = (
    "the", "budget", "review", "moves", "to", "Friday", "because", "harbour", "office", "asks",
    "for", "signed", "copies", "of", "every", "invoice", "and", "team", "wants", "minutes",
)  # fmt: skip
_MARKED = 0.04  # of the words are bold or code


def main() -> None:
    """Measure everything once and print it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication(sys.argv[:1])
    _warm_up()
    gc.collect()
    gc.freeze()  # as the program does once it has loaded
    _open_and_scroll()  # first, before memory that others gave back can hide what it takes
    _stream(WORDS)
    app.quit()


def _warm_up() -> None:
    """Load fonts and the renderer, which are not what is measured."""
    _timed_streams([["# Warm\n\n"], ["- a **b** `c`\n\n"], ["| a |\n|---|\n| 1 |\n\n"]])


def markdown(words: int) -> str:
    """Make a reply as models write them: headings, paragraphs, lists, tables, code, quotes."""
    random.seed(7)
    parts: list[str] = []
    count = 0
    while count < words:
        part = random.choice([_paragraph] * 6 + [_list] * 3 + [_table, _code, _quote, _heading])()  # noqa: S311
        count += len(part.split())
        parts.append(part)
    return "\n\n".join(parts)


def _sentence(words: int) -> str:
    return " ".join(_word() for _ in range(words)) + "."


def _word() -> str:
    word = random.choice(_VOCABULARY)  # noqa: S311
    if random.random() >= _MARKED:  # noqa: S311
        return word
    return random.choice((f"**{word}**", f"`{word}`"))  # noqa: S311


def _paragraph() -> str:
    return " ".join(_sentence(14) for _ in range(5))


def _list() -> str:
    return "\n".join(f"- {_sentence(12)} — [mail](mail:{n})" for n in range(6))


def _table() -> str:
    rows = [f"| {_sentence(3)} | {n * 17.5} | {_sentence(4)} |" for n in range(8)]
    return "\n".join(["| what | amount | note |", "|---|--:|---|", *rows])


def _code() -> str:
    return "```python\n" + "\n".join(f"print({_sentence(5)!r})" for _ in range(10)) + "\n```"


def _quote() -> str:
    return f"> {_sentence(30)}"


def _heading() -> str:
    return f"## {_sentence(5)}"


class _Streamed:
    """The transcript: takes pieces as they come, and shows them with the frame."""

    def __init__(self) -> None:
        self._view = TranscriptView(ChatStyle.of(LIGHT, QFont()))
        self._view.resize(900, 800)
        self._view.show()
        self._view.add_turn(TurnView("Write a long reply", datetime.now(UTC)))

    def take_frame(self, pieces: Sequence[str]) -> None:
        for piece in pieces:
            self._view.stream(piece)
        self._view.flush()


class _Appended:
    """A QTextEdit, kept at its end, that the same pieces are appended to as plain text."""

    def __init__(self) -> None:
        self._view = QTextEdit()
        self._view.setUndoRedoEnabled(False)
        self._view.resize(900, 800)
        self._view.show()

    def take_frame(self, pieces: Sequence[str]) -> None:
        for piece in pieces:
            cursor = self._view.textCursor()
            cursor.movePosition(cursor.MoveOperation.End)
            cursor.insertText(piece)
            bar = self._view.verticalScrollBar()
            bar.setValue(bar.maximum())


def _frames(words: int) -> list[list[str]]:
    text = markdown(words).split(" ")
    step = WORDS_A_PIECE
    pieces = [" ".join(text[at : at + step]) + " " for at in range(0, len(text), step)]
    return [pieces[at : at + PIECES_A_FRAME] for at in range(0, len(pieces), PIECES_A_FRAME)]


class Took(NamedTuple):
    """Milliseconds: by the clock on the wall, and those this program was really given."""

    wall: float
    own: float


def _timed_streams(frames: list[list[str]]) -> tuple[list[Took], list[Took]]:
    """Feed both a frame each in turn, so that whatever else the machine does slows both."""
    plain, rich = _Appended(), _Streamed()
    QApplication.processEvents()
    gc.collect()
    pairs = [
        (_timed(partial(plain.take_frame, frame)), _timed(partial(rich.take_frame, frame)))
        for frame in frames
    ]
    return [first for first, _ in pairs], [second for _, second in pairs]


def _timed(action: Callable[[], object]) -> Took:
    wall, own = time.perf_counter(), time.thread_time()
    action()
    QApplication.processEvents()
    return Took((time.perf_counter() - wall) * 1000, (time.thread_time() - own) * 1000)


def _stream(words: int) -> None:
    frames = _frames(words)
    plain, rich = _timed_streams(frames)
    spent = [sum(took.own for took in side) for side in (plain, rich)]
    quarter = len(rich) // 4
    growth = sum(took.own for took in rich[-quarter:]) / sum(took.own for took in rich[:quarter])
    print(f"stream {words} words in {len(frames)} frames")
    print(f"  QTextEdit, plain append   {spent[0]:8.0f} ms   {_worst(plain)}")
    print(f"  transcript, Markdown      {spent[1]:8.0f} ms   {_worst(rich)}   (at most 16)")
    print(f"  ratio                     {spent[1] / spent[0]:8.2f}      (at most 2)")
    print(f"  last quarter ÷ first      {growth:8.2f}      (linear: about 1)")


def _worst(frames: list[Took]) -> str:
    own, wall = max(took.own for took in frames), max(took.wall for took in frames)
    return f"worst frame {own:5.1f} ms own, {wall:5.1f} ms with what else ran here"


def _conversation() -> list[TurnView]:
    random.seed(11)
    now = datetime.now(UTC)
    return [
        TurnView(f"Question {n}: {_sentence(8)}", now, reply=Reply(_sentence(9), _details()))
        for n in range(MESSAGES // 2)
    ]


def _details() -> str:
    return "\n\n".join([_paragraph(), random.choice([_list, _table, _code, _quote])()])  # noqa: S311


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _open_and_scroll() -> None:
    view = TranscriptView(ChatStyle.of(LIGHT, QFont()))
    view.resize(900, 800)
    view.show()
    QApplication.processEvents()
    gc.collect()
    bare = _resident()
    turns = _conversation()
    gc.collect()
    before = _resident()
    opening = _timed(partial(_open, view, turns))
    print(f"open {MESSAGES} messages")
    print(f"  time                      {opening.wall:8.0f} ms   (at most 100)")
    print(f"  memory                    {(_resident() - before) / 1e6:8.1f} MB   (at most 10)")
    print(f"  the texts themselves      {(before - bare) / 1e6:8.1f} MB")
    steps = _timed_scrolling(view)
    print(f"scroll, {len(steps)} steps")
    print(f"  median                    {sorted(steps)[len(steps) // 2].wall:8.1f} ms")
    print(f"  {_worst(steps)}   (at most 20)")
    print(f"  memory after              {(_resident() - before) / 1e6:8.1f} MB")


def _open(view: TranscriptView, turns: list[TurnView]) -> None:
    view.show_turns(turns)
    view.viewport().repaint()


def _timed_scrolling(view: TranscriptView) -> list[Took]:
    bar = view.verticalScrollBar()

    def scroll(position: int) -> None:
        bar.setValue(position)
        view.viewport().repaint()

    return [_timed(partial(scroll, position)) for position in _positions(bar.maximum())]


def _positions(maximum: int) -> Iterator[int]:
    """Wheel up from the end, then drag through the whole conversation, then page."""
    yield from (maximum - 100 * n for n in range(SCROLLS))
    yield from (maximum * n // SCROLLS for n in range(SCROLLS))
    yield from (maximum // 2 + 700 * n for n in range(SCROLLS))


if __name__ == "__main__":
    main()
