"""An excerpt: as much of a tool's output as a model has room for."""

import json
from dataclasses import dataclass
from typing import Any

from assistant.model.tokens import tokens_in
from tools.tool import to_wire


@dataclass(frozen=True)
class _Cut:
    """How long texts and lists may be."""

    text: int
    list: int


_CUTS = (
    _Cut(20_000, 500),
    _Cut(4_000, 100),
    _Cut(1_000, 50),
    _Cut(250, 50),
    _Cut(100, 20),
    _Cut(60, 8),
)


def excerpt(output: object, room: int) -> str:
    """The JSON of an output in at most about `room` tokens, with what was left out in words.

    Long texts are cut before long lists, so that as much as can be seen is seen.
    """
    whole = to_wire(output)
    for cut in _CUTS:
        text = json.dumps(_cut(whole, cut), ensure_ascii=False, default=str)
        if tokens_in(text) <= room:
            return text
    return _beginning(text, room)


def _cut(value: Any, cut: _Cut) -> Any:
    if isinstance(value, str) and len(value) > cut.text:
        return f"{value[: cut.text]}… ({len(value) - cut.text:,} more letters)"
    if isinstance(value, list):
        more = len(value) - cut.list
        told = [f"({more:,} more)"] if more > 0 else []
        return [_cut(item, cut) for item in value[: cut.list]] + told
    if isinstance(value, dict):
        return {name: _cut(item, cut) for name, item in value.items()}
    return value


def _beginning(text: str, room: int) -> str:
    kept = text
    while kept and tokens_in(kept) > room:
        kept = kept[: len(kept) * 3 // 4]
    return f"{kept}… (the rest was left out)"
