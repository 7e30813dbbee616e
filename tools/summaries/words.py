"""Words: the stems a text is about, for comparing texts in English, German and French."""

import re
from collections.abc import Callable
from functools import cache

from snowballstemmer import stemmer

from tools.summaries.phrases import common_words

_WORD = re.compile(r"[^\W\d_]{2,}")
_STOPS = common_words()


def language_of(text: str) -> str:
    """English, German or French, by the small words of the text; English where nothing tells."""
    words = _WORD.findall(text[:2_000].lower())
    shares = {name: sum(word in stops for word in words) for name, stops in _STOPS.items()}
    return max(shares, key=lambda name: shares[name])


def stems_of(text: str, language: str = "english") -> tuple[str, ...]:
    """The stems of the words that carry meaning, in their order."""
    stem = _stem(language)
    stops = _STOPS[language]
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word not in stops)


@cache
def _stem(language: str) -> Callable[[str], str]:
    return cache(stemmer(language).stemWord)
