"""The agenda intent: list calendar events in a time range."""

from assistant.planners.phrases.intent import SELF, Intent, PlanBuilder, Slots
from assistant.planners.phrases.phrase_grammar import rule, rules
from assistant.planners.phrases.time_slots import moment_in_words, range_in_words
from assistant.planners.phrases.value_slots import Topic
from assistant.runs.plan import Plan

_MAX_EVENTS = 50  # events of a time range, which is listed completely

_VERBS = (
    *rules(
        "(show|list|get|check|see|view|display|read|open|give|tell) [me] [about]",
        "(what is|what 's|what are) [on|in]",
        "(do i have|have i got|is there|are there) [any|anything|something] [on|planned|scheduled]",
        "when is|when 's|when are|which|what",
        "(brief|update) me on|(summarise|summarize|sum up)",
        asked=True,
    ),
    *rules(
        "what (do|does) (my|the) (day|<calendar>) look like",
        "how (is|does) (my|the) (day|<calendar>) (look|looking) [like]",
        "what (do i have|have i got) [on|planned|scheduled|coming up|going on]",
        "what (is|'s) (on|left|happening) [on|in]",
        "what (am i|are we) doing",
        "do i have (anything|something|plans) [on|planned|scheduled]",
        "(am i|are we) (free|busy|available)|(do i have|have i got) [any] time",
        asked=True,
        events=True,
    ),
    rule(
        "(what|how) does (my|the) week look [like]",
        events=True,
        start="start of this week",
        end="end of this week",
    ),
)
_EVENTS = (
    rule("[in|on|from|of|for] [<det>] (<calendar>)", events=True),
    rule("[<det>|all] (<events>)", events=True),
    rule("[<det>|a|an] (<event>)", events=True),
    rule("[the|my] next (<event>)|[the|my] next thing", events=True, count=1),
    rule("[the|my] next {count:number} (<events>)", events=True),
    rule("[the|my] {count:number} next (<events>)", events=True),
    rule("(the|my) [next] {q:topic} (<event>)", events=True),
    rule("(about|with|regarding|for) {q:topic}"),
    rule("upcoming|coming up|scheduled|planned|<det>"),
)
_TIME = (
    rule("[<for>] today [<s>]|[<for>] the day", start="today", end="end of today"),
    rule("tonight|[<for>] this evening", start="today at 6pm", end="end of today"),
    rule("[<for>] this morning", start="today", end="today at noon"),
    rule("[<for>] this afternoon", start="today at noon", end="today at 6pm"),
    rule("[<for>] [the] rest of (today|the day|my day)", start="now", end="end of today"),
    rule("[<for>] tomorrow [<s>]", start="tomorrow", end="end of tomorrow"),
    rule("[<for>] tomorrow morning", start="tomorrow", end="tomorrow at noon"),
    rule("[<for>] tomorrow afternoon", start="tomorrow at noon", end="tomorrow at 6pm"),
    rule("[<for>] tomorrow evening", start="tomorrow at 6pm", end="end of tomorrow"),
    rule("yesterday [<s>]", start="yesterday", end="end of yesterday"),
    rule("[<for>] (this week|the week) [<s>]", start="start of this week", end="end of this week"),
    rule("[<for>] [the] rest of (the|this) week", start="now", end="end of this week"),
    rule("[<for>] next week [<s>]", start="start of next week", end="end of next week"),
    rule("last week [<s>]", start="start of last week", end="end of last week"),
    rule("[<for>] this month [<s>]", start="start of this month", end="end of this month"),
    rule("[<for>] next month [<s>]", start="start of next month", end="end of next month"),
    rule("[<for>] [the] next {within:ahead}|within {within:ahead}", start="now"),
    rule("[<for>] [this|coming] {weekday:weekday} [<s>] [morning|afternoon|evening]"),
    rule("[<for>] {day:next_weekday} [<s>]|[<for>] [the] {day:date}"),
    rule("(at|around) {hour:clock}"),
)
_SENDING = (
    rule("(email|e-mail|mail|send) (<them>|<calendar>) to (<self>)", send=True),
    rule("(email|e-mail|mail|send) me [<them>|a copy]", send=True),
)
_EXAMPLES = (
    "What's on my calendar today?",
    "Show my agenda for this week",
    "Am I free on Friday?",
)


def plan_agenda(slots: Slots) -> Plan | None:
    """List the matching events."""
    ranges = [name for name in ("weekday", "day", "within") if name in slots]
    is_one_range = len(ranges) + ("start" in slots and "within" not in slots) <= 1
    if not slots.get("events") or not is_one_range:
        return None
    start, end = _time_range(slots)
    q = slots.get("q")
    plan = PlanBuilder("List calendar events")
    found = plan.step(
        "list_calendar_events",
        timeMin=start,
        timeMax=end,
        maxResults=slots.get("count") or (_MAX_EVENTS if end else None),
        q=q.text if isinstance(q, Topic) else None,
    )
    plan.unless_empty(found)
    return _reply_plan(plan, slots, found)


def _time_range(slots: Slots) -> tuple[str | None, str | None]:
    """Return start and end; "coming" makes a weekday one day, also on that day."""
    if day := slots.get("day") or ("weekday" in slots and f"coming {slots['weekday']}"):
        return str(day), f"end of {day}"
    start, end = slots.get("start"), slots.get("end") or slots.get("within")
    return str(start) if start else None, str(end) if end else None


def _reply_plan(plan: PlanBuilder, slots: Slots, found: str) -> Plan:
    when = _time_phrase(slots)
    message = f"Here is what your calendar holds{when}" if when else "Here is what comes next"
    if not slots.get("send"):
        return plan.reply(f"{message}.", found)
    sent = plan.step("sendEmail", to=SELF, subject=f"Calendar{when}", body=found)
    return plan.reply(f"{message}, also sent by email.", f"{sent}\n\n{found}")


def _time_phrase(slots: Slots) -> str:
    if "weekday" in slots or "day" in slots:
        day = moment_in_words(str(slots.get("weekday") or slots["day"]))
        return f" {day}" if day.startswith(("next", "last")) else f" on {day}"
    if "within" in slots:
        return f" in the next {str(slots['within']).removeprefix('in ')}"
    start, end = str(slots.get("start", "")), str(slots.get("end", ""))
    return f" {range_in_words(start, end)}" if start else ""


AGENDA_INTENT = Intent.of(
    *_VERBS, *_EVENTS, *_TIME, *_SENDING, plan=plan_agenda, examples=_EXAMPLES
)
