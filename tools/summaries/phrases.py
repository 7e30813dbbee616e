"""Phrases: the words by which people ask, decide and set dates, in English, German and French."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(
        files("resources").joinpath("summaries", "phrases.toml").read_text("utf-8")
    )


def any_of(table: str) -> str:
    """An expression for any phrase of a table."""
    phrases = (line.strip().replace(" ", r"\s") for line in _tables()[table].strip().splitlines())
    return "(?:" + "|".join(re.sub(r"(?<!\\)\((?!\?)", "(?:", phrase) for phrase in phrases) + ")"


def finder(table: str) -> re.Pattern[str]:
    """Finds any phrase of a table as whole words, in any case."""
    return re.compile(rf"(?<!\w){any_of(table)}(?!\w)", re.IGNORECASE)


def common_words() -> dict[str, frozenset[str]]:
    """The words without a meaning of their own, by language."""
    return {language: frozenset(words.split()) for language, words in _tables()["common"].items()}
