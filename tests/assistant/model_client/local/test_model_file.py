"""The description of a model file and its memory estimate."""

from pathlib import Path

import psutil
import pytest

from assistant.model_client.language_model import ModelError
from assistant.model_client.local.model_file import (
    CONTEXT_SIZES,
    MemoryEstimate,
    ModelFile,
    free_memory,
    read_model_file,
)
from tests.assistant.model_client.local.tiny_gguf import ENTRIES, Value, head, write_tiny
from tools.tool_errors import Remedy

GIGABYTE = 1_000_000_000


def written(path: Path, **changed: Value) -> ModelFile:
    entries = {key: changed.get(key.rpartition(".")[2], told) for key, told in ENTRIES.items()}
    path.write_bytes(head(entries))
    return read_model_file(path)


def test_the_header_describes_the_model(tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "tiny.gguf")
    file = read_model_file(path)
    assert (file.name, file.architecture, file.quantization) == ("Tiny", "llama", "F32")
    assert (file.size, file.trained_context) == (path.stat().st_size, 4_096)
    assert file.cached_numbers == 2 * (16 + 16)  # two layers, one head, key and value


def test_a_file_without_a_name_is_called_as_it_is_on_the_disk(tmp_path: Path) -> None:
    assert written(tmp_path / "fox-3b.gguf", name="").name == "fox-3b"


@pytest.mark.parametrize(("number", "name"), [(15, "Q4_K_M"), (32, "BF16"), (38, "MXFP4")])
def test_the_quantisation_is_named(tmp_path: Path, number: int, name: str) -> None:
    assert written(tmp_path / "a.gguf", file_type=number).quantization == name


def test_a_quantisation_of_the_future_has_no_name(tmp_path: Path) -> None:
    assert written(tmp_path / "a.gguf", file_type=200).quantization == ""


def test_layers_with_heads_of_their_own_are_counted_each(tmp_path: Path) -> None:
    assert written(tmp_path / "a.gguf", head_count_kv=[2, 0]).cached_numbers == 2 * (16 + 16)


def test_the_cache_takes_two_bytes_a_number_for_the_context_and_for_an_earlier_prompt(
    tmp_path: Path,
) -> None:
    file = written(tmp_path / "a.gguf")
    assert file.memory(1_000, GIGABYTE).cache == 2 * 1_000 * file.cached_numbers * 2


def test_all_parts_of_a_file_in_parts_are_weighed(tmp_path: Path) -> None:
    first = tmp_path / "big-00001-of-00002.gguf"
    first.write_bytes(head(ENTRIES))
    (tmp_path / "big-00002-of-00002.gguf").write_bytes(bytes(5_000))
    assert read_model_file(first).size == len(head(ENTRIES)) + 5_000


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    first = tmp_path / "big-00001-of-00002.gguf"
    first.write_bytes(head(ENTRIES))
    with pytest.raises(ModelError, match=r"big-00001.* cannot be read: No such file"):
        read_model_file(first)


def test_the_context_is_as_large_as_a_share_of_the_free_memory_has_room_for(
    tmp_path: Path,
) -> None:
    file = written(tmp_path / "a.gguf", context_length=100_000, head_count_kv=4_000)
    needed = {context: file.memory(context, 0).total for context in CONTEXT_SIZES}
    largest, middle, least = CONTEXT_SIZES
    assert file.context(None, needed[largest] * 2) == largest
    assert file.context(None, needed[largest]) == middle  # a share of it is not enough
    assert file.context(None, needed[least]) == least
    assert file.context(None, 0) == least


def test_no_more_context_than_the_model_was_trained_for(tmp_path: Path) -> None:
    file = written(tmp_path / "a.gguf", context_length=1_024)
    assert file.context(None, 100 * GIGABYTE) == 1_024
    assert file.context(30_000, 100 * GIGABYTE) == 1_024
    assert file.context(512, 100 * GIGABYTE) == 512


@pytest.mark.parametrize(
    ("entry", "absurd"),
    [
        ("block_count", 0xFFFFFFFF),
        ("embedding_length", "wide"),
        ("head_count", [2, -5]),
        ("context_length", 1.5),
    ],
)
def test_an_absurd_number_is_refused_by_name(tmp_path: Path, entry: str, absurd: Value) -> None:
    with pytest.raises(
        ModelError, match=rf"a\.gguf is not a supported language model .*{entry}"
    ) as refused:
        written(tmp_path / "a.gguf", **{entry: absurd})
    assert refused.value.remedy is Remedy.MODEL_SETTINGS


def test_a_file_that_describes_no_language_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "picture.gguf"
    path.write_bytes(head({"general.architecture": "clip", "clip.has_vision_encoder": 1}))
    with pytest.raises(ModelError, match=r"picture\.gguf is not a supported language model"):
        read_model_file(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read: No such file"), (b"PK\x03\x04 a zip", "is not a GGUF file")],
)
def test_an_unreadable_file_is_reported_with_a_remedy(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "a.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"The file a\.gguf {words}.* Pick another file\."):
        read_model_file(path)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_model_file(tmp_path)


def test_the_estimate_is_shown_beside_the_free_memory() -> None:
    need = MemoryEstimate(1_117_000_000, 470_000_000, 30_000_000, 9_240_000_000)
    assert need.fits
    assert need.words == "needs about 1.6 GB of memory; 9.2 GB are free"


def test_an_estimate_above_the_free_memory_does_not_fit() -> None:
    assert not MemoryEstimate(900, 80, 21, 1_000).fits


def test_a_long_name_of_many_lines_becomes_a_short_one_on_one(tmp_path: Path) -> None:
    assert written(tmp_path / "a.gguf", name="Fox\n\t 3B").name == "Fox 3B"
    assert len(written(tmp_path / "a.gguf", name="Fox" * 1_000).name) == 80


def test_some_memory_is_free_for_the_programs_of_this_computer() -> None:
    assert 0 < free_memory() < psutil.virtual_memory().total
