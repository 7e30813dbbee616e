"""A passage: where one component stands in a calendar file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Passage:
    """The bytes from `start` until before `end`; `kind` is VEVENT or VTIMEZONE.

    One that was never ended (`is_whole` is not so) ends where the next begins.
    """

    kind: str
    start: int
    end: int
    is_whole: bool

    def text(self, content: bytes) -> str:
        """What stands there, ended if need be."""
        said = content[self.start : self.end].decode("utf-8", errors="replace")
        lines = re.split(r"\r\n|\n|\r", said.removesuffix("\n").removesuffix("\r"))
        return "\r\n".join([*lines, *([] if self.is_whole else [f"END:{self.kind}"])])


def passages(content: bytes) -> Iterator[Passage]:
    """The outermost VEVENT and VTIMEZONE parts, in the order of the file."""
    kind, begun = "", 0
    start = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    for line in _LINE.finditer(content, start):
        mark = line[0].rstrip().upper()
        if mark in {b"BEGIN:VEVENT", b"BEGIN:VTIMEZONE"}:
            if kind:
                yield Passage(kind, begun, line.start(), is_whole=False)
            kind, begun = mark.removeprefix(b"BEGIN:").decode(), line.start()
        if kind and mark == f"END:{kind}".encode():
            yield Passage(kind, begun, line.end(), is_whole=True)
            kind = ""
