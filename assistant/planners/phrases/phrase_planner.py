"""The phrase planner: plans from phrase rules, without a model.

It understands a request wholly or not at all; PhraseFirstPlanner leaves the rest to a model.
"""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from assistant.planners.phrases.agenda_intent import AGENDA_INTENT
from assistant.planners.phrases.compose_intents import (
    COMPOSE_INTENT,
    CONTACT_INTENT,
    FORWARD_INTENT,
    REPLY_INTENT,
)
from assistant.planners.phrases.event_intents import CHANGE_EVENT_INTENT, CREATE_EVENT_INTENT
from assistant.planners.phrases.intent import Intent, PlanBuilder, Slots
from assistant.planners.phrases.lexicon import FUNCTION_WORDS
from assistant.planners.phrases.newsletter_intent import NEWSLETTER_INTENT
from assistant.planners.phrases.organize_mail_intent import ORGANIZE_MAIL_INTENT
from assistant.planners.phrases.read_mail_intent import READ_MAIL_INTENT
from assistant.planners.phrases.tokenizer import Phrase, Word, WordKind
from assistant.planners.planner import NotUnderstoodError, Planner, PlanningContext
from assistant.runs.plan import REPLY_ACTION, Plan
from assistant.runs.reference import find_references
from assistant.runs.reply import Reply
from tools.tool_errors import Remedy

if TYPE_CHECKING:
    from tools.tool import Tool

_MAX_LENGTH = 4_000  # characters; a longer text is material, not a request
_MAX_PARSES = 20  # of one intent that are tried until one makes sense
_MISSING_TOOL_REASONS = dict.fromkeys(
    ("sendEmail", "compose_email", "reply_to_email", "forward_email"),
    "no connected account can send email, or sending is switched off",
) | dict.fromkeys(
    ("archive_emails", "mark_emails", "delete_emails"),
    "no connected account allows changes to email",
)
_CONNECT_ACCOUNT = (
    "Connect a Google or SMTP account in the settings, under Accounts. Mail stored on this computer"
    " is read-only."
)
# Compiled on first use: only requests with a search operator or a history need them.
_SEARCH_REQUEST = (
    r"(?is)\s*(?:please\s+)?(?:search|look|find|show|list)\b(?:\s+(?:me|for|in|through|all|any|my"
    r"|the|e-?mails?|mails?|messages?|inbox|mailbox|with|matching)\b(?!:))*\s+(?P<query>\S.*?)\s*"
)
_SEARCH_OPERATOR = (
    r"(?i)(?<![\w:])(?:from|to|cc|bcc|subject|after|before|newer|older|newer_than|older_than|is|has"
    r"|filename|label|in|list|larger|rfc822msgid):\S"
)
_REFERS_BACK = r"""(?xi) \b (?:
        its? | that | this | these | those | them | they | their | he | him | his | she | hers?
      | ones? | same | again | too | also | instead | previous | above | earlier | more | others?
      | another | rest
    ) \b
    (?! \s+ (?: minute | hour | morning | noon | afternoon | evening | night | day | week | weekend
      | month | quarter | year | (?: mon | tues | wednes | thurs | fri | satur | sun ) day ) s? \b )
    """

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


def _plan_help(slots: Slots) -> Plan | None:
    """Reply with the abilities."""
    if not slots.get("help"):
        return None
    return PlanBuilder("Show what can be asked").reply("Here is what you can ask me.", _ABILITIES)


HELP_INTENT = Intent.of("help", plan=_plan_help)


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


