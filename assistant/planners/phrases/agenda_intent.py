"""The agenda intent: list calendar events in a time range."""

from assistant.planners.phrases.intent import SELF, Intent, PlanBuilder, Slots
from assistant.planners.phrases.time_slots import moment_in_words, range_in_words
from assistant.planners.phrases.value_slots import Topic
from assistant.runs.plan import Plan

_MAX_EVENTS = 50  # events of a time range, which is listed completely


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
    when = _time_phrase(slots)
    message = f"Here is what your calendar holds{when}" if when else "Here is what comes next"
    if not slots.get("send"):
        return plan.reply(f"{message}.", found)
    sent = plan.step("sendEmail", to=SELF, subject=f"Calendar{when}", body=found)
    return plan.reply(f"{message}, also sent by email.", f"{sent}\n\n{found}")


def _time_range(slots: Slots) -> tuple[str | None, str | None]:
    """Return start and end; "coming" makes a weekday one day, also on that day."""
    if day := slots.get("day") or ("weekday" in slots and f"coming {slots['weekday']}"):
        return str(day), f"end of {day}"
    start, end = slots.get("start"), slots.get("end") or slots.get("within")
    return str(start) if start else None, str(end) if end else None


def _time_phrase(slots: Slots) -> str:
    if "weekday" in slots or "day" in slots:
        day = moment_in_words(str(slots.get("weekday") or slots["day"]))
        return f" {day}" if day.startswith(("next", "last")) else f" on {day}"
    if "within" in slots:
        return f" in the next {str(slots['within']).removeprefix('in ')}"
    start, end = str(slots.get("start", "")), str(slots.get("end", ""))
    return f" {range_in_words(start, end)}" if start else ""


AGENDA_INTENT = Intent.of("agenda", plan=plan_agenda)
