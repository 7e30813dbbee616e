"""Event intents: create, cancel, move and rename calendar events."""

from assistant.planners.phrases.intent import Intent, Slots
from assistant.planners.phrases.lexicon import BOUGHT, EMPTY_IN_SEARCH, GATHERINGS
from assistant.planners.phrases.phrase_grammar import rule
from assistant.planners.phrases.plan_builder import PlanBuilder
from assistant.runs.plan import Plan
from tools.moments.date_format import WEEKDAYS

_CREATE_RULES = (
    rule("(put|add|schedule|create|set up|arrange|plan|make|enter) [a|an|the] {title:title}"),
    rule(
        "(put|add|schedule|create|set up|arrange|plan|book) [a|an] {minutes:duration} {title:title}"
    ),
    rule("book [a|an|the] {title:title}", booking=True),
    rule(
        "(add|schedule|create|set up|make) [a|an] [new] [calendar] event (called|named|titled)"
        " {title:title}"
    ),
    rule("[in|on|to|into] (my|the) (<calendar>)", calendar=True),
    rule("[on|for] {day:day}"),
    rule("(in|into) {day:ahead}"),
    rule("at {clock:clock}|@ {clock:clock}"),
    rule("from {clock:clock} (to|until|till) {end:clock}|between {clock:clock} and {end:clock}"),
    rule("(until|till) {end:clock}"),
    rule("for {minutes:duration}"),
    rule("all day|for the whole day", all_day=True),
    rule("(at|location) {place:place}|in {place:room}"),
    rule("(with|and invite|invite|inviting) {first_guest:address}"),
    rule(
        "(with|and invite|invite|inviting) {first_guest:address} [,] [and] {second_guest:address}"
    ),
)
_CREATE_EXAMPLES = (
    "Put lunch with my sister on my calendar on Thursday at noon",
    "Schedule a project review tomorrow at 10:00 for 30 minutes",
)


def plan_create_event(facets: Slots) -> Plan | None:
    """Create it; how long an event without an end takes is an hour."""
    title = str(facets.get("title", "")).strip()
    start = _start(facets)
    if facets.get("booking") and not facets.get("calendar") and _is_purchase(title):
        return None
    if not title or not start or ("end" in facets and "minutes" in facets):
        return None
    draft = PlanBuilder(f"Create the event “{title}”")
    guests = [str(facets[key]) for key in ("first_guest", "second_guest") if key in facets]
    made = draft.step(
        "create_calendar_event",
        summary=title[0].upper() + title[1:],
        startDateTime=start,
        endDateTime=_end(facets, start),
        attendees=guests or None,
        location=facets.get("place"),
    )
    return draft.reply(f"“{title[0].upper() + title[1:]}” is in your calendar.", made)


def _is_purchase(title: str) -> bool:
    """Whether booking it means buying it, not noting it."""
    return not BOUGHT.isdisjoint(title.casefold().split())


def _start(facets: Slots) -> str:
    day, clock = facets.get("day"), facets.get("clock")
    is_distance = str(day).endswith(("minute", "minutes", "hour", "hours"))
    if not is_distance and str(day).startswith("in "):
        return ""  # "in 3 days" at which time?
    if clock is None:
        is_all_day = day is not None and not is_distance and not {"end", "minutes"} & facets.keys()
        return str(day) if is_distance or is_all_day else ""
    if is_distance or facets.get("all_day"):
        return ""
    return f"{day or 'today'} at {clock}"


def _end(facets: Slots, start: str) -> str:
    if "end" in facets:
        return f"at {facets['end']}"
    if "clock" not in facets and not start.startswith("in "):
        return start
    hours, minutes = divmod(int(str(facets.get("minutes", 60))), 60)
    return f"PT{f'{hours}H' if hours else ''}{f'{minutes}M' if minutes else ''}"


CREATE_EVENT_INTENT = Intent.of(*_CREATE_RULES, plan=plan_create_event, examples=_CREATE_EXAMPLES)


_CANCEL = "(cancel|delete|remove|call off)"
_MOVE = "(move|reschedule|shift|postpone|push|bring forward)"
_GENERIC_NOUNS = frozenset({"meeting", "appointment", "event"})
_PLURAL_WORDS = frozenset(
    {"all", "both", "every", "each", "everything", "meetings", "appointments", "events"}
)
_MAX_CANDIDATES = 10  # of which the user picks one

