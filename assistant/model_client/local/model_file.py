"""A model file: metadata of local weights, and the memory that serving them takes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from assistant.model_client.language_model import ModelError
from assistant.model_client.local.gguf_header import InvalidHeaderError, Metadata, read_metadata
from tools.tool_errors import Remedy

BATCH_TOKENS = 256  # tokens read at once; a cancelled request stops after the current batch
CONTEXT_SIZES = (8_192, 4_096, 2_048)  # tokens; the largest within MEMORY_SHARE is used
MEMORY_SHARE = 0.75  # of the free memory, for the default context
PROCESS_BYTES = 100_000_000  # Python and llama.cpp themselves
BYTES_PER_CACHED_NUMBER = 2  # bytes
BYTES_PER_COMPUTE_NUMBER = 4  # bytes
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
class MemoryEstimate:
    """Memory that loading a model takes, and free memory before it; approximate, in bytes.

    Attributes:
        weights: The mapped file.
        cache: The context, and earlier prompts kept for reuse.
        compute: Buffers for one batch, and the server process.
        free: Memory available without swapping.
    """

    weights: int
    cache: int
    compute: int
    free: int

    @property
    def total(self) -> int:
        """Memory that loading takes in all."""
        return self.weights + self.cache + self.compute

    @property
    def fits(self) -> bool:
        """Whether the free memory is enough."""
        return self.total <= self.free

    @property
    def words(self) -> str:
        """The estimate in words, to follow the model's name in a sentence."""
        return (
            f"needs about {format_bytes(self.total)} of memory; {format_bytes(self.free)} are free"
        )


def format_bytes(size: int) -> str:
    """Format bytes in GB or MB."""
    return f"{size / 1e9:.1f} GB" if size >= 950_000_000 else f"{size / 1e6:.1f} MB"


def free_memory() -> int:
    """Return the bytes available without swapping."""
    import psutil  # noqa: PLC0415 — an extra

    return int(psutil.virtual_memory().available)


@dataclass(frozen=True)
class ModelFile:
    """A GGUF file, described by its header.

    Attributes:
        path: The file, or its first part.
        size: Bytes of all parts.
        name: The name in the header, or the stem of the file.
        architecture: The model's architecture in llama.cpp's terms.
        quantization: Format of the weights, such as Q4_K_M; "" if unknown.
        trained_context: Context length of the training, in tokens.
        cached_numbers: Numbers that one token adds to the cache, over all layers; too high for
            layers with a sliding window.
        compute_numbers: Numbers in the compute buffers for one token, besides the context.
    """

    path: Path
    size: int
    name: str
    architecture: str
    quantization: str
    trained_context: int
    cached_numbers: int
    compute_numbers: int

    def context(self, requested: int | None, free: int) -> int:
        """Return the context length to load, in tokens.

        Args:
            requested: None for the largest that fits into a share of the free memory.
            free: Free memory in bytes.
        """
        if requested is not None:
            return min(requested, self.trained_context)
        budget = int(free * MEMORY_SHARE)
        fitting = (size for size in CONTEXT_SIZES if self.memory(size, budget).fits)
        return min(next(fitting, CONTEXT_SIZES[-1]), self.trained_context)

    def memory(self, context: int, free: int) -> MemoryEstimate:
        """Estimate the memory for a context length in tokens, given the free bytes."""
        batch = BATCH_TOKENS * (self.compute_numbers + context) * BYTES_PER_COMPUTE_NUMBER
        cache = 2 * self.prompt_cache(context)
        return MemoryEstimate(self.size, cache, batch + PROCESS_BYTES, free)

    def prompt_cache(self, context: int) -> int:
        """Return the bytes of a cached prompt as long as the context."""
        return context * self.cached_numbers * BYTES_PER_CACHED_NUMBER


def read_model_file(path: Path) -> ModelFile:
    """Read the header of a model file, never the weights.

    Raises:
        ModelError: the extra is missing, or the file cannot be served; with the reason.
    """
    if not (find_spec("xllamacpp") and find_spec("psutil")):
        words = "Model files need an extra package. Install it with: pip install 'deskhand[local]'."
        raise ModelError(words, Remedy.MODEL_SETTINGS)
    try:
        size = sum(part.stat().st_size for part in _parts(path))
        with path.open("rb") as file:
            metadata = read_metadata(file, path.stat().st_size)
        return _model_file(path, metadata, size)
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except InvalidHeaderError as error:
        reason = str(error)
    raise ModelError(f"The file {path.name} {reason}. Pick another file.", Remedy.MODEL_SETTINGS)


def _parts(path: Path) -> Sequence[Path]:
    numbered = re.fullmatch(r"(.+)-00001-of-(\d{5})", path.stem)
    if not numbered:
        return (path,)
    name, count = numbered[1], int(numbered[2])
    names = (f"{name}-{part:05}-of-{count:05}{path.suffix}" for part in range(1, count + 1))
    return tuple(path.with_name(part) for part in names)


def _model_file(path: Path, metadata: Metadata, size: int) -> ModelFile:
    architecture = str(metadata.get("general.architecture"))
    layers = _count(metadata, f"{architecture}.block_count")
    width = _count(metadata, f"{architecture}.embedding_length")
    heads = max(1, _count(metadata, f"{architecture}.attention.head_count"))
    key = _count(metadata, f"{architecture}.attention.key_length", default=width // heads)
    value = _count(metadata, f"{architecture}.attention.value_length", default=width // heads)
    kv_heads = _counts(metadata, f"{architecture}.attention.head_count_kv", default=heads)
    feed_forward = _count(metadata, f"{architecture}.feed_forward_length")
    file_type = _count(metadata, "general.file_type", default=len(QUANTIZATIONS))
    name = str(metadata.get("general.name", ""))
    return ModelFile(
        path=path,
        size=size,
        name=" ".join(name[:MAX_NAME_LENGTH].split()) or path.stem,
        architecture=architecture,
        quantization=QUANTIZATIONS[file_type] if file_type < len(QUANTIZATIONS) else "",
        trained_context=_count(metadata, f"{architecture}.context_length"),
        cached_numbers=(sum(kv_heads) if len(kv_heads) > 1 else kv_heads[0] * layers)
        * (key + value),
        compute_numbers=4 * width + 3 * feed_forward,
    )


def _count(metadata: Metadata, key: str, default: int | None = None) -> int:
    return max(_counts(metadata, key, default))


def _counts(metadata: Metadata, key: str, default: int | None = None) -> Sequence[int]:
    """Return one number, or one for each layer if they differ."""
    found = metadata.get(key, default)
    listed = found if isinstance(found, list) and found else [found]
    counts = [count for count in listed if isinstance(count, int) and 0 <= count <= MAX_COUNT]
    if len(counts) < len(listed):
        raise InvalidHeaderError(f"is not a supported language model (invalid {key})")
    return counts