class PhrasePlanner:
    """Plans requests in ordinary English for the built-in tools."""

    async def next(self, context: PlanningContext) -> Plan | None:
        """Return the whole plan.

        Raises:
            NotUnderstoodError: names the words not understood, or the missing tool.
        """
        text = context.request.text
        plan = self._plan(text)
        if plan is None:
            raise NotUnderstoodError(self._not_understood(text), Remedy.CONNECT_MODEL)
        if missing := _missing_tool(plan, context.tools):
            reason = _MISSING_TOOL_REASONS.get(missing, f"the tool “{missing}” is not available")
            reply = Reply(f"I understood, but {reason}.", _CONNECT_ACCOUNT, status="error")
            raise NotUnderstoodError(reply, Remedy.CONNECT_ACCOUNT)
        return plan

    def understand(self, text: str, tools: "Mapping[str, Tool] | Collection[str]") -> Plan | None:
        """Return the plan if every word is understood and every tool is available, else None."""
        plan = self._plan(text)
        return None if plan is None or _missing_tool(plan, tools) else plan

    def _plan(self, text: str) -> Plan | None:
        if len(text) > _MAX_LENGTH or any(find_references(text)):
            return None
        phrase = Phrase.of(text)
        return (
            plan_search(text)
            or self._cheapest_plan(phrase)
            or self._cheapest_plan(self._corrected(phrase))
        )

    def _cheapest_plan(self, phrase: Phrase) -> Plan | None:
        """Return the plan of the intent with the fewest free words."""
        plans = [found for intent in INTENTS if (found := _best_plan(intent, phrase))]
        return min(plans, key=lambda found: found[0])[1] if plans else None

    def _corrected(self, phrase: Phrase) -> Phrase:
        """Correct typing errors in words that are almost literal words of a rule."""
        known = frozenset().union(*(intent.grammar.words for intent in INTENTS))
        return Phrase(phrase.text, tuple(_corrected(word, known) for word in phrase.words))

    def _not_understood(self, text: str) -> Reply:
        """Suggest the examples that share the most words with the request."""
        words = _norms(text[:_MAX_LENGTH])
        examples = [example for intent in INTENTS for example in intent.examples]
        nearest = sorted(examples, key=lambda each: -len(words & _norms(each)))[:3]
        listed = "\n".join(f"- {each}" for each in nearest)
        return Reply(
            f"I did not understand {self._unknown_part(text)}.",
            f"These I understand:\n\n{listed}\n\nWith a model connected, I understand far more.",
            status="error",
        )

    def _unknown_part(self, text: str) -> str:
        """Quote the first run of words that the best intent does not cover, or the whole text."""
        phrase = Phrase.of(text[:_MAX_LENGTH])
        if not phrase.words:
            return "an empty request"
        unknown = min((intent.grammar.uncovered(phrase) for intent in INTENTS), key=len)
        is_filler = FUNCTION_WORDS.issuperset(phrase.word(index).norm for index in unknown)
        if is_filler or 3 * len(unknown) > 2 * len(phrase.words):
            return f"“{_truncated(text)}”"
        run = [index for step, index in enumerate(unknown) if index == unknown[0] + step]
        return f"“{_truncated(phrase.text_of(run[0], run[-1] + 1))}” in your request"


class PhraseFirstPlanner(NamedTuple):
    """Plans known phrases without a model; everything else is left to the next planner."""

    phrases: PhrasePlanner
    then: Planner

    async def next(self, context: PlanningContext) -> Plan | None:
        """Return the plan for a phrase that needs no history, else that of the next planner."""
        request = context.request
        refers_back = bool(request.history and re.search(_REFERS_BACK, request.text))
        if refers_back or context.rejection or context.results:
            return await self.then.next(context)
        known = self.phrases.understand(request.text, context.tools)
        return known or await self.then.next(context)


def plan_search(text: str) -> Plan | None:
    """Return the plan for a search that uses Gmail's operators, such as `from:sarah`."""
    request = re.fullmatch(_SEARCH_REQUEST, text) if ":" in text else None
    if not request or not re.search(_SEARCH_OPERATOR, request["query"]):
        return None
    query = request["query"]
    plan = PlanBuilder(f"Search mail for {query}")
    found = plan.step("search_emails", query=query)
    plan.unless_empty(f"{found}.emails")
    return plan.reply(f"Here is what was found ({found}.count).", found)


def _best_plan(intent: Intent, phrase: Phrase) -> tuple[int, Plan] | None:
    for parse in islice(intent.grammar.parses(phrase), _MAX_PARSES):
        if plan := intent.plan(parse.slots):
            return parse.cost, plan
    return None


def _missing_tool(plan: Plan, tools: Collection[str]) -> str:
    needed = (step.action for step in plan.steps if step.action != REPLY_ACTION)
    return next((action for action in needed if action not in tools), "")


def _corrected(word: Word, known: Collection[str]) -> Word:
    if word.kind is not WordKind.WORD or len(word.norm) < 5 or word.norm in known:
        return word
    ends = (word.norm[0], word.norm[-1])
    similar = [each for each in known if len(each) > 3 and (each[0], each[-1]) == ends]
    near = get_close_matches(word.norm, similar, n=1, cutoff=0.82)
    return word._replace(norm=near[0]) if near else word


def _norms(text: str) -> set[str]:
    return {word.norm for word in Phrase.of(text).words}


def _truncated(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"
