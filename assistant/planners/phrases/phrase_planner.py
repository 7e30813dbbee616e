"""The phrase planner: plans from phrase rules, without a model."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice

from assistant.planners.phrases.agenda_intent import AGENDA_INTENT
from assistant.planners.phrases.compose_intents import (
    COMPOSE_INTENT,
    CONTACT_INTENT,
    FORWARD_INTENT,
    REPLY_INTENT,
)
from assistant.planners.phrases.event_intents import CHANGE_EVENT_INTENT, CREATE_EVENT_INTENT
from assistant.planners.phrases.intent import Intent, Slots
from assistant.planners.phrases.lexicon import GLUE
from assistant.planners.phrases.newsletter_intent import NEWSLETTER_INTENT
from assistant.planners.phrases.organize_mail_intent import ORGANIZE_MAIL_INTENT
from assistant.planners.phrases.phrase_grammar import rule
from assistant.planners.phrases.plan_builder import PlanBuilder
from assistant.planners.phrases.read_mail_intent import READ_MAIL_INTENT
from assistant.planners.phrases.tokenizer import Phrase, Word, WordKind
from assistant.planners.planner import NotUnderstoodError, PlanningContext
from assistant.runs.plan import REPLY_ACTION, Plan
from assistant.runs.reference import find_references
from assistant.runs.reply import Reply
from tools.tool import Tool
from tools.tool_errors import Remedy

_SEARCH_REQUEST = re.compile(
    r"\s*(?:please\s+)?(?:search|look|find|show|list)\b(?:\s+(?:me|for|in|through|all|any|my|the|"
    r"e-?mails?|mails?|messages?|inbox|mailbox|with|matching)\b(?!:))*\s+(?P<query>\S.*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
_SEARCH_OPERATOR = re.compile(
    r"(?<![\w:])(?:from|to|cc|bcc|subject|after|before|newer|older|newer_than|older_than|is|has|"
    r"filename|label|in|list|larger|rfc822msgid):\S",
    re.IGNORECASE,
)


def _search_plan(text: str) -> Plan | None:
    """The plan of a request to search that names a field in Gmail's way, such as `from:sarah`."""
    request = _SEARCH_REQUEST.fullmatch(text)
    if not request or not _SEARCH_OPERATOR.search(request["query"]):
        return None
    query = request["query"]
    draft = PlanBuilder(f"Search mail for {query}")
    found = draft.step("search_emails", query=query)
    draft.unless_empty(f"{found}.emails")
    return draft.reply(f"Here is what was found ({found}.count).", found, [])


_HELP_RULES = (
    rule("help|help me|i need help|show [me] [the] help|[?]", lost=True),
    rule("what (can|do|could) you do [for me]|what are you able to do", lost=True),
    rule("what (can|could) i (ask|say|do|ask you|tell you) [here]", lost=True),
    rule("how (do you|does this|does it) work|how do i use (you|this|it)", lost=True),
    rule("(show|give) me [some|a few] examples|[some] examples", lost=True),
    rule("who are you|what are you", lost=True),
)
_ABILITIES = """\
- **Read mail**: “Read my latest 5 emails”, “Show unread emails from Sarah since Monday”
- **Search it**: “Search my emails for invoices”, “Find emails with attachments from last week”
- **Summarise it**: “Summarize today's emails and focus on action items”
- **Write it up**: “Summarize this week's emails and create a report”, “… as a PDF”
- **Tidy up**: “Archive the emails from LinkedIn”, “Mark today's emails from Sarah as read”
- **Pass on**: “Forward Sarah's latest email to john@example.com”
- **Send**: “Send an email to john@example.com saying …”, “Reply to Sarah's latest email saying …”
- **Calendar**: “What's on my calendar today?”, “Put lunch on my calendar on Thursday at noon”

Before anything is sent or changed you see exactly what, and decide."""


def _plan_help(facets: Slots) -> Plan | None:
    """Only a reply."""
    if not facets.get("lost"):
        return None
    return PlanBuilder("Say what can be asked").reply("Here is what you can ask me.", _ABILITIES)


HELP_INTENT = Intent.of(*_HELP_RULES, plan=_plan_help, examples=("What can you do?",))


INTENTS = (
    READ_MAIL_INTENT,
    NEWSLETTER_INTENT,
    AGENDA_INTENT,
    CREATE_EVENT_INTENT,
    CHANGE_EVENT_INTENT,
    COMPOSE_INTENT,
    REPLY_INTENT,
    FORWARD_INTENT,
    ORGANIZE_MAIL_INTENT,
    CONTACT_INTENT,
    HELP_INTENT,
)


_MAX_LENGTH = 4_000  # letters; a longer text is material, not a request
_MAX_PARSES = 20  # of one subject that are tried for one that makes sense
_NO_SENDER = "no account is connected that can send email, or sending is switched off"
_NO_WRITABLE_MAILBOX = "no account is connected whose mail can be changed"
_MISSING_TOOL_REASONS: Mapping[str, str] = {
    "sendEmail": _NO_SENDER,
    "compose_email": _NO_SENDER,
    "reply_to_email": _NO_SENDER,
    "forward_email": _NO_SENDER,
    "archive_emails": _NO_WRITABLE_MAILBOX,
    "mark_emails": _NO_WRITABLE_MAILBOX,
    "delete_emails": _NO_WRITABLE_MAILBOX,
}


