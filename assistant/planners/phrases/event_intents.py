"""Event intents: create, cancel, move and rename calendar events."""

from assistant.planners.phrases.intent import Intent, PlanBuilder, Slots
from assistant.planners.phrases.lexicon import EVENT_NOUNS, PURCHASES, SEARCH_STOP_WORDS
from assistant.planners.phrases.value_slots import capitalized
from assistant.runs.plan import Plan
from tools.moments.date_format import WEEKDAYS


def plan_create_event(slots: Slots) -> Plan | None:
    """Create an event; without an end it takes an hour."""
    title = capitalized(str(slots.get("title", "")).strip())
    start = _start(slots)
    is_purchase = not PURCHASES.isdisjoint(title.casefold().split())
    if slots.get("booking") and not slots.get("calendar") and is_purchase:
        return None
    if not title or not start or ("end" in slots and "minutes" in slots):
        return None
    plan = PlanBuilder(f"Create the event “{title}”")
    guests = [str(slots[key]) for key in ("first_guest", "second_guest") if key in slots]
    created = plan.step(
        "create_calendar_event",
        summary=title,
        startDateTime=start,
        endDateTime=_end(slots, start),
        attendees=guests or None,
        location=slots.get("location"),
    )
    return plan.reply(f"“{title}” is in your calendar.", created)


def _start(slots: Slots) -> str:
    day, clock = slots.get("day"), slots.get("clock")
    is_relative = str(day).endswith(("minute", "minutes", "hour", "hours"))
    if not is_relative and str(day).startswith("in "):
        return ""  # "in 3 days" at which time?
    if clock is None:
        is_all_day = day is not None and not is_relative and not {"end", "minutes"} & slots.keys()
        return str(day) if is_relative or is_all_day else ""
    if is_relative or slots.get("all_day"):
        return ""
    return f"{day or 'today'} at {clock}"


def _end(slots: Slots, start: str) -> str:
    if "end" in slots:
        return f"at {slots['end']}"
    if "clock" not in slots and not start.startswith("in "):
        return start
    hours, minutes = divmod(int(str(slots.get("minutes", 60))), 60)
    return f"PT{f'{hours}H' if hours else ''}{f'{minutes}M' if minutes else ''}"


CREATE_EVENT_INTENT = Intent.of("create_event", plan=plan_create_event)


_GENERIC_NOUNS = frozenset({"meeting", "appointment", "event"})
_PLURAL_WORDS = frozenset(
    {"all", "both", "every", "each", "everything", "meetings", "appointments", "events"}
)
_MAX_CANDIDATES = 10  # to choose from


def plan_change_event(slots: Slots) -> Plan | None:
    """Find an event and change it; several matches are a choice for the user."""
    changes = [name for name in ("cancel", "move", "rename") if slots.get(name)]
    is_moved = "new_day" in slots or "new_clock" in slots
    if len(changes) != 1 or is_moved != (changes == ["move"]) or not _is_specific(slots):
        return None
    plan = PlanBuilder(f"{changes[0].capitalize()} a calendar event")
    found = plan.step("list_calendar_events", **_search_parameters(slots))
    plan.unless_empty(found)
    id = f"{found}[*].id"
    if changes == ["cancel"]:
        return plan.reply(plan.step("delete_calendar_event", id=id))
    if changes == ["rename"]:
        title = capitalized(str(slots["title"]))
        return plan.reply(plan.step("update_calendar_event", id=id, summary=title))
    at = f"at {slots['new_clock']}" if "new_clock" in slots else ""
    start = f"{slots.get('new_day', '')} {at}".strip()
    return plan.reply(plan.step("update_calendar_event", id=id, startDateTime=start))


def _is_specific(slots: Slots) -> bool:
    """Whether the words clearly mean one calendar event."""
    if slots.get("next"):
        return not {"what", "day", "clock"} & slots.keys()
    words = set(str(slots.get("what", "")).casefold().split())
    if words & _PLURAL_WORDS:
        return False
    is_clear = {"day", "clock", "new_day", "new_clock", "calendar"} & slots.keys()
    is_moved_whole = "new_day" not in slots or "new_clock" in slots  # else the clock may be new
    is_known = bool(_search_text(slots)) or "day" in slots or ("clock" in slots and is_moved_whole)
    return bool(words) and is_known and bool(is_clear or words & EVENT_NOUNS)


def _search_parameters(slots: Slots) -> dict[str, object]:
    if slots.get("next"):
        return {"maxResults": 1}
    found: dict[str, object] = {"maxResults": _MAX_CANDIDATES, "q": _search_text(slots) or None}
    if not {"day", "clock"} & slots.keys():
        return found
    day = str(slots.get("day", "today"))
    day = f"coming {day}" if day in WEEKDAYS else day
    clock = f" at {slots['clock']}" if "clock" in slots else ""
    return {"timeMin": f"{day}{clock}", "timeMax": f"end of {day}", **found}


def _search_text(slots: Slots) -> str:
    """Return the words of the title that distinguish the event."""
    words = str(slots.get("what", "")).split()
    specific = (each for each in words if each.casefold() not in SEARCH_STOP_WORDS)
    return " ".join(each for each in specific if each.casefold() not in _GENERIC_NOUNS)


CHANGE_EVENT_INTENT = Intent.of("change_event", plan=plan_change_event)
