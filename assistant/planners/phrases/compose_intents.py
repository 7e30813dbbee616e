"""Compose intents: write, answer and forward email, and look up addresses."""

from dataclasses import replace

from assistant.planners.phrases import mail_filter_rules
from assistant.planners.phrases.intent import Intent, Slots, from_slots
from assistant.planners.phrases.mail_filter import MailFilter
from assistant.planners.phrases.mail_rules import SELF
from assistant.planners.phrases.phrase_grammar import rule
from assistant.planners.phrases.plan_builder import PlanBuilder
from assistant.planners.phrases.value_slots import Topic
from assistant.runs.plan import Plan

_MAX_SUBJECT = 60

_COMPOSE_RULES = (
    rule(
        "(send|shoot|drop|fire off) [off] [a|an|another] [<short>|new] (<letter>) to (<self>)",
        to=SELF,
    ),
    rule(
        "(send|shoot|drop|fire off) [off] [a|an|another] [<short>|new] (<letter>) to {to:address}"
    ),
    rule("(send|shoot|drop|fire off) [off] [a|an|another] [<short>|new] (<letter>) to {name:name}"),
    rule("(send|drop) (me|myself) [a|an] [<short>] (<letter>)", to=SELF),
    rule("(send|drop) {to:address} [a|an] [<short>] (<letter>)"),
    rule("(send|drop) {name:name} [a|an] [<short>] (<letter>)"),
    rule("(email|e-mail|mail|message|write to|write) {to:address}"),
    rule("(email|e-mail|mail|message|write to) {name:name}"),
    rule("(email|e-mail|mail|message|write) {to:address} that {body:rest}"),
    rule("(email|e-mail|mail|message) {name:name} that {body:rest}"),
    rule("(tell|let) {to:address} [know] [that] {body:rest}"),
    rule(
        "(compose|draft|write|prepare|start) [a|an] [<short>|new] (<letter>) (to|for) (<self>)",
        to=SELF,
        draft=True,
    ),
    rule(
        "(compose|draft|write|prepare|start) [a|an] [<short>|new] (<letter>) (to|for) {to:address}",
        draft=True,
    ),
    rule(
        "(compose|draft|write|prepare|start) [a|an] [<short>|new] (<letter>) (to|for) {name:name}",
        draft=True,
    ),
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


def plan_compose(facets: Slots) -> Plan | None:
    """Send it, or keep it as a draft; a recipient given by name is looked up first."""
    to, name, body = (str(facets.get(key, "")) for key in ("to", "name", "body"))
    if not body or bool(to) == bool(name):
        return None
    topic = facets.get("subject")
    subject = _subject_text(topic) if isinstance(topic, Topic) else _subject_from_body(body)
    draft = PlanBuilder(f"Write to {name or to}")
    if name:
        contacts = draft.step("find_contact", name=name)
        draft.unless_empty(f"{contacts}.contacts")
        to = f"{contacts}.contacts[0].address"
    return _compose_plan(draft, facets, to, subject, body)


def _compose_plan(draft: PlanBuilder, facets: Slots, to: str, subject: str, body: str) -> Plan:
    copied = [str(facets["cc"])] if "cc" in facets else None
    if facets.get("draft"):
        kept = draft.step("compose_email", to=[to], subject=subject, body=body, cc=copied)
        return draft.reply(f"The draft “{subject}” is ready; nothing was sent.", kept)
    if copied:
        sent = draft.step(
            "compose_email", to=[to], subject=subject, body=body, cc=copied, send=True
        )
    else:
        sent = draft.step("sendEmail", to=to, subject=subject, body=body)
    return draft.reply(sent)


def _subject_text(topic: Topic) -> str:
    return topic.text if topic.exact else topic.text[0].upper() + topic.text[1:]


def _subject_from_body(body: str) -> str:
    """The first sentence, where the user gave no subject."""
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


def plan_reply(facets: Slots) -> Plan | None:
    """Find the newest email that fits, and answer it."""
    body, is_draft = str(facets.get("body", "")), bool(facets.get("draft"))
    mail = replace(from_slots(MailFilter, facets), newest=True, plural=False)
    is_whole = body and (is_draft or facets.get("answering"))
    if not is_whole or not _is_specific_email(mail, facets):
        return None
    draft = PlanBuilder(f"Answer {mail.in_words()}")
    action, parameters = mail.reading()
    found = draft.step(action, **parameters)
    draft.unless_empty(f"{found}.emails")
    sent = draft.step(
        "reply_to_email",
        id=f"{found}.emails[0].id",
        reply_body=body,
        reply_all=True if facets.get("to_all") else None,
        send=None if is_draft else True,
    )
    done = "A draft that answers" if is_draft else "Answered"
    return draft.reply(f"{done} {mail.in_words()}{' is ready' if is_draft else ''}.", sent)


def _is_specific_email(mail: MailFilter, facets: Slots) -> bool:
    """Whether a particular email is meant, and not any."""
    says_which = any(name in facets for name in ("sender", "topic", "subject", "newest"))
    return says_which and not facets.get("plural") and mail.makes_sense and mail.is_one


REPLY_INTENT = Intent.of(
    *_REPLY_RULES, *mail_filter_rules.MAIL_FILTER_RULES, plan=plan_reply, examples=_REPLY_EXAMPLES
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


def plan_forward(facets: Slots) -> Plan | None:
    """Find the newest email that fits, and pass it on; a name is looked up first."""
    to, name = str(facets.get("to", "")), str(facets.get("to_name", ""))
    mail = replace(from_slots(MailFilter, facets), newest=True, plural=False)
    if not facets.get("forwarding") or bool(to) == bool(name):
        return None
    if not _is_specific_email(mail, facets):
        return None
    draft = PlanBuilder(f"Forward {mail.in_words()} to {name or to}")
    if name:
        contacts = draft.step("find_contact", name=name)
        draft.unless_empty(f"{contacts}.contacts")
        to = f"{contacts}.contacts[0].address"
    action, parameters = mail.reading()
    found = draft.step(action, **parameters)
    draft.unless_empty(f"{found}.emails")
    is_draft = bool(facets.get("draft"))
    sent = draft.step(
        "forward_email",
        id=f"{found}.emails[0].id",
        to=to,
        note=facets.get("note"),
        send=None if is_draft else True,
    )
    done = f"A draft that passes on {mail.in_words()} is ready"
    return draft.reply(f"{done if is_draft else f'Forwarded {mail.in_words()}'}.", sent)


FORWARD_INTENT = Intent.of(
    *_FORWARD_RULES,
    *mail_filter_rules.MAIL_FILTER_RULES,
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


def plan_contact(facets: Slots) -> Plan | None:
    """Look somebody up."""
    if "name" not in facets:
        return None
    name = str(facets["name"])
    draft = PlanBuilder(f"Find the address of {name}")
    found = draft.step("find_contact", name=name)
    draft.unless_empty(f"{found}.contacts")
    return draft.reply(f"Here is what I know of {name} ({found}.count found).", found)


CONTACT_INTENT = Intent.of(*_CONTACT_RULES, plan=plan_contact, examples=_CONTACT_EXAMPLES)