class PhrasePlanner:
    """Understands ordinary English about what the tools can do; wholly, or not at all."""

    def __init__(self, subjects: tuple[Intent, ...] = INTENTS) -> None:
        self._subjects = subjects

    async def next(self, situation: PlanningContext) -> Plan | None:
        """The whole plan.

        Raises:
            NotUnderstoodError: says what was not understood, or which tool is missing.
        """
        text = situation.request.text
        plan = self._plan(text)
        if plan is None:
            raise NotUnderstoodError(self._not_understood(text), Remedy.CONNECT_MODEL)
        if missing := _missing_tools(plan, situation.tools):
            raise NotUnderstoodError(_unavailable_reply(missing[0]), Remedy.CONNECT_ACCOUNT)
        return plan

    def understand(self, text: str, tools: Mapping[str, Tool] | Collection[str]) -> Plan | None:
        """The plan for a request of which every word is understood and every tool is there."""
        plan = self._plan(text)
        return None if plan is None or _missing_tools(plan, tools) else plan

    def _plan(self, text: str) -> Plan | None:
        if len(text) > _MAX_LENGTH or any(find_references(text)):
            return None
        if search := _search_plan(text):
            return search
        phrase = Phrase.of(text)
        return self._planned(phrase) or self._planned(self._mended(phrase))

    def _planned(self, phrase: Phrase) -> Plan | None:
        """The plan of the subject that leaves the fewest words to free text."""
        plans = [found for subject in self._subjects if (found := _best_plan(subject, phrase))]
        return min(plans, key=lambda found: found[0])[1] if plans else None

    def _mended(self, phrase: Phrase) -> Phrase:
        """The words with typing errors put right where a rule writes a word much like it."""
        known = frozenset().union(*(subject.grammar.words for subject in self._subjects))
        return Phrase(phrase.text, tuple(_corrected(word, known) for word in phrase.words))

    def _not_understood(self, text: str) -> Reply:
        examples = "\n".join(f"- {each}" for each in self._nearest(text))
        return Reply(
            f"I did not understand {self._leftover(text)}.",
            f"These I understand:\n\n{examples}\n\nWith a model connected, I understand far more.",
            status="error",
        )

    def _leftover(self, text: str) -> str:
        """What was not understood, quoted: the first words that the best subject cannot place."""
        phrase = Phrase.of(text[:_MAX_LENGTH])
        if not phrase.words:
            return "an empty request"
        left = min((each.grammar.leftover(phrase) for each in self._subjects), key=len)
        if not left or 3 * len(left) > 2 * len(phrase.words):
            return f"“{_truncated(text)}”"
        if GLUE.issuperset(phrase.at(place).plain for place in left):
            return f"“{_truncated(text)}”"
        run = [place for step, place in enumerate(left) if place == left[0] + step]
        return f"“{_truncated(phrase.between(run[0], run[-1] + 1))}” in your request"

    def _nearest(self, text: str) -> Iterable[str]:
        """Three examples: those that share the most words with the request."""
        asked = {word.plain for word in Phrase.of(text[:_MAX_LENGTH]).words}
        examples = [example for subject in self._subjects for example in subject.examples]
        shared = {each: len(asked & _plain_words(each)) for each in examples}
        return sorted(examples, key=lambda each: -shared[each])[:3]


def _best_plan(subject: Intent, phrase: Phrase) -> tuple[int, Plan] | None:
    for reading in islice(subject.grammar.readings(phrase), _MAX_PARSES):
        if plan := subject.plan(reading.facets):
            return reading.cost, plan
    return None


def _missing_tools(plan: Plan, tools: Collection[str]) -> list[str]:
    needed = [step.action for step in plan.steps if step.action != REPLY_ACTION]
    return [action for action in needed if action not in tools]


def _unavailable_reply(tool: str) -> Reply:
    why = _MISSING_TOOL_REASONS.get(tool, f"the tool “{tool}” is not available here")
    return Reply(
        f"I understood, but {why}.",
        "Google and SMTP accounts can be connected in the settings, under Accounts; mail that lies"
        " on this computer is only read.",
        status="error",
    )


def _corrected(word: Word, known: Collection[str]) -> Word:
    if word.kind is not WordKind.WORD or len(word.plain) < 5 or word.plain in known:
        return word
    ends = (word.plain[0], word.plain[-1])
    alike = [each for each in known if len(each) > 3 and (each[0], each[-1]) == ends]
    near = get_close_matches(word.plain, alike, n=1, cutoff=0.82)
    return replace(word, plain=near[0]) if near else word


def _plain_words(text: str) -> set[str]:
    return {word.plain for word in Phrase.of(text).words}


def _truncated(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"
