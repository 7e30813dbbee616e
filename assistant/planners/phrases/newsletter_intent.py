"""The newsletter intent: a digest of newsletters by time and topic."""

from assistant.planners.phrases.intent import Intent, PlanBuilder, Slots
from assistant.planners.phrases.time_slots import count_in_words, moment_in_words, range_in_words
from assistant.planners.phrases.value_slots import Topic
from assistant.runs.plan import Plan


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
            return f"{count_in_words(number, unit[:-1])} ago"
    return str(slots["since"]) if "since" in slots else None


def _message(since: str | None) -> str:
    if since is None:
        return "Here is what your newsletters brought in the past week"
    words = range_in_words(since, "")
    when = f"since {moment_in_words(since)}" if words == since and words != "today" else words
    return f"Here is what your newsletters brought {when}"


NEWSLETTER_INTENT = Intent.of("newsletters", plan=plan_newsletters)
