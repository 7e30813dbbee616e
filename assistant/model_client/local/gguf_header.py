"""The GGUF header: metadata of a weights file, read without loading the weights."""

import struct
from collections.abc import Mapping
from typing import BinaryIO

MetadataValue = int | float | bool | str | list["MetadataValue"] | None
Metadata = Mapping[str, MetadataValue]

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_HEADER_BYTES = 64_000_000  # bytes; vocabularies of 260,000 words take 10,000,000
MAX_LIST_LENGTH = 4_096  # entries that are kept; one for each layer is the longest that is wanted

_NUMBER_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_NUMBER_FORMATS |= {12: "d"}
_STRING, _LIST = 8, 9


class InvalidHeaderError(Exception):
    """This is no GGUF file, or not a whole one; the text completes "the file …"."""


def read_metadata(file: BinaryIO, size: int) -> Metadata:
    """The entries before the vocabulary, by key; long lists read as None.

    The vocabulary comes after whatever describes the model, and is the bulk of the header.

    Args:
        file: Open at its beginning.
        size: Of the whole file, in bytes.

    Raises:
        DamagedHeaderError: says what is wrong with the file.
    """
    reader = _HeaderReader(file, min(size, MAX_HEADER_BYTES))
    if size < len(MAGIC) or reader.take(len(MAGIC)) != MAGIC:
        raise InvalidHeaderError("is not a GGUF file")
    version = reader.number("I")
    if version not in VERSIONS:
        raise InvalidHeaderError(f"has version {version} of GGUF, which is not known here")
    reader.number("Q")  # how many tensors
    entries: dict[str, MetadataValue] = {}
    for _ in range(reader.number("Q")):
        key = reader.text()
        if key.startswith("tokenizer.") and "general.architecture" in entries:
            break
        entries[key] = reader.value(reader.number("I"))
    return entries


class _HeaderReader:
    """Takes values off a file; nothing past the limit is read, whatever lengths the file tells."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self._left = limit

    def take(self, count: int) -> bytes:
        self._spend(count)
        taken = self._file.read(count)
        if len(taken) < count:
            raise InvalidHeaderError("ends early")
        return taken

    def number(self, form: str) -> int:
        return int(self._unpacked(form))

    def text(self) -> str:
        return self.take(self.number("Q")).decode("utf-8", "replace")

    def value(self, kind: int) -> MetadataValue:
        if kind == _STRING:
            return self.text()
        if kind == _LIST:
            return self._list(self.number("I"), self.number("Q"))
        return self._unpacked(_struct_format(kind))

    def _list(self, kind: int, length: int) -> MetadataValue:
        if kind == _STRING:
            for _ in range(length):
                self._skip(self.number("Q"))
            return None
        size = struct.calcsize(_struct_format(kind))
        if length > MAX_LIST_LENGTH:
            self._skip(length * size)
            return None
        return [self._unpacked(_struct_format(kind)) for _ in range(length)]

    def _unpacked(self, form: str) -> int | float | bool:
        number: int | float | bool
        (number,) = struct.unpack(f"<{form}", self.take(struct.calcsize(form)))
        return number

    def _skip(self, count: int) -> None:
        self._spend(count)
        self._file.seek(count, 1)

    def _spend(self, count: int) -> None:
        if count > self._left:
            raise InvalidHeaderError("ends early, or is damaged")
        self._left -= count


def _struct_format(kind: int) -> str:
    if kind not in _NUMBER_FORMATS:
        raise InvalidHeaderError("is damaged")
    return _NUMBER_FORMATS[kind]