_CHANGE_RULES = (
    rule(f"{_CANCEL} [<det>] {{what:title}}", cancel=True),
    rule(f"{_CANCEL} {{day:day}} [<s>] {{what:title}}", cancel=True),
    rule(f"{_CANCEL} [my|the|our] next (<event>)", cancel=True, next=True),
    rule(f"{_MOVE} [<det>] {{what:title}}", move=True),
    rule(f"{_MOVE} {{day:day}} [<s>] {{what:title}}", move=True),
    rule(f"{_MOVE} [my|the|our] next (<event>)", move=True, next=True),
    rule("rename [<det>] {what:title} (to|as|into) {title:title}", rename=True),
    rule("rename [<det>] {what:title} [on] {day:day} (to|as|into) {title:title}", rename=True),
    rule("rename {day:day} [<s>] {what:title} (to|as|into) {title:title}", rename=True),
    rule("rename [my|the|our] next (<event>) (to|as|into) {title:title}", rename=True, next=True),
    rule("[on|for|of] {day:day}", alone="day"),  # unlike Friday in "to 3pm on Friday"
    rule("[on|for|of] {day:day} [at {clock:clock}] (to|until|till) {new_clock:clock}"),
    rule("at {clock:clock}"),
    rule("(to|until|till|on to) {new_day:day} [at|@] {new_clock:clock}"),
    rule("(to|until|till|on to) {new_clock:clock} [on] {new_day:day}"),
    rule("(to|until|till|on to) {new_day:day}"),
    rule("(to|until|till) {new_clock:clock}", alone="new clock"),
    rule("from {day:day} to {new_day:day} [at|@] {new_clock:clock}"),
    rule("from {day:day} to {new_day:day}"),
    rule("(from|in|on|off|out of) (my|the) (<calendar>)", calendar=True),
)
_CHANGE_EXAMPLES = (
    "Cancel my lunch with Ana on Thursday",
    "Move the meeting with Bob to Friday at 3pm",
    "Rename tomorrow's workshop to Retrospective",
)


def plan_change_event(facets: Slots) -> Plan | None:
    """Find it, and change it; where several fit, the user is asked which."""
    wishes = [name for name in ("cancel", "move", "rename") if facets.get(name)]
    is_moved = "new_day" in facets or "new_clock" in facets
    if len(wishes) != 1 or is_moved != (wishes == ["move"]) or not _is_specific(facets):
        return None
    draft = PlanBuilder(f"{wishes[0].capitalize()} what is in the calendar")
    found = draft.step("list_calendar_events", **_search_parameters(facets))
    draft.unless_empty(found)
    return draft.reply(_change_step(draft, wishes[0], facets, f"{found}[*].id"))


def _change_step(draft: PlanBuilder, wish: str, facets: Slots, id: str) -> str:
    match wish:
        case "cancel":
            return draft.step("delete_calendar_event", id=id)
        case "move":
            return draft.step("update_calendar_event", id=id, startDateTime=_new_start(facets))
        case _:
            title = str(facets["title"])
            named = title[0].upper() + title[1:]
            return draft.step("update_calendar_event", id=id, summary=named)


def _is_specific(facets: Slots) -> bool:
    """Whether it is clear that something in the calendar is meant, and what."""
    if facets.get("next"):
        return not {"what", "day", "clock"} & facets.keys()
    words = set(str(facets.get("what", "")).casefold().split())
    if words & _PLURAL_WORDS:
        return False
    is_clear = {"day", "clock", "new_day", "new_clock", "calendar"} & facets.keys()
    is_moved_whole = "new_day" not in facets or "new_clock" in facets  # else the clock may be new
    is_known = (
        bool(_search_text(facets)) or "day" in facets or ("clock" in facets and is_moved_whole)
    )
    return bool(words) and is_known and bool(is_clear or words & GATHERINGS)


def _search_parameters(facets: Slots) -> dict[str, object]:
    if facets.get("next"):
        return {"maxResults": 1}
    found: dict[str, object] = {"maxResults": _MAX_CANDIDATES, "q": _search_text(facets) or None}
    if not {"day", "clock"} & facets.keys():
        return found
    day = str(facets.get("day", "today"))
    day = f"coming {day}" if day in WEEKDAYS else day
    clock = f" at {facets['clock']}" if "clock" in facets else ""
    return {"timeMin": f"{day}{clock}", "timeMax": f"end of {day}", **found}


def _search_text(facets: Slots) -> str:
    """What tells it from other events."""
    words = str(facets.get("what", "")).split()
    telling = (each for each in words if each.casefold() not in EMPTY_IN_SEARCH)
    return " ".join(each for each in telling if each.casefold() not in _GENERIC_NOUNS)


def _new_start(facets: Slots) -> str:
    day, clock = facets.get("new_day"), facets.get("new_clock")
    at = f"at {clock}" if clock else ""
    return f"{day or ''} {at}".strip()


CHANGE_EVENT_INTENT = Intent.of(*_CHANGE_RULES, plan=plan_change_event, examples=_CHANGE_EXAMPLES)
