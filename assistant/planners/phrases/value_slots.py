"""Value slots: numbers, names, addresses and free text in a request."""

from collections.abc import Iterator
from typing import NamedTuple

from assistant.planners.phrases.lexicon import (
    APPROXIMATE_NUMBERS,
    COMMAND_VERBS,
    FUNCTION_WORDS,
    NON_NAME_WORDS,
    NUMBERS,
    TITLE_STOP_WORDS,
    TOPIC_STOP_WORDS,
)
from assistant.planners.phrases.phrase_pattern import SlotReader, SlotValue
from assistant.planners.phrases.tokenizer import Phrase, Word, WordKind

_MAX_DIGITS = 4  # longer numbers are no counts


class Topic(NamedTuple):
    """A topic; `exact` if it was typed in quotes."""

    text: str
    exact: bool = False


def capitalized(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def number(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a positive number in digits or words: 5, five, twenty-five, a dozen."""
    word = phrase.word(at)
    if word.kind is WordKind.NUMBER:
        if len(word.norm) <= _MAX_DIGITS and word.norm.isdecimal() and int(word.norm):
            yield SlotValue(at + 1, int(word.norm))
    elif NUMBERS.get(word.norm):
        yield SlotValue(at + 1, NUMBERS[word.norm])
        following = NUMBERS.get(phrase.word(at + 1).norm, 0)
        if NUMBERS[word.norm] >= 20 and 0 < following < 10:
            yield SlotValue(at + 2, NUMBERS[word.norm] + following)
    elif word.norm == "half" and [phrase.word(at + n).norm for n in (1, 2)] == ["a", "dozen"]:
        yield SlotValue(at + 3, 6)
    else:
        after = at + 1 + (word.norm in {"a", "one"})
        if approximate := APPROXIMATE_NUMBERS.get(phrase.word(after - 1).norm):
            yield SlotValue(after + (phrase.word(after).norm == "of"), approximate)


def address(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a complete email address."""
    word = phrase.word(at)
    if word.kind is WordKind.ADDRESS and not word.text.startswith("@"):
        yield SlotValue(at + 1, word.text)


def name(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read the name of a person or an organisation: up to three words, or quoted."""
    if phrase.word(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, phrase.word(at).text.strip())
        return
    for after in range(at + 1, at + 4):
        word = phrase.word(after - 1)
        if word.kind is not WordKind.WORD or word.norm in NON_NAME_WORDS:
            return
        if after > at + 1 and not _continues_name(phrase, at, word):
            return
        yield SlotValue(after, phrase.text_of(at, after), after - at)


def _continues_name(phrase: Phrase, at: int, word: Word) -> bool:
    """Whether a word continues a name, unlike "marked" in "Sarah marked urgent"."""
    if phrase.is_mixed_case and phrase.words[at].text[0].isupper():
        return word.text[0].isupper()
    return not word.norm.endswith(("ing", "ed", "ly", "s"))


def who(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a person by name, address or domain."""
    word = phrase.word(at)
    if word.kind is WordKind.ADDRESS:
        yield SlotValue(at + 1, word.text)
    yield from name(phrase, at)


def topic(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a topic: up to eight words of one clause, or a quoted phrase."""
    if phrase.word(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, Topic(phrase.word(at).text.strip(), exact=True))
        return
    for after, words in _free_words(phrase, at, 8, TOPIC_STOP_WORDS):
        if any(word not in FUNCTION_WORDS for word in words):
            yield SlotValue(after, Topic(phrase.text_of(at, after)), after - at)


def text(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a few free words or a quoted phrase, as typed."""
    for found in topic(phrase, at):
        if isinstance(found.value, Topic):
            yield SlotValue(found.end, found.value.text, found.free_words)


def _free_words(
    phrase: Phrase, at: int, max_words: int, stop_words: frozenset[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield runs of words without stop words such as "not", or another command ("and delete")."""
    words: list[str] = []
    for after in range(at + 1, at + 1 + max_words):
        word = phrase.word(after - 1)
        is_command = words[-1:] == ["and"] and word.norm in COMMAND_VERBS
        if word.kind is WordKind.MARK or word.norm in stop_words or is_command:
            return
        words.append(word.norm)
        if word.norm not in FUNCTION_WORDS - {"'s"}:
            yield after, words


def quoted(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a quoted phrase as an exact topic."""
    if phrase.word(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, Topic(phrase.word(at).text.strip(), exact=True))


def quoted_text(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a quoted text, as typed."""
    if (word := phrase.word(at)).kind is WordKind.QUOTED and word.text.strip():
        yield SlotValue(at + 1, word.text.strip())


def title(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read the title of an event; commands, mail words and recurrences are none."""
    yield from _named(phrase, at, 8)


def _named(phrase: Phrase, at: int, max_words: int) -> Iterator[SlotValue]:
    yield from quoted_text(phrase, at)
    for after, words in _free_words(phrase, at, max_words, TOPIC_STOP_WORDS | TITLE_STOP_WORDS):
        if not FUNCTION_WORDS.issuperset(words):
            yield SlotValue(after, phrase.text_of(at, after), after - at)


def location(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read a location: up to five words."""
    yield from _named(phrase, at, 5)


def room(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read the name of a room: room 5, the meeting room."""
    for found in location(phrase, at):
        if "room" in str(found.value).casefold().split():
            yield found


def rest(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Read the rest of the request as a sentence, or one quoted text as typed."""
    if phrase.word(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, phrase.word(at).text.strip())
    elif at < len(phrase.words):
        text = phrase.text[phrase.words[at].start :].strip()
        is_word = phrase.word(at).norm.isalpha() and text[:1].islower()
        sentence = capitalized(text) if is_word else text
        yield SlotValue(len(phrase.words), sentence, len(phrase.words) - at)


def one_of(**phrases: str) -> SlotReader:
    """Return a reader of fixed phrases; each value has its phrases between bars."""
    by_words = {
        tuple(words.split()): value
        for value, alternatives in phrases.items()
        for words in alternatives.split("|")
    }
    longest = max(map(len, by_words))

    def read(phrase: Phrase, at: int) -> Iterator[SlotValue]:
        words = tuple(word.norm for word in phrase.words[at : at + longest])
        for length in range(len(words), 0, -1):
            if words[:length] in by_words:
                yield SlotValue(at + length, by_words[words[:length]])

    return read
