"""Vocabulary: phrase tables, stop words and stemming in English, German and French."""

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from snowballstemmer import stemmer


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(
        files("resources").joinpath("summaries", "phrases.toml").read_text("utf-8")
    )


def any_phrase(table: str) -> str:
    """Return a regular expression for any phrase of a table."""
    phrases = (line.strip().replace(" ", r"\s") for line in _tables()[table].strip().splitlines())
    return "(?:" + "|".join(re.sub(r"(?<!\\)\((?!\?)", "(?:", phrase) for phrase in phrases) + ")"


def phrase_pattern(table: str) -> re.Pattern[str]:
    """Compile a pattern for any phrase of a table, as whole words in any case."""
    return re.compile(rf"(?<!\w){any_phrase(table)}(?!\w)", re.IGNORECASE)


def stop_words() -> dict[str, frozenset[str]]:
    """Return the stop words by language."""
    return {language: frozenset(words.split()) for language, words in _tables()["common"].items()}


_WORD = re.compile(r"[^\W\d_]{2,}")
_STOP_WORDS = stop_words()


def language_of(text: str) -> str:
    """Detect English, German or French by stop words; English without any."""
    words = _WORD.findall(text[:2_000].lower())
    shares = {name: sum(word in stops for word in words) for name, stops in _STOP_WORDS.items()}
    return max(shares, key=lambda name: shares[name])


def stems_of(text: str, language: str = "english") -> tuple[str, ...]:
    """Return the stems of the words that are not stop words, in their order."""
    stem = _stem(language)
    stops = _STOP_WORDS[language]
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word not in stops)


@cache
def _stem(language: str) -> Callable[[str], str]:
    return cache(stemmer(language).stemWord)
