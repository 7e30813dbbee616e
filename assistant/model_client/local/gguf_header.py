"""The GGUF header: metadata of a weights file, read without loading the weights.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Mapping
from typing import BinaryIO

MetadataValue = int | float | bool | str | list["MetadataValue"] | None
Metadata = Mapping[str, MetadataValue]

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_HEADER_BYTES = 64_000_000  # bytes; vocabularies of 260,000 words take 10,000,000
MAX_LIST_LENGTH = 4_096  # items; the longest list needed has one for each layer

_NUMBER_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_NUMBER_FORMATS |= {12: "d"}
_STRING, _LIST = 8, 9


class InvalidHeaderError(Exception):
    """The file is not GGUF, or incomplete; the text completes "The file …"."""


def read_metadata(file: BinaryIO, size: int) -> Metadata:
    """Return the metadata before the vocabulary, by key; long lists become None.

    The vocabulary follows the description of the model and is the bulk of the header.

    Args:
        file: Open at its beginning.
        size: Of the whole file, in bytes.

    Raises:
        InvalidHeaderError: the file is not GGUF, damaged or of an unknown version.
    """
    reader = _HeaderReader(file, min(size, MAX_HEADER_BYTES))
    if size < len(MAGIC) or reader.read(len(MAGIC)) != MAGIC:
        raise InvalidHeaderError("is not a GGUF file")
    version = reader.number("I")
    if version not in VERSIONS:
        raise InvalidHeaderError(f"has version {version} of GGUF, which is not supported")
    reader.number("Q")  # number of tensors
    entries: dict[str, MetadataValue] = {}
    for _ in range(reader.number("Q")):
        key = reader.text()
        if key.startswith("tokenizer.") and "general.architecture" in entries:
            break
        entries[key] = reader.value(reader.number("I"))
    return entries


class _HeaderReader:
    """Reads values; never past the limit, even if a damaged file claims longer ones."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self._remaining = limit

    def read(self, count: int) -> bytes:
        self._consume(count)
        data = self._file.read(count)
        if len(data) < count:
            raise InvalidHeaderError("ends early")
        return data

    def number(self, struct_format: str) -> int:
        return int(self._unpacked(struct_format))

    def text(self) -> str:
        return self.read(self.number("Q")).decode("utf-8", "replace")

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

    def _unpacked(self, struct_format: str) -> int | float | bool:
        number: int | float | bool
        (number,) = struct.unpack(f"<{struct_format}", self.read(struct.calcsize(struct_format)))
        return number

    def _skip(self, count: int) -> None:
        self._consume(count)
        self._file.seek(count, 1)

    def _consume(self, count: int) -> None:
        if count > self._remaining:
            raise InvalidHeaderError("ends early, or is damaged")
        self._remaining -= count


def _struct_format(kind: int) -> str:
    if kind not in _NUMBER_FORMATS:
        raise InvalidHeaderError("is damaged")
    return _NUMBER_FORMATS[kind]
