"""The lexicon: English words by their function in a request, and the phrases of all intents."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any

ENGLISH: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    tomllib.loads(files("resources").joinpath("phrases", "english.toml").read_text("utf-8"))
)
"""The content of `resources/phrases/english.toml`."""


def _words(name: str) -> list[str]:
    return str(ENGLISH["words"][name]).split()


_ONES = _words("ones")
_TENS = _words("tens")
NUMBERS = {word: number for number, word in enumerate(_ONES)}
NUMBERS |= {word: 10 * (place + 2) for place, word in enumerate(_TENS)}
NUMBERS |= {
    f"{ten}-{one}": 10 * (place + 2) + number
    for place, ten in enumerate(_TENS)
    for number, one in enumerate(_ONES[:10])
    if number
}
APPROXIMATE_NUMBERS: Mapping[str, int] = ENGLISH["words"]["approximate_numbers"]
FUNCTION_WORDS = frozenset(_words("function_words"))
NON_NAME_WORDS = frozenset(
    {
        *(FUNCTION_WORDS - {"will", "may"}),
        *NUMBERS,
        *_words("time_words"),
        *_words("months"),
        *_words("mail_words"),
        *_words("indefinite_persons"),
        *("forward", "fwd"),  # unlike Mark and other commands
    }
)
TOPIC_STOP_WORDS = frozenset(_words("topic_stop_words"))
COMMAND_VERBS = frozenset(_words("command_verbs"))
SEARCH_STOP_WORDS = frozenset(_words("search_stop_words"))
SEARCH_OPERATORS = frozenset(_words("search_operators"))
TITLE_STOP_WORDS = frozenset(_words("title_stop_words"))
PURCHASES = frozenset(_words("purchases"))
EVENT_NOUNS = frozenset(_words("event_nouns"))
