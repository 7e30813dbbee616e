"""A GGUF header: what a file of weights says about itself, read without loading the weights.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Mapping
from typing import BinaryIO

Value = int | float | bool | str | list["Value"] | None
Entries = Mapping[str, Value]

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LARGEST_HEADER = 64_000_000  # bytes; vocabularies of 260,000 words take 10,000,000
LONGEST_LIST = 4_096  # entries that are kept; one for each layer is the longest that is wanted

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_NUMBERS |= {12: "d"}
_STRING, _LIST = 8, 9


class DamagedHeaderError(Exception):
    """This is no GGUF file, or not a whole one; the text completes "the file …"."""


def read_entries(file: BinaryIO, size: int) -> Entries:
    """The entries before the vocabulary, by key; long lists read as None.

    The vocabulary comes after whatever describes the model, and is the bulk of the header.

    Args:
        file: Open at its beginning.
        size: Of the whole file, in bytes.

    Raises:
        DamagedHeaderError: says what is wrong with the file.
    """
    reader = _Reader(file, min(size, LARGEST_HEADER))
    if size < len(MAGIC) or reader.take(len(MAGIC)) != MAGIC:
        raise DamagedHeaderError("is not a GGUF file")
    version = reader.number("I")
    if version not in VERSIONS:
        raise DamagedHeaderError(f"has version {version} of GGUF, which is not known here")
    reader.number("Q")  # how many tensors
    entries: dict[str, Value] = {}
    for _ in range(reader.number("Q")):
        key = reader.text()
        if key.startswith("tokenizer.") and "general.architecture" in entries:
            break
        entries[key] = reader.value(reader.number("I"))
    return entries


class _Reader:
    """Takes values off a file; nothing past the limit is read, whatever lengths the file tells."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self._left = limit

    def take(self, count: int) -> bytes:
        self._spend(count)
        taken = self._file.read(count)
        if len(taken) < count:
            raise DamagedHeaderError("ends early")
        return taken

    def number(self, form: str) -> int:
        return int(self._unpacked(form))

    def text(self) -> str:
        return self.take(self.number("Q")).decode("utf-8", "replace")

    def value(self, kind: int) -> Value:
        if kind == _STRING:
            return self.text()
        if kind == _LIST:
            return self._list(self.number("I"), self.number("Q"))
        return self._unpacked(_form(kind))

    def _list(self, kind: int, length: int) -> Value:
        if kind == _STRING:
            for _ in range(length):
                self._skip(self.number("Q"))
            return None
        size = struct.calcsize(_form(kind))
        if length > LONGEST_LIST:
            self._skip(length * size)
            return None
        return [self._unpacked(_form(kind)) for _ in range(length)]

    def _unpacked(self, form: str) -> int | float | bool:
        number: int | float | bool
        (number,) = struct.unpack(f"<{form}", self.take(struct.calcsize(form)))
        return number

    def _skip(self, count: int) -> None:
        self._spend(count)
        self._file.seek(count, 1)

    def _spend(self, count: int) -> None:
        if count > self._left:
            raise DamagedHeaderError("ends early, or is damaged")
        self._left -= count


def _form(kind: int) -> str:
    if kind not in _NUMBERS:
        raise DamagedHeaderError("is damaged")
    return _NUMBERS[kind]
