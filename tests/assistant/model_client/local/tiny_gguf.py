"""A tiny GGUF model file for tests."""

import struct
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from assistant.model_client.local.gguf_header import MAGIC

Value = int | float | str | Sequence[int] | Sequence[float] | Sequence[str]

CONTEXT = 4_096
WIDTH, DEEP, HEADS, LAYERS = 32, 64, 2, 2
LETTERS = range(ord("a"), ord("z") + 1)
SPECIAL = ("<unk>", "<s>", "</s>")
TOKENS = (*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256)))
TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"

ENTRIES: Mapping[str, Value] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.file_type": 0,
    "llama.context_length": CONTEXT,
    "llama.embedding_length": WIDTH,
    "llama.block_count": LAYERS,
    "llama.feed_forward_length": DEEP,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": 1,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.dimension_count": WIDTH // HEADS,
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.scores": [0.0] * len(TOKENS),
    "tokenizer.ggml.token_type": [2, 3, 3] + [6] * 256,
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.ggml.unknown_token_id": 0,
    "tokenizer.chat_template": TEMPLATE,
}


def write_tiny(path: Path) -> Path:
    """Write the tiny model."""
    tensors = {name: _weights(name, shape) for name, shape in _shapes().items()}
    infos, offset = b"", 0
    for name, shape in _shapes().items():
        lengths = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        infos += text(name) + lengths + struct.pack("<IQ", 0, offset)
        offset += len(tensors[name])
    header = head(ENTRIES, tensors=len(tensors)) + infos
    path.write_bytes(header + bytes(-len(header) % 32) + b"".join(tensors.values()))
    return path


def head(entries: Mapping[str, Value], tensors: int = 0, count: int | None = None) -> bytes:
    """A header as far as the entries; `count` is what it says there are."""
    told = len(entries) if count is None else count
    listed = b"".join(text(key) + value(entry) for key, entry in entries.items())
    return MAGIC + struct.pack("<IQQ", 3, tensors, told) + listed


def text(words: str) -> bytes:
    """A string with its length before it."""
    encoded = words.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def value(entry: Value) -> bytes:
    """An entry with its kind before it."""
    if isinstance(entry, str):
        return struct.pack("<I", 8) + text(entry)
    if isinstance(entry, int):
        return struct.pack("<II", 4, entry)
    if isinstance(entry, float):
        return struct.pack("<If", 6, entry)
    kind, packed = _elements(entry)
    return struct.pack("<IIQ", 9, kind, len(entry)) + packed


def _elements(elements: Sequence[int] | Sequence[float] | Sequence[str]) -> tuple[int, bytes]:
    texts = [text(element) for element in elements if isinstance(element, str)]
    if texts:
        return 8, b"".join(texts)
    whole = all(isinstance(element, int) for element in elements)
    return (5, array("i", elements).tobytes()) if whole else (6, array("f", elements).tobytes())


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (WIDTH, len(TOKENS)),
        "output_norm.weight": (WIDTH,),
        "output.weight": (WIDTH, len(TOKENS)),
    }
    for layer in range(LAYERS):
        kept = WIDTH // HEADS  # of key and value, by the one head that all share
        shapes |= {
            f"blk.{layer}.{name}.weight": shape
            for name, shape in {
                "attn_norm": (WIDTH,),
                "attn_q": (WIDTH, WIDTH),
                "attn_k": (WIDTH, kept),
                "attn_v": (WIDTH, kept),
                "attn_output": (WIDTH, WIDTH),
                "ffn_norm": (WIDTH,),
                "ffn_gate": (WIDTH, DEEP),
                "ffn_up": (WIDTH, DEEP),
                "ffn_down": (DEEP, WIDTH),
            }.items()
        }
    return shapes


def _weights(name: str, shape: Sequence[int]) -> bytes:
    if len(shape) == 1:
        return array("f", [1.0] * shape[0]).tobytes()
    random = Random(name)  # noqa: S311
    weights = array("f", (random.gauss(0, 0.1) for _ in range(shape[0] * shape[1])))
    for token in range(len(TOKENS)):
        if name == "token_embd.weight":
            weights[token * WIDTH] = 10.0
        if name == "output.weight":
            weights[token * WIDTH] = 2.0 if token - len(SPECIAL) in LETTERS else -10.0
    return weights.tobytes()
