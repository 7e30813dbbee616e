"""Value slots: numbers, names, addresses and free text in a request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assistant.planners.phrases.lexicon import (
    COMMANDS,
    GLUE,
    NO_NAME,
    NO_TITLE,
    NO_TOPIC,
    NUMBERS,
    ROUGHLY,
)
from assistant.planners.phrases.phrase_pattern import SlotReader, SlotValue
from assistant.planners.phrases.tokenizer import Phrase, Word, WordKind

_MAX_DIGITS = 4  # what nobody means is not counted


@dataclass(frozen=True)
class Topic:
    """What something is about; `exact` when it was typed in quotes."""

    text: str
    exact: bool = False


def number(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """A number of things in digits or words: 5, five, twenty-five, a dozen; never none."""
    word = phrase.at(at)
    if word.kind is WordKind.NUMBER:
        if len(word.plain) <= _MAX_DIGITS and word.plain.isdecimal() and int(word.plain):
            yield SlotValue(at + 1, int(word.plain))
    elif NUMBERS.get(word.plain):
        yield SlotValue(at + 1, NUMBERS[word.plain])
        following = NUMBERS.get(phrase.at(at + 1).plain, 0)
        if NUMBERS[word.plain] >= 20 and 0 < following < 10:
            yield SlotValue(at + 2, NUMBERS[word.plain] + following)
    elif word.plain == "half" and [phrase.at(at + n).plain for n in (1, 2)] == ["a", "dozen"]:
        yield SlotValue(at + 3, 6)
    else:
        yield from _roughly(phrase, at + (word.plain in {"a", "one"}))


def _roughly(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    word = phrase.at(at).plain
    if word in ROUGHLY:
        yield SlotValue(at + 1 + (phrase.at(at + 1).plain == "of"), ROUGHLY[word])


def address(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """A whole email address."""
    word = phrase.at(at)
    if word.kind is WordKind.ADDRESS and not word.text.startswith("@"):
        yield SlotValue(at + 1, word.text)


def name(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """A person's or an organisation's name: up to three words, or quoted."""
    if phrase.at(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, phrase.at(at).text.strip())
        return
    for after in range(at + 1, at + 4):
        word = phrase.at(after - 1)
        if not _is_name(word) or (after > at + 1 and not _continues_name(phrase, at, word)):
            return
        yield SlotValue(after, phrase.between(at, after), after - at)


def _is_name(word: Word) -> bool:
    return word.kind is WordKind.WORD and word.plain not in NO_NAME


def _continues_name(phrase: Phrase, at: int, word: Word) -> bool:
    """Whether a word is more of a name, not what follows one ("Sarah marked urgent")."""
    if phrase.is_mixed_case and phrase.words[at].text[0].isupper():
        return word.text[0].isupper()
    return not word.plain.endswith(("ing", "ed", "ly", "s"))


def who(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Somebody, by name, address or domain."""
    word = phrase.at(at)
    if word.kind is WordKind.ADDRESS:
        yield SlotValue(at + 1, word.text)
    yield from name(phrase, at)


def topic(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """What something is about: up to eight words of one clause, or a quoted phrase."""
    if phrase.at(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, Topic(phrase.at(at).text.strip(), exact=True))
        return
    for after, words in _free_words(phrase, at, 8, NO_TOPIC):
        if any(word not in GLUE for word in words):
            yield SlotValue(after, Topic(phrase.between(at, after)), after - at)


def text(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """A few free words, or a quoted phrase, as they were typed."""
    for found in topic(phrase, at):
        if isinstance(found.value, Topic):
            yield SlotValue(found.end, found.value.text, found.free_words)


def _free_words(
    phrase: Phrase, at: int, most: int, barred: frozenset[str]
) -> Iterator[tuple[int, list[str]]]:
    """Words that carry no logic ("not", "who") and no further command ("and delete …")."""
    words: list[str] = []
    for after in range(at + 1, at + 1 + most):
        word = phrase.at(after - 1)
        is_command = words[-1:] == ["and"] and word.plain in COMMANDS
        if word.kind is WordKind.MARK or word.plain in barred or is_command:
            return
        words.append(word.plain)
        if word.plain not in GLUE - {"'s"}:
            yield after, words


def quoted(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """A quoted phrase."""
    if phrase.at(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, Topic(phrase.at(at).text.strip(), exact=True))


def quoted_text(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """What stands in quotes, as it was typed."""
    if (word := phrase.at(at)).kind is WordKind.QUOTED and word.text.strip():
        yield SlotValue(at + 1, word.text.strip())


def title(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """What an event is called: no command, no mail, nothing that comes again and again."""
    yield from quoted_text(phrase, at)
    yield from _named(phrase, at, 8)


def _named(phrase: Phrase, at: int, most: int) -> Iterator[SlotValue]:
    for after, words in _free_words(phrase, at, most, NO_TOPIC | NO_TITLE):
        if not GLUE.issuperset(words):
            yield SlotValue(after, phrase.between(at, after), after - at)


def place(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """Where something happens: up to five words."""
    yield from quoted_text(phrase, at)
    yield from _named(phrase, at, 5)


def room(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """A room by its name: room 5, the meeting room."""
    return (found for found in place(phrase, at) if "room" in str(found.value).casefold().split())


def rest(phrase: Phrase, at: int) -> Iterator[SlotValue]:
    """All that follows, as a sentence; or one quoted text as it was typed."""
    if phrase.at(at).kind is WordKind.QUOTED:
        yield SlotValue(at + 1, phrase.at(at).text.strip())
    elif at < len(phrase.words):
        said = phrase.text[phrase.words[at].start :].strip()
        is_word = phrase.at(at).plain.isalpha() and said[:1].islower()
        sentence = said[0].upper() + said[1:] if is_word else said
        yield SlotValue(len(phrase.words), sentence, len(phrase.words) - at)


def one_of(names: Mapping[str, str]) -> SlotReader:
    """A reader of fixed phrases, each standing for something."""
    by_words = {tuple(written.split()): meant for written, meant in names.items()}
    longest = max(map(len, by_words))

    def read(phrase: Phrase, at: int) -> Iterator[SlotValue]:
        words = tuple(word.plain for word in phrase.words[at : at + longest])
        for length in range(longest, 0, -1):
            if len(words) >= length and words[:length] in by_words:
                yield SlotValue(at + length, by_words[words[:length]])

    return read
