"""The newsletter intent: a digest of newsletters by time and topic."""

from assistant.planners.phrases.intent import Intent, PlanBuilder, Slots
from assistant.planners.phrases.phrase_grammar import rule
from assistant.planners.phrases.time_slots import moment_in_words, range_in_words
from assistant.planners.phrases.value_slots import Topic
from assistant.runs.plan import Plan

_VERBS = (
    rule("(show|list|get|check|read|give|tell|fetch|prepare|make|create) [me] [about]", asked=True),
    rule("(summarise|summarize|sum up|recap|digest|condense|go through|look through)", asked=True),
    rule("(brief|update|fill in) me on|(catch|fill) me (up|in) [on|with]", asked=True),
    rule("bring me up to (speed|date) [on|with]", asked=True),
    rule("[<make>|show me|give me] [a|the|an|my] [<short>] (<summary>) [<of>]", asked=True),
    rule("what (is|'s|was) [there] [new|interesting|worth reading|going on] [in]", asked=True),
    rule("(is|was) there (anything|something) [new|interesting] [in]", asked=True),
    rule("(anything|something) [new|interesting] [in]", asked=True),
    rule("what did i miss [in]|what have i missed [in]|what (do|did)", asked=True),
    rule("(say|tell|bring|write|have)", asked=True),
)
_NEWS = (
    rule("[in|from|of|through|at] [<det>|all my|all] (newsletters|newsletter)", news=True),
    rule(
        "[the|my|a] (news|newsletter) (digest|summary|roundup|round-up|briefing)",
        news=True,
        asked=True,
    ),
    rule("[the] digest of [<det>|all my] newsletters", news=True, asked=True),
)
_TIME = (
    rule("[<during>] (today|the day) [<s>]", since="today"),
    rule("[<during>] this morning [<s>]", since="today"),
    rule("[<during>] this week [<s>]", since="start of this week"),
    rule("[<during>] this month [<s>]", since="start of this month"),
    rule("[<during>] [the] (<past>) (week|7 days|seven days)", since="7 days ago"),
    rule("[<during>] [the] (<past>) {days:number} (days|day)"),
    rule("[<during>] [the] (<past>) {weeks:number} (weeks|week)"),
    rule("[<during>] [the] (<past>) (day|24 hours)", days=1),
    rule("[<during>] [the] (<past>) month", since="1 month ago"),
    rule("(since|after) {since:moment}"),
    rule("since {since:ago}"),
)
_FOCUS = (
    rule("(about|regarding|concerning|on|mentioning|on the subject of) {focus:topic}"),
    rule("[and] (focus|focusing|concentrate) [only] on {focus:topic}"),
    rule("with [a|the] (focus|emphasis) on {focus:topic}"),
)
_EXAMPLES = (
    "News digest",
    "What is new in my newsletters?",
    "Summarise my newsletters from this week",
)


def plan_newsletters(slots: Slots) -> Plan | None:
    """Digest the matching newsletters."""
    times = [name for name in ("since", "days", "weeks") if name in slots]
    if not (slots.get("news") and slots.get("asked")) or len(times) > 1:
        return None
    since, focus = _since(slots), slots.get("focus")
    plan = PlanBuilder("Digest the newsletters")
    topic = focus.text if isinstance(focus, Topic) else None
    found = plan.step("news_digest", since=since, focus=topic)
    return plan.reply(f"{_message(since)} ({found}.found found).", f"{found}.digest")


def _since(slots: Slots) -> str | None:
    for unit in ("days", "weeks"):
        if number := slots.get(unit):
            return f"{number} {unit if number != 1 else unit[:-1]} ago"
    return str(slots["since"]) if "since" in slots else None


def _message(since: str | None) -> str:
    if since is None:
        return "Here is what your newsletters brought in the past week"
    words = range_in_words(since, "")
    when = f"since {moment_in_words(since)}" if words == since and words != "today" else words
    return f"Here is what your newsletters brought {when}"


NEWSLETTER_INTENT = Intent.of(
    *_VERBS, *_NEWS, *_TIME, *_FOCUS, plan=plan_newsletters, examples=_EXAMPLES
)
