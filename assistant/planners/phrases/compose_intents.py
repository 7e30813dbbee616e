"""Compose intents: write, answer and forward email, and look up addresses."""

from assistant.planners.phrases.intent import SELF, Intent, PlanBuilder, Slots, from_slots
from assistant.planners.phrases.mail_filter import MailFilter
from assistant.planners.phrases.mail_filter_rules import MAIL_FILTER_RULES
from assistant.planners.phrases.phrase_grammar import rule
from assistant.planners.phrases.value_slots import Topic, capitalized
from assistant.runs.plan import Plan

_MAX_SUBJECT = 60

_SEND = "(send|shoot|drop|fire off) [off] [a|an|another] [<short>|new] (<letter>) to"
_DRAFT = "(compose|draft|write|prepare|start) [a|an] [<short>|new] (<letter>) (to|for)"
_COMPOSE_RULES = (
    rule(f"{_SEND} (<self>)", to=SELF),
    rule(f"{_SEND} ({{to:address}}|{{name:name}})"),
    rule("(send|drop) (me|myself) [a|an] [<short>] (<letter>)", to=SELF),
    rule("(send|drop) ({to:address}|{name:name}) [a|an] [<short>] (<letter>)"),
    rule("(email|e-mail|mail|message|write to|write) {to:address}"),
    rule("(email|e-mail|mail|message|write to) {name:name}"),
    rule("(email|e-mail|mail|message|write) {to:address} that {body:rest}"),
    rule("(email|e-mail|mail|message) {name:name} that {body:rest}"),
    rule("(tell|let) {to:address} [know] [that] {body:rest}"),
    rule(f"{_DRAFT} (<self>)", to=SELF, draft=True),
    rule(f"{_DRAFT} ({{to:address}}|{{name:name}})", draft=True),
    rule("(with|and) [the|a] subject [line] [of] {subject:topic}|subject {subject:topic}"),
    rule("(about|regarding|concerning|titled) {subject:topic}"),
    rule("(cc|copy|with a copy to|and copy) {cc:address}"),
    rule("(<say>) [that] [,] {body:rest}|(<say>) : {body:rest}"),
    rule(": {body:rest}"),
    rule("{body:quoted_text}"),
)
_COMPOSE_EXAMPLES = (
    'Send an email to john@example.com with subject "Lunch" saying "See you at noon."',
    "Email Sarah saying I will be ten minutes late",
    "Draft an email to john@example.com about the budget saying the numbers are ready",
)


def plan_compose(slots: Slots) -> Plan | None:
    """Send a dictated email or save it as a draft, after looking up a recipient's name."""
    to, name, body = (str(slots.get(key, "")) for key in ("to", "name", "body"))
    if not body or bool(to) == bool(name):
        return None
    topic = slots.get("subject")
    subject = _subject_text(topic) if isinstance(topic, Topic) else _subject_from_body(body)
    plan = PlanBuilder(f"Write to {name or to}")
    if name:
        to = plan.find_address(name)
    cc = [str(slots["cc"])] if "cc" in slots else None
    if not slots.get("draft") and not cc:
        return plan.reply(plan.step("sendEmail", to=to, subject=subject, body=body))
    send = None if slots.get("draft") else True
    saved = plan.step("compose_email", to=[to], subject=subject, body=body, cc=cc, send=send)
    if send:
        return plan.reply(saved)
    return plan.reply(f"The draft “{subject}” is ready; nothing was sent.", saved)


def _subject_text(topic: Topic) -> str:
    return topic.text if topic.exact else capitalized(topic.text)


def _subject_from_body(body: str) -> str:
    """Return the first sentence, shortened if need be."""
    first = body.splitlines()[0]
    for end in (". ", "! ", "? "):
        first = first.split(end)[0]
    first = first.rstrip(".!?, ")
    if len(first) <= _MAX_SUBJECT:
        return first or "Hello"
    return f"{first[:_MAX_SUBJECT].rsplit(' ', 1)[0]}…"


COMPOSE_INTENT = Intent.of(*_COMPOSE_RULES, plan=plan_compose, examples=_COMPOSE_EXAMPLES)


