"""An appointment: an event that is in the calendar already, to be cancelled, moved or renamed."""

from assistant.plan import Plan
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.lexicon import EMPTY_IN_SEARCH, GATHERINGS
from assistant.planners.phrases.subject import Facets, Subject
from tools.day_words import WEEKDAYS

_CANCEL = "(cancel|delete|remove|call off)"
_MOVE = "(move|reschedule|shift|postpone|push|bring forward)"
_SAYS_ONLY_THAT_IT_IS_ONE = frozenset({"meeting", "appointment", "event"})
_SEVERAL = frozenset(
    {"all", "both", "every", "each", "everything", "meetings", "appointments", "events"}
)
_MOST = 10  # of which the user picks one

RULES = (
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
EXAMPLES = (
    "Cancel my lunch with Ana on Thursday",
    "Move the meeting with Bob to Friday at 3pm",
    "Rename tomorrow's workshop to Retrospective",
)


def plan_appointment(facets: Facets) -> Plan | None:
    """Find it, and change it; where several fit, the user is asked which."""
    wishes = [name for name in ("cancel", "move", "rename") if facets.get(name)]
    is_moved = "new_day" in facets or "new_clock" in facets
    if len(wishes) != 1 or is_moved != (wishes == ["move"]) or not _is_one(facets):
        return None
    draft = Draft(f"{wishes[0].capitalize()} what is in the calendar")
    found = draft.step("list_calendar_events", **_search(facets))
    draft.unless_empty(found)
    return draft.reply(_done(draft, wishes[0], facets, f"{found}[*].id"))


def _done(draft: Draft, wish: str, facets: Facets, id: str) -> str:
    match wish:
        case "cancel":
            return draft.step("delete_calendar_event", id=id)
        case "move":
            return draft.step("update_calendar_event", id=id, startDateTime=_new_start(facets))
        case _:
            title = str(facets["title"])
            named = title[0].upper() + title[1:]
            return draft.step("update_calendar_event", id=id, summary=named)


def _is_one(facets: Facets) -> bool:
    """Whether it is clear that something in the calendar is meant, and what."""
    if facets.get("next"):
        return not {"what", "day", "clock"} & facets.keys()
    words = set(str(facets.get("what", "")).casefold().split())
    if words & _SEVERAL:
        return False
    is_clear = {"day", "clock", "new_day", "new_clock", "calendar"} & facets.keys()
    is_moved_whole = "new_day" not in facets or "new_clock" in facets  # else the clock may be new
    is_known = bool(_searched(facets)) or "day" in facets or ("clock" in facets and is_moved_whole)
    return bool(words) and is_known and bool(is_clear or words & GATHERINGS)


def _search(facets: Facets) -> dict[str, object]:
    if facets.get("next"):
        return {"maxResults": 1}
    found: dict[str, object] = {"maxResults": _MOST, "q": _searched(facets) or None}
    if not {"day", "clock"} & facets.keys():
        return found
    day = str(facets.get("day", "today"))
    day = f"coming {day}" if day in WEEKDAYS else day
    clock = f" at {facets['clock']}" if "clock" in facets else ""
    return {"timeMin": f"{day}{clock}", "timeMax": f"end of {day}", **found}


def _searched(facets: Facets) -> str:
    """What tells it from other events."""
    words = str(facets.get("what", "")).split()
    telling = (each for each in words if each.casefold() not in EMPTY_IN_SEARCH)
    return " ".join(each for each in telling if each.casefold() not in _SAYS_ONLY_THAT_IT_IS_ONE)


def _new_start(facets: Facets) -> str:
    day, clock = facets.get("new_day"), facets.get("new_clock")
    at = f"at {clock}" if clock else ""
    return f"{day or ''} {at}".strip()


APPOINTMENT = Subject.of(*RULES, plan=plan_appointment, examples=EXAMPLES)
