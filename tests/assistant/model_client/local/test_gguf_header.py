"""Reading the metadata of a weights file, also of damaged ones."""

import struct
from io import BytesIO

import pytest

from assistant.model_client.local.gguf_header import (
    MAX_HEADER_BYTES,
    MAX_LIST_LENGTH,
    InvalidHeaderError,
    read_metadata,
)
from tests.assistant.model_client.local.tiny_gguf import ENTRIES, Value, head, text, value

HUGE = (1 << 64) - 1


def read(content: bytes, size: int | None = None) -> dict[str, object]:
    return dict(read_metadata(BytesIO(content), len(content) if size is None else size))


def test_the_metadata_is_read_without_the_vocabulary() -> None:
    described = {key: told for key, told in ENTRIES.items() if not key.startswith("tokenizer.")}
    assert read(head(ENTRIES)) == pytest.approx(described)


def test_a_list_with_a_number_for_each_layer_is_read() -> None:
    assert read(head({"kept": [2, 0, 4]})) == {"kept": [2, 0, 4]}


def test_lists_of_words_and_long_lists_are_passed_over() -> None:
    entries: dict[str, Value] = {
        "tags": ["a", "bc"],
        "long": [1] * (MAX_LIST_LENGTH + 1),
        "after": "found",
    }
    assert read(head(entries)) == {"tags": None, "long": None, "after": "found"}


def test_a_vocabulary_before_the_description_is_passed_over() -> None:
    entries: dict[str, Value] = {
        "tokenizer.ggml.tokens": ["a", "b"],
        "general.architecture": "llama",
    }
    assert read(head(entries)) == {"tokenizer.ggml.tokens": None, "general.architecture": "llama"}


@pytest.mark.parametrize("content", [b"", b"GG", b"hello, world, this is no model", b"\x89PNG\r\n"])
def test_another_file_type_is_reported(content: bytes) -> None:
    with pytest.raises(InvalidHeaderError, match="is not a GGUF file"):
        read(content)


@pytest.mark.parametrize("version", [0, 1, 4, 3 << 24])
def test_an_unsupported_version_is_named(version: int) -> None:
    with pytest.raises(InvalidHeaderError, match=f"version {version} of GGUF"):
        read(b"GGUF" + struct.pack("<IQQ", version, 0, 0))


def test_a_file_cut_anywhere_in_the_description_is_damaged() -> None:
    described = {key: told for key, told in ENTRIES.items() if not key.startswith("tokenizer.")}
    whole = head(described)
    for length in range(4, len(whole)):
        with pytest.raises(InvalidHeaderError, match="ends early"):
            read(whole[:length])


def test_a_file_that_became_shorter_while_it_is_read_is_damaged() -> None:
    whole = head({"general.architecture": "llama"})
    with pytest.raises(InvalidHeaderError, match="ends early"):
        read(whole[:-2], size=len(whole))


@pytest.mark.parametrize(
    "entry",
    [
        struct.pack("<Q", HUGE),  # the key
        text("key") + struct.pack("<IQ", 8, HUGE),  # a string
        text("key") + struct.pack("<IIQ", 9, 4, HUGE),  # a list of numbers
        text("key") + struct.pack("<IIQ", 9, 8, HUGE),  # a list of strings
        text("key") + struct.pack("<IIQQ", 9, 8, 1, HUGE),  # a string in a list
    ],
)
def test_a_length_beyond_the_file_is_refused_without_taking_memory_for_it(entry: bytes) -> None:
    with pytest.raises(InvalidHeaderError, match="damaged"):
        read(head({}, count=1) + entry)


def test_a_header_beyond_all_measure_is_refused_unread() -> None:
    entry = text("key") + struct.pack("<IQ", 8, MAX_HEADER_BYTES)
    with pytest.raises(InvalidHeaderError, match="damaged"):
        read(head({}, count=1) + entry, size=MAX_HEADER_BYTES * 1_000)


@pytest.mark.parametrize(
    "kind", [struct.pack("<I", 13), struct.pack("<IIQ", 9, 9, 1), struct.pack("<IIQ", 9, 77, 1)]
)
def test_an_unknown_kind_of_entry_and_a_list_of_lists_are_refused(kind: bytes) -> None:
    with pytest.raises(InvalidHeaderError, match="is damaged"):
        read(head({}, count=1) + text("key") + kind + bytes(32))


def test_more_entries_promised_than_there_are_is_damage() -> None:
    with pytest.raises(InvalidHeaderError, match="ends early"):
        read(head({"general.name": "Tiny"}, count=HUGE))


def test_words_that_are_no_utf_8_are_still_read() -> None:
    odd = text("general.name") + struct.pack("<IQ", 8, 2) + b"\xff!"
    assert read(head({}, count=1) + odd) == {"general.name": "\ufffd!"}
    assert value("ok") == struct.pack("<I", 8) + text("ok")