_REPLY_RULES = (
    rule("(reply|respond|write back) to|answer", answering=True),
    rule("(reply to|respond to|write back to|answer) {sender:who}", answering=True),
    rule("(reply|respond) [with] {body:quoted_text} to [{sender:who}]", answering=True),
    rule("(send|write) [a|an] (reply|response|answer) to [{sender:who}]", answering=True),
    rule("(draft|compose|prepare) [a|an] (reply|response|answer) to [{sender:who}]", draft=True),
    rule("(reply|respond) [to] all [on|to]|reply-all [to]", answering=True, to_all=True),
    rule("to (all|everyone)", to_all=True),
    rule("as a draft", draft=True),
    rule("(<say>) [that] [,] {body:rest}|(<say>) : {body:rest}"),
    rule("with {body:quoted_text}"),
    rule(": {body:rest}"),
)
_REPLY_EXAMPLES = ('Reply to Sarah\'s latest email saying "Thank you, that works."',)


def plan_reply(slots: Slots) -> Plan | None:
    """Reply to the newest matching email."""
    body, is_draft = str(slots.get("body", "")), bool(slots.get("draft"))
    mail = _newest_email(slots)
    if not (body and (is_draft or slots.get("answering")) and mail):
        return None
    plan = PlanBuilder(f"Answer {mail.in_words()}")
    found = mail.add_step(plan)
    sent = plan.step(
        "reply_to_email",
        id=f"{found}.emails[0].id",
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


REPLY_INTENT = Intent.of(
    *_REPLY_RULES, *MAIL_FILTER_RULES, plan=plan_reply, examples=_REPLY_EXAMPLES
)


_FORWARD_RULES = (
    rule("forward|fwd|pass on|pass along|send on", forwarding=True),
    rule("(forward|fwd|pass on|send) {to:address}", forwarding=True),
    rule("(forward|fwd) me", forwarding=True, to=SELF),
    rule("(draft|prepare) [a|the] forward of", forwarding=True, draft=True),
    rule("[on] to {to:address}|[on] to {to_name:name}"),
    rule("[on] to (<self>)", to=SELF),
    rule("as a draft|[but] (do not|don't) send it [yet]", draft=True),
    rule("(<say>) [that] [,] {note:rest}|(<say>) : {note:rest}"),
    rule("(with|and) [the|a] (note|comment|words) [that] [:] {note:rest}"),
    rule(": {note:rest}"),
)
_FORWARD_EXAMPLES = (
    "Forward the latest email from Sarah to john@example.com",
    "Forward Sarah's latest email to john@example.com saying please have a look",
)


def plan_forward(slots: Slots) -> Plan | None:
    """Forward the newest matching email, after looking up a recipient's name."""
    to, name = str(slots.get("to", "")), str(slots.get("to_name", ""))
    mail = _newest_email(slots)
    if not slots.get("forwarding") or bool(to) == bool(name) or not mail:
        return None
    plan = PlanBuilder(f"Forward {mail.in_words()} to {name or to}")
    if name:
        to = plan.find_address(name)
    found = mail.add_step(plan)
    is_draft = bool(slots.get("draft"))
    sent = plan.step(
        "forward_email",
        id=f"{found}.emails[0].id",
        to=to,
        note=slots.get("note"),
        send=None if is_draft else True,
    )
    if is_draft:
        return plan.reply(f"A draft that forwards {mail.in_words()} is ready.", sent)
    return plan.reply(f"Forwarded {mail.in_words()}.", sent)


FORWARD_INTENT = Intent.of(
    *_FORWARD_RULES,
    *MAIL_FILTER_RULES,
    plan=plan_forward,
    examples=_FORWARD_EXAMPLES,
)


_CONTACT_RULES = (
    rule(
        "[<ask>] {name:name} (<s>) [email|e-mail|mail|contact] (address|details|contact|contacts)"
    ),
    rule("(what is|what 's) {name:name} (<s>) (email|e-mail)"),
    rule("[<ask>] [the|an] [email|e-mail|mail] address (of|for) {name:name}"),
    rule("[<ask>] [the] contact [details] [of|for|named|called] {name:name}"),
    rule("how (can|do|could) i (reach|contact|email|write to) {name:name}"),
    rule("[do] you (have|know) {name:name} (<s>) [email|e-mail] address"),
)
_CONTACT_EXAMPLES = ("What's Sarah's email address?", "Find contact John")


def plan_contact(slots: Slots) -> Plan | None:
    """Look up the address of a person."""
    if "name" not in slots:
        return None
    name = str(slots["name"])
    plan = PlanBuilder(f"Find the address of {name}")
    found = plan.step("find_contact", name=name)
    plan.unless_empty(f"{found}.contacts")
    return plan.reply(f"Here is what I know of {name} ({found}.count found).", found)


CONTACT_INTENT = Intent.of(*_CONTACT_RULES, plan=plan_contact, examples=_CONTACT_EXAMPLES)
