"""A model file: metadata of local weights, and the memory that serving them takes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from assistant.model_client.language_model import ModelError
from assistant.model_client.local.gguf_header import InvalidHeaderError, Metadata, read_metadata
from tools.tool_errors import Remedy


@dataclass(frozen=True)
class MemoryEstimate:
    """What loading takes, about, and what is free before it; all in bytes.

    Attributes:
        weights: The file, mapped as it is.
        cache: What was read of the prompt, and earlier prompts that may come again.
        compute: Room for one batch, and the program that serves.
        free: What programs can still take without swapping.
    """

    weights: int
    cache: int
    compute: int
    free: int

    @property
    def total(self) -> int:
        """All of it together."""
        return self.weights + self.cache + self.compute

    @property
    def fits(self) -> bool:
        """Whether it can be loaded."""
        return self.total <= self.free

    @property
    def words(self) -> str:
        """Completes the name of the model to a sentence, without the stop."""
        return (
            f"needs about {format_bytes(self.total)} of memory; {format_bytes(self.free)} are free"
        )


def format_bytes(size: int) -> str:
    """A number of bytes as a person reads it."""
    return f"{size / 1e9:.1f} GB" if size >= 950_000_000 else f"{size / 1e6:.1f} MB"


def free_memory() -> int:
    """Bytes that programs can still take without swapping."""
    import psutil  # noqa: PLC0415 — comes with an extra

    return int(psutil.virtual_memory().available)


BATCH_TOKENS = 256  # tokens read at once; a request that is taken back is left after one batch
CONTEXT_SIZES = (8_192, 4_096, 2_048)  # tokens; the first that leaves the computer room to breathe
MEMORY_SHARE = 0.75  # of the free memory, taken without having been asked for
PROCESS_BYTES = 100_000_000  # bytes; Python and llama.cpp themselves
BYTES_PER_CACHED_NUMBER = 2  # bytes
BYTES_PER_COMPUTED_NUMBER = 4  # bytes
MAX_COUNT = 1 << 24
MAX_NAME_LENGTH = 80

# By number; https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h, enum llama_ftype.
QUANTIZATIONS = (
    *("F32", "F16", "Q4_0", "Q4_1", "", "", "", "Q8_0", "Q5_0", "Q5_1", "Q2_K", "Q3_K_S", "Q3_K_M"),
    *("Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "IQ2_XXS", "IQ2_XS", "Q2_K_S"),
    *("IQ3_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M", "IQ4_XS"),
    *("IQ1_M", "BF16", "", "", "", "TQ1_0", "TQ2_0", "MXFP4"),
)


@dataclass(frozen=True)
class ModelFile:
    """A GGUF file whose header was read.

    Attributes:
        path: The file, or the first part of it.
        size: All parts, in bytes.
        name: What its maker calls it, or the name of the file.
        architecture: The kind of model, as llama.cpp knows it.
        quantisation: How the weights are written, such as Q4_K_M; "" where not known.
        trained: Tokens that the model was trained to look at together.
        cached: Numbers that one token leaves in the cache, over all layers. Layers that look at a
            window only leave fewer, which is not looked into.
        computed: Numbers that one token takes while it is read, beside the context.
    """

    path: Path
    size: int
    name: str
    architecture: str
    quantisation: str
    trained: int
    cached: int
    computed: int

    def context(self, wished: int | None, free: int) -> int:
        """Tokens that prompt and answer may have together.

        Args:
            wished: None for as many as a share of the free memory has room for.
            free: In bytes.
        """
        if wished is not None:
            return min(wished, self.trained)
        room = int(free * MEMORY_SHARE)
        fitting = (context for context in CONTEXT_SIZES if self.need(context, room).fits)
        return min(next(fitting, CONTEXT_SIZES[-1]), self.trained)

    def need(self, context: int, free: int) -> MemoryEstimate:
        """What serving takes with so many tokens of context, beside so many bytes free."""
        batch = BATCH_TOKENS * (self.computed + context) * BYTES_PER_COMPUTED_NUMBER
        return MemoryEstimate(self.size, 2 * self.saved(context), batch + PROCESS_BYTES, free)

    def saved(self, context: int) -> int:
        """Bytes of a prompt as long as the context, kept because it may come again."""
        return context * self.cached * BYTES_PER_CACHED_NUMBER


def read_model_file(path: Path) -> ModelFile:
    """What a file says about itself; reads the beginning of it, never the weights.

    Raises:
        ModelError: the extra is not installed, or this is no model that can be served, and why.
    """
    if not (find_spec("xllamacpp") and find_spec("psutil")):
        words = "A model file is served by an extra: install it with pip install 'deskhand[local]'."
        raise ModelError(words, Remedy.MODEL_SETTINGS)
    try:
        return _model_file(path, *_read(path))
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except InvalidHeaderError as error:
        reason = str(error)
    raise ModelError(f"The file {path.name} {reason}. Pick another file.", Remedy.MODEL_SETTINGS)


def _read(path: Path) -> tuple[Metadata, int]:
    parts = _parts(path)
    with path.open("rb") as file:
        entries = read_metadata(file, path.stat().st_size)
    return entries, sum(part.stat().st_size for part in parts)


def _parts(path: Path) -> Sequence[Path]:
    numbered = re.fullmatch(r"(.+)-00001-of-(\d{5})", path.stem)
    if not numbered:
        return (path,)
    name, count = numbered[1], int(numbered[2])
    names = (f"{name}-{part:05}-of-{count:05}{path.suffix}" for part in range(1, count + 1))
    return tuple(path.with_name(part) for part in names)


def _model_file(path: Path, entries: Metadata, size: int) -> ModelFile:
    kind = str(entries.get("general.architecture"))
    layers = _count(entries, f"{kind}.block_count")
    width = _count(entries, f"{kind}.embedding_length")
    heads = max(1, _count(entries, f"{kind}.attention.head_count"))
    key = _count(entries, f"{kind}.attention.key_length", default=width // heads)
    value = _count(entries, f"{kind}.attention.value_length", default=width // heads)
    kept = _counts(entries, f"{kind}.attention.head_count_kv", default=heads)
    deep = _count(entries, f"{kind}.feed_forward_length")
    return ModelFile(
        path=path,
        size=size,
        name=_name(entries) or path.stem,
        architecture=kind,
        quantisation=_quantization(entries),
        trained=_count(entries, f"{kind}.context_length"),
        cached=(sum(kept) if len(kept) > 1 else kept[0] * layers) * (key + value),
        computed=4 * width + 3 * deep,
    )


def _name(entries: Metadata) -> str:
    told = str(entries.get("general.name", ""))
    return " ".join(told[:MAX_NAME_LENGTH].split())


def _quantization(entries: Metadata) -> str:
    number = _count(entries, "general.file_type", default=len(QUANTIZATIONS))
    return QUANTIZATIONS[number] if number < len(QUANTIZATIONS) else ""


def _count(entries: Metadata, key: str, default: int | None = None) -> int:
    return max(_counts(entries, key, default))


def _counts(entries: Metadata, key: str, default: int | None = None) -> Sequence[int]:
    """One number, or one for each layer where they differ."""
    found = entries.get(key, default)
    listed = found if isinstance(found, list) and found else [found]
    counts = [count for count in listed if isinstance(count, int) and 0 <= count <= MAX_COUNT]
    if len(counts) < len(listed):
        raise InvalidHeaderError(f"is no language model that can be served here (its {key})")
    return counts
