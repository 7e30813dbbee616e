"""A local file: a model's weights on this computer, and what it needs to be served."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from assistant.model.errors import ModelError
from assistant.model.local.gguf import DamagedHeaderError, Entries, read_entries
from assistant.model.local.memory import MemoryNeed
from tools.remedy import Remedy

BATCH = 256  # tokens read at once; a request that is taken back is left after one batch
CONTEXTS = (8_192, 4_096, 2_048)  # tokens; the first that leaves the computer room to breathe
SHARE = 0.75  # of the free memory, taken without having been asked for
PROGRAM = 100_000_000  # bytes; Python and llama.cpp themselves
CACHED_NUMBER = 2  # bytes
COMPUTED_NUMBER = 4  # bytes
LARGEST_COUNT = 1 << 24
LONGEST_NAME = 80

# By number; https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h, enum llama_ftype.
QUANTISATIONS = (
    *("F32", "F16", "Q4_0", "Q4_1", "", "", "", "Q8_0", "Q5_0", "Q5_1", "Q2_K", "Q3_K_S", "Q3_K_M"),
    *("Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "IQ2_XXS", "IQ2_XS", "Q2_K_S"),
    *("IQ3_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M", "IQ4_XS"),
    *("IQ1_M", "BF16", "", "", "", "TQ1_0", "TQ2_0", "MXFP4"),
)


@dataclass(frozen=True)
class LocalFile:
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
        room = int(free * SHARE)
        fitting = (context for context in CONTEXTS if self.need(context, room).fits)
        return min(next(fitting, CONTEXTS[-1]), self.trained)

    def need(self, context: int, free: int) -> MemoryNeed:
        """What serving takes with so many tokens of context, beside so many bytes free."""
        batch = BATCH * (self.computed + context) * COMPUTED_NUMBER
        return MemoryNeed(self.size, 2 * self.saved(context), batch + PROGRAM, free)

    def saved(self, context: int) -> int:
        """Bytes of a prompt as long as the context, kept because it may come again."""
        return context * self.cached * CACHED_NUMBER


def read_local_file(path: Path) -> LocalFile:
    """What a file says about itself; reads the beginning of it, never the weights.

    Raises:
        ModelError: the extra is not installed, or this is no model that can be served, and why.
    """
    if not (find_spec("xllamacpp") and find_spec("psutil")):
        words = "A model file is served by an extra: install it with pip install 'deskhand[local]'."
        raise ModelError(words, Remedy.MODEL_SETTINGS)
    try:
        return _described(path, *_read(path))
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except DamagedHeaderError as error:
        reason = str(error)
    raise ModelError(f"The file {path.name} {reason}. Pick another file.", Remedy.MODEL_SETTINGS)


def _read(path: Path) -> tuple[Entries, int]:
    parts = _parts(path)
    with path.open("rb") as file:
        entries = read_entries(file, path.stat().st_size)
    return entries, sum(part.stat().st_size for part in parts)


def _parts(path: Path) -> Sequence[Path]:
    numbered = re.fullmatch(r"(.+)-00001-of-(\d{5})", path.stem)
    if not numbered:
        return (path,)
    name, count = numbered[1], int(numbered[2])
    names = (f"{name}-{part:05}-of-{count:05}{path.suffix}" for part in range(1, count + 1))
    return tuple(path.with_name(part) for part in names)


def _described(path: Path, entries: Entries, size: int) -> LocalFile:
    kind = str(entries.get("general.architecture"))
    layers = _count(entries, f"{kind}.block_count")
    width = _count(entries, f"{kind}.embedding_length")
    heads = max(1, _count(entries, f"{kind}.attention.head_count"))
    key = _count(entries, f"{kind}.attention.key_length", default=width // heads)
    value = _count(entries, f"{kind}.attention.value_length", default=width // heads)
    kept = _counts(entries, f"{kind}.attention.head_count_kv", default=heads)
    deep = _count(entries, f"{kind}.feed_forward_length")
    return LocalFile(
        path=path,
        size=size,
        name=_name(entries) or path.stem,
        architecture=kind,
        quantisation=_quantisation(entries),
        trained=_count(entries, f"{kind}.context_length"),
        cached=(sum(kept) if len(kept) > 1 else kept[0] * layers) * (key + value),
        computed=4 * width + 3 * deep,
    )


def _name(entries: Entries) -> str:
    told = str(entries.get("general.name", ""))
    return " ".join(told[:LONGEST_NAME].split())


def _quantisation(entries: Entries) -> str:
    number = _count(entries, "general.file_type", default=len(QUANTISATIONS))
    return QUANTISATIONS[number] if number < len(QUANTISATIONS) else ""


def _count(entries: Entries, key: str, default: int | None = None) -> int:
    return max(_counts(entries, key, default))


def _counts(entries: Entries, key: str, default: int | None = None) -> Sequence[int]:
    """One number, or one for each layer where they differ."""
    found = entries.get(key, default)
    listed = found if isinstance(found, list) and found else [found]
    counts = [count for count in listed if isinstance(count, int) and 0 <= count <= LARGEST_COUNT]
    if len(counts) < len(listed):
        raise DamagedHeaderError(f"is no language model that can be served here (its {key})")
    return counts
