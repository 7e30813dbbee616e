"""Benchmark: streaming, opening and scrolling the transcript, beside Qt's own text widget.

Prints ratios measured in one run. Run with `python -m tests.benchmarks.bench_transcript`.
"""

import gc
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication, QTextEdit

from assistant.reply import Reply
from gui.chat.transcript import Transcript
from gui.chat.turn import TurnView
from gui.theme import LIGHT

WORDS = 20_000
WORDS_A_FRAME = 12
MESSAGES = 10_000
SCROLLS = 300
_VOCABULARY = (
    "the", "budget", "review", "moves", "to", "Friday", "because", "harbour", "office", "asks",
    "for", "signed", "copies", "of", "every", "invoice", "and", "team", "**wants**", "`minutes`",
)  # fmt: skip


def main() -> None:
    """Measure everything once and print it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication(sys.argv[:1])
    _warm_up()
    _open_and_scroll()  # first, before memory that others gave back can hide what it takes
    _stream(WORDS)
    app.quit()


def _warm_up() -> None:
    """Load fonts and the renderer, which are not what is measured."""
    _timed_stream(_Streamed(), ["# Warm\n\n", "- a **b** `c`\n\n", "| a |\n|---|\n| 1 |\n\n"])


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
    chosen = random.choices(_VOCABULARY, k=words)  # noqa: S311
    return " ".join(chosen) + "."


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
    """The transcript, fed a frame at a time."""

    def __init__(self) -> None:
        self._view = Transcript(LIGHT)
        self._view.resize(900, 800)
        self._view.show()
        self._view.add_turn(TurnView("Write a long reply", datetime.now(UTC)))

    def take(self, piece: str) -> None:
        self._view.stream(piece)
        self._view.flush()
        self._view.viewport().repaint()


class _Appended:
    """A QTextEdit that the same text is appended to as plain text, kept at its end."""

    def __init__(self) -> None:
        self._view = QTextEdit()
        self._view.setUndoRedoEnabled(False)
        self._view.resize(900, 800)
        self._view.show()

    def take(self, piece: str) -> None:
        cursor = self._view.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(piece)
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._view.viewport().repaint()


def _pieces(words: int) -> list[str]:
    text = markdown(words).split(" ")
    return [
        " ".join(text[at : at + WORDS_A_FRAME]) + " " for at in range(0, len(text), WORDS_A_FRAME)
    ]


def _timed_stream(view: _Streamed | _Appended, pieces: list[str]) -> list[float]:
    QApplication.processEvents()
    gc.collect()
    return [_timed(partial(view.take, piece)) for piece in pieces]


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    QApplication.processEvents()
    return (time.perf_counter() - start) * 1000


def _stream(words: int) -> None:
    pieces = _pieces(words)
    plain = _timed_stream(_Appended(), pieces)
    rich = _timed_stream(_Streamed(), pieces)
    tail = len(rich) // 4
    print(f"stream {words} words in {len(pieces)} frames")
    print(f"  QTextEdit, plain append   {sum(plain):8.0f} ms   worst frame {max(plain):5.1f} ms")
    print(f"  transcript, Markdown      {sum(rich):8.0f} ms   worst frame {max(rich):5.1f} ms")
    print(f"  ratio                     {sum(rich) / sum(plain):8.2f}      (at most 2)")
    growth = sum(rich[-tail:]) / sum(rich[:tail])
    print(f"  last quarter ÷ first      {growth:8.2f}      (linear: about 1)")
    over = sum(time > 16 for time in rich)
    print(f"  frames over 16 ms         {over:8d}")


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
    view = Transcript(LIGHT)
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
    print(f"  time                      {opening:8.0f} ms   (at most 100)")
    print(f"  memory                    {(_resident() - before) / 1e6:8.1f} MB   (at most 10)")
    print(f"  the texts themselves      {(before - bare) / 1e6:8.1f} MB")
    steps = _timed_scrolling(view)
    print(f"scroll, {len(steps)} steps")
    print(f"  median                    {sorted(steps)[len(steps) // 2]:8.1f} ms")
    print(f"  worst                     {max(steps):8.1f} ms   (at most 20)")
    print(f"  memory after              {(_resident() - before) / 1e6:8.1f} MB")


def _open(view: Transcript, turns: list[TurnView]) -> None:
    view.show_turns(turns)
    view.viewport().repaint()


def _timed_scrolling(view: Transcript) -> list[float]:
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
