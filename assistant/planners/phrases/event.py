"""An event: something to be put into the calendar."""

from assistant.plan import Plan
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.lexicon import BOUGHT
from assistant.planners.phrases.subject import Facets, Subject

RULES = (
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
EXAMPLES = (
    "Put lunch with my sister on my calendar on Thursday at noon",
    "Schedule a project review tomorrow at 10:00 for 30 minutes",
)


def plan_event(facets: Facets) -> Plan | None:
    """Create it; how long an event without an end takes is an hour."""
    title = str(facets.get("title", "")).strip()
    start = _start(facets)
    if facets.get("booking") and not facets.get("calendar") and _is_bought(title):
        return None
    if not title or not start or ("end" in facets and "minutes" in facets):
        return None
    draft = Draft(f"Create the event “{title}”")
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


def _is_bought(title: str) -> bool:
    """Whether booking it means buying it, not noting it."""
    return not BOUGHT.isdisjoint(title.casefold().split())


def _start(facets: Facets) -> str:
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


def _end(facets: Facets, start: str) -> str:
    if "end" in facets:
        return f"at {facets['end']}"
    if "clock" not in facets and not start.startswith("in "):
        return start
    hours, minutes = divmod(int(str(facets.get("minutes", 60))), 60)
    return f"PT{f'{hours}H' if hours else ''}{f'{minutes}M' if minutes else ''}"


EVENT = Subject.of(*RULES, plan=plan_event, examples=EXAMPLES)
