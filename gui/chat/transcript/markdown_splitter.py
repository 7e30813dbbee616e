"""The Markdown splitter: turns streamed Markdown into final blocks and an open tail."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gui.chat.blocks import Block, BlockKind

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:\s+.*)?$")
_SETEXT_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)\s*$")
_ITEM = re.compile(r"^\s*(?:([-*+])|(\d{1,9})[.)])(?:\s+(?:(\[[ xX]\])\s+)?(.*)|)$")
_RULE = re.compile(r"^ {0,3}([-*_])(?:\s*\1){2,}\s*$")
_DELIMITER_ROW = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_QUOTED = re.compile(r"^\s*> ?")
_UNDECIDED = re.compile(r"^\s*(?:[-*+#>`~=|_]{1,3}|\d{1,3}[.)]?)\s*$")
_CHECKBOXES = {"[ ]": "☐", "[x]": "☑", "[X]": "☑"}


@dataclass(slots=True)
class _OpenBlock:
    """The block that the next line may continue."""

    kind: BlockKind
    level: int
    marker: str = ""
    fence: str = ""
    indent: int = 0
    lines: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def copied(self) -> "_OpenBlock":
        return replace(self, lines=list(self.lines), sources=list(self.sources))

    def closed(self) -> Block:
        text, source = "\n".join(self.lines), "\n".join(self.sources)
        return Block(self.kind, text, source, self.level, self.marker)


def split_markdown(markdown: str) -> list[Block]:
    """Split a whole text into blocks."""
    splitter = MarkdownSplitter()
    splitter.feed(markdown)
    splitter.finish()
    return splitter.closed()


class MarkdownSplitter:
    """Splits Markdown that arrives in pieces; reads each line once, in linear time."""

    def __init__(
        self, opened: _OpenBlock | None = None, lists: Sequence[int] = (), rest: str = ""
    ) -> None:
        self._closed: list[Block] = []
        self._open = opened
        self._lists = list(lists)  # indentation of each open list
        self._rest = rest

    def feed(self, markdown: str) -> None:
        """Add the next piece, which may end in the middle of a line."""
        *lines, self._rest = (self._rest + markdown).replace("\r\n", "\n").split("\n")
        for line in lines:
            self._take(line)

    def closed(self) -> list[Block]:
        """Return the blocks that were closed since the last call."""
        closed, self._closed = self._closed, []
        return closed

    def tail(self) -> list[Block]:
        """Return the blocks still open, as if the text ended here.

        A last line that could still become any block ("#", "1.") is left out.
        """
        ahead = MarkdownSplitter(self._open and self._open.copied(), self._lists, self._rest)
        ahead.finish(undecided=_UNDECIDED.match(self._rest) is not None)
        return ahead.closed()

    def finish(self, *, undecided: bool = False) -> None:
        """Close the open block, including the last line unless that is still `undecided`."""
        if self._rest and not undecided:
            self._take(self._rest)
        self._rest = ""
        self._end()

    def _take(self, line: str) -> None:
        readings = (
            self._inside_fence, self._blank, self._fence, self._underline, self._heading,
            self._rule, self._item, self._quote, self._table,
        )  # fmt: skip
        if not any(reading(line) for reading in readings):
            self._prose(line)

    def _inside_fence(self, line: str) -> bool:
        code = self._open
        if code is None or not code.fence:
            return False
        code.sources.append(line)
        if line.strip().startswith(code.fence) and not line.strip().strip(code.fence[0]):
            self._end()
        else:
            code.lines.append(line[min(code.indent, _indent(line)) :])
        return True

    def _blank(self, line: str) -> bool:
        if line.strip():
            return False
        self._end()
        return True

    def _fence(self, line: str) -> bool:
        found = _FENCE.match(line)
        if found is None:
            return False
        code = self._begin(BlockKind.CODE, line, level=self._depth(line), marker=found[2])
        code.fence, code.indent = found[1], _indent(line)
        return True

    def _underline(self, line: str) -> bool:
        found = _SETEXT_UNDERLINE.match(line)
        if found is None or self._open is None or self._open.kind is not BlockKind.PROSE:
            return False
        self._open.kind, self._open.level = BlockKind.HEADING, 1 if found[1][0] == "=" else 2
        self._open.sources.append(line)
        self._end()
        return True

    def _heading(self, line: str) -> bool:
        found = _HEADING.match(line)
        if found is None:
            return False
        self._lists.clear()
        text = re.sub(r"\s+#+\s*$", "", line.strip().lstrip("#")).strip()
        self._begin(BlockKind.HEADING, line, text, level=len(found[1]))
        self._end()
        return True

    def _rule(self, line: str) -> bool:
        if not _RULE.match(line):
            return False
        self._lists.clear()
        self._begin(BlockKind.RULE, line)
        self._end()
        return True

    def _item(self, line: str) -> bool:
        found = _ITEM.match(line)
        if found is None or not self._may_list(line, found):
            return False
        level = self._depth(line)
        self._lists = [*self._lists[:level], _indent(line)]
        number = f"{found[2]}." if found[2] else "•"
        self._begin(
            BlockKind.ITEM, line, found[4] or "", level, _CHECKBOXES.get(found[3] or "", number)
        )
        return True

    def _may_list(self, line: str, found: re.Match[str]) -> bool:
        if not self._lists and _indent(line) > 3:
            return False
        interrupts = self._open is not None and self._open.kind in {
            BlockKind.PROSE,
            BlockKind.QUOTE,
        }
        return not interrupts or bool(found[4] and (found[1] or found[2] == "1"))

    def _quote(self, line: str) -> bool:
        if not _QUOTED.match(line):
            return False
        text = _QUOTED.sub("", line, count=1)
        if self._open is not None and self._open.kind is BlockKind.QUOTE:
            self._continue(line, text)
        else:
            self._begin(BlockKind.QUOTE, line, text, level=self._depth(line))
        return True

    def _table(self, line: str) -> bool:
        block = self._open
        if block is None:
            return False
        if block.kind is BlockKind.TABLE and "|" in line:
            self._continue(line, line)
            return True
        is_header = (
            block.kind is BlockKind.PROSE and len(block.lines) == 1 and "|" in block.lines[0]
        )
        if is_header and "|" in line and _DELIMITER_ROW.match(line):
            block.kind = BlockKind.TABLE
            self._continue(line, line)
            return True
        return False

    def _prose(self, line: str) -> None:
        continues = {BlockKind.PROSE, BlockKind.ITEM, BlockKind.QUOTE}
        if self._open is not None and self._open.kind in continues:
            self._continue(line, line.lstrip())
            return
        level = self._depth(line)
        self._lists = self._lists[:level]
        self._begin(BlockKind.PROSE, line, line.lstrip() if level else line, level)

    def _depth(self, line: str) -> int:
        """Return the number of open lists that contain a line."""
        return sum(_indent(line) >= indent + 2 for indent in self._lists)

    def _begin(
        self,
        kind: BlockKind,
        source: str,
        text: str | None = None,
        level: int = 0,
        marker: str = "",
    ) -> _OpenBlock:
        self._end()
        lines = [] if text is None else [text]
        self._open = _OpenBlock(kind, level, marker, lines=lines, sources=[source])
        return self._open

    def _continue(self, source: str, text: str) -> None:
        if self._open is not None:
            self._open.sources.append(source)
            self._open.lines.append(text)

    def _end(self) -> None:
        if self._open is not None:
            self._closed.append(self._open.closed())
        self._open = None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
