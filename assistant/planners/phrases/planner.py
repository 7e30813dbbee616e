"""The built-in planner: plans from phrases, with no model."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice

from assistant.plan import REPLY, Plan
from assistant.planners.phrases.lexicon import GLUE
from assistant.planners.phrases.subject import Subject
from assistant.planners.phrases.subjects import SUBJECTS
from assistant.planners.phrases.words import Kind, Phrase, Word
from assistant.planners.phrases.written_search import written_search
from assistant.planners.planner import NotUnderstoodError, Situation
from assistant.reference import references
from assistant.reply import Reply
from tools.remedy import Remedy
from tools.tool import Tool

_LONGEST = 4_000  # letters; a longer text is material, not a request
_READINGS = 20  # of one subject that are tried for one that makes sense
_NO_SENDER = "no account is connected that can send email, or sending is switched off"
_NO_ORDER = "no account is connected whose mail can be changed"
_WHY_MISSING: Mapping[str, str] = {
    "sendEmail": _NO_SENDER,
    "compose_email": _NO_SENDER,
    "reply_to_email": _NO_SENDER,
    "forward_email": _NO_SENDER,
    "archive_emails": _NO_ORDER,
    "mark_emails": _NO_ORDER,
    "delete_emails": _NO_ORDER,
}


class PhrasePlanner:
    """Understands ordinary English about what the tools can do; wholly, or not at all."""

    def __init__(self, subjects: tuple[Subject, ...] = SUBJECTS) -> None:
        self._subjects = subjects

    async def next(self, situation: Situation) -> Plan | None:
        """The whole plan.

        Raises:
            NotUnderstoodError: says what was not understood, or which tool is missing.
        """
        text = situation.request.text
        plan = self._plan(text)
        if plan is None:
            raise NotUnderstoodError(self._not_understood(text), Remedy.CONNECT_MODEL)
        if missing := _missing(plan, situation.tools):
            raise NotUnderstoodError(_not_on_offer(missing[0]), Remedy.CONNECT_ACCOUNT)
        return plan

    def understand(self, text: str, tools: Mapping[str, Tool] | Collection[str]) -> Plan | None:
        """The plan for a request of which every word is understood and every tool is there."""
        plan = self._plan(text)
        return None if plan is None or _missing(plan, tools) else plan

    def _plan(self, text: str) -> Plan | None:
        if len(text) > _LONGEST or any(references(text)):
            return None
        if search := written_search(text):
            return search
        phrase = Phrase.of(text)
        return self._planned(phrase) or self._planned(self._mended(phrase))

    def _planned(self, phrase: Phrase) -> Plan | None:
        """The plan of the subject that leaves the fewest words to free text."""
        plans = [found for subject in self._subjects if (found := _best(subject, phrase))]
        return min(plans, key=lambda found: found[0])[1] if plans else None

    def _mended(self, phrase: Phrase) -> Phrase:
        """The words with typing errors put right where a rule writes a word much like it."""
        known = frozenset().union(*(subject.grammar.words for subject in self._subjects))
        return Phrase(phrase.text, tuple(_mended(word, known) for word in phrase.words))

    def _not_understood(self, text: str) -> Reply:
        examples = "\n".join(f"- {each}" for each in self._nearest(text))
        return Reply(
            f"I did not understand {self._leftover(text)}.",
            f"These I understand:\n\n{examples}\n\nWith a model connected, I understand far more.",
            status="error",
        )

    def _leftover(self, text: str) -> str:
        """What was not understood, quoted: the first words that the best subject cannot place."""
        phrase = Phrase.of(text[:_LONGEST])
        if not phrase.words:
            return "an empty request"
        left = min((each.grammar.leftover(phrase) for each in self._subjects), key=len)
        if not left or 3 * len(left) > 2 * len(phrase.words):
            return f"“{_shortened(text)}”"
        if GLUE.issuperset(phrase.at(place).plain for place in left):
            return f"“{_shortened(text)}”"
        run = [place for step, place in enumerate(left) if place == left[0] + step]
        return f"“{_shortened(phrase.between(run[0], run[-1] + 1))}” in your request"

    def _nearest(self, text: str) -> Iterable[str]:
        """Three examples: those that share the most words with the request."""
        asked = {word.plain for word in Phrase.of(text[:_LONGEST]).words}
        examples = [example for subject in self._subjects for example in subject.examples]
        shared = {each: len(asked & _plain_words(each)) for each in examples}
        return sorted(examples, key=lambda each: -shared[each])[:3]


def _best(subject: Subject, phrase: Phrase) -> tuple[int, Plan] | None:
    for reading in islice(subject.grammar.readings(phrase), _READINGS):
        if plan := subject.plan(reading.facets):
            return reading.cost, plan
    return None


def _missing(plan: Plan, tools: Collection[str]) -> list[str]:
    needed = [step.action for step in plan.steps if step.action != REPLY]
    return [action for action in needed if action not in tools]


def _not_on_offer(tool: str) -> Reply:
    why = _WHY_MISSING.get(tool, f"the tool “{tool}” is not available here")
    return Reply(
        f"I understood, but {why}.",
        "Google and SMTP accounts can be connected in the settings, under Accounts; mail that lies"
        " on this computer is only read.",
        status="error",
    )


def _mended(word: Word, known: Collection[str]) -> Word:
    if word.kind is not Kind.WORD or len(word.plain) < 5 or word.plain in known:
        return word
    ends = (word.plain[0], word.plain[-1])
    alike = [each for each in known if len(each) > 3 and (each[0], each[-1]) == ends]
    near = get_close_matches(word.plain, alike, n=1, cutoff=0.82)
    return replace(word, plain=near[0]) if near else word


def _plain_words(text: str) -> set[str]:
    return {word.plain for word in Phrase.of(text).words}


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"
