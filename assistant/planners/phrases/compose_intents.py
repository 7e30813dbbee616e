"""Compose intents: write, answer and forward email, and look up addresses."""

from assistant.planners.phrases.intent import Intent, PlanBuilder, Slots, from_slots
from assistant.planners.phrases.mail_filter import MailFilter
from assistant.planners.phrases.value_slots import Topic, capitalized
from assistant.runs.plan import Plan

_MAX_SUBJECT = 60


def plan_compose(slots: Slots) -> Plan | None:
    """Send a dictated email or save it as a draft, after looking up a recipient's name."""
    to, name, body = (str(slots.get(key, "")) for key in ("to", "name", "body"))
    if not body or bool(to) == bool(name):
        return None
    subject = _subject(slots.get("subject"), body)
    plan = PlanBuilder(f"Write to {name or to}")
    to = plan.recipient(to, name)
    cc = [str(slots["cc"])] if "cc" in slots else None
    if slots.get("draft"):
        saved = plan.step("compose_email", to=[to], subject=subject, body=body, cc=cc)
        return plan.reply(f"The draft “{subject}” is ready; nothing was sent.", saved)
    if cc:
        sent = plan.step("compose_email", to=[to], subject=subject, body=body, cc=cc, send=True)
        return plan.reply(sent)
    return plan.reply(plan.step("sendEmail", to=to, subject=subject, body=body))


def _subject(topic: object, body: str) -> str:
    """Return the topic, or the first sentence of the body, shortened if need be."""
    if isinstance(topic, Topic):
        return topic.text if topic.exact else capitalized(topic.text)
    first = body.splitlines()[0]
    for end in (". ", "! ", "? "):
        first = first.split(end)[0]
    first = first.rstrip(".!?, ")
    if len(first) <= _MAX_SUBJECT:
        return first or "Hello"
    return f"{first[:_MAX_SUBJECT].rsplit(' ', 1)[0]}…"


COMPOSE_INTENT = Intent.of("compose", plan=plan_compose)


def plan_reply(slots: Slots) -> Plan | None:
    """Reply to the newest matching email."""
    body, is_draft = str(slots.get("body", "")), bool(slots.get("draft"))
    mail = _newest_email(slots)
    if not (body and (is_draft or slots.get("answering")) and mail):
        return None
    plan = PlanBuilder(f"Answer {mail.in_words()}")
    sent = plan.step(
        "reply_to_email",
        id=f"{mail.add_step(plan)}.emails[0].id",
        reply_body=body,
        reply_all=True if slots.get("to_all") else None,
        send=None if is_draft else True,
    )
    if is_draft:
        return plan.reply(f"A draft that answers {mail.in_words()} is ready.", sent)
    return plan.reply(f"Answered {mail.in_words()}.", sent)


def _newest_email(slots: Slots) -> MailFilter | None:
    """Return the filter for the newest matching email; None if any email would match."""
    mail = from_slots(MailFilter, slots)._replace(newest=True, plural=False)
    has_criteria = any(name in slots for name in ("sender", "topic", "subject", "newest"))
    is_one = has_criteria and not slots.get("plural") and mail.is_consistent and mail.is_one
    return mail if is_one else None


REPLY_INTENT = Intent.of("reply", "mail_filter", plan=plan_reply)


def plan_forward(slots: Slots) -> Plan | None:
    """Forward the newest matching email, after looking up a recipient's name."""
    to, name = str(slots.get("to", "")), str(slots.get("to_name", ""))
    mail = _newest_email(slots)
    if not slots.get("forwarding") or bool(to) == bool(name) or not mail:
        return None
    plan = PlanBuilder(f"Forward {mail.in_words()} to {name or to}")
    to = plan.recipient(to, name)
    sent = plan.step(
        "forward_email",
        id=f"{mail.add_step(plan)}.emails[0].id",
        to=to,
        note=slots.get("note"),
        send=None if slots.get("draft") else True,
    )
    if slots.get("draft"):
        return plan.reply(f"A draft that forwards {mail.in_words()} is ready.", sent)
    return plan.reply(f"Forwarded {mail.in_words()}.", sent)


FORWARD_INTENT = Intent.of("forward", "mail_filter", plan=plan_forward)


def plan_contact(slots: Slots) -> Plan | None:
    """Look up the address of a person."""
    if "name" not in slots:
        return None
    name = str(slots["name"])
    plan = PlanBuilder(f"Find the address of {name}")
    found = plan.step("find_contact", name=name)
    plan.unless_empty(f"{found}.contacts")
    return plan.reply(f"Here is what I know of {name} ({found}.count found).", found)


CONTACT_INTENT = Intent.of("contact", plan=plan_contact)
