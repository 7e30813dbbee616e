"""A forward: an email that the user points at, passed on to somebody."""

from dataclasses import replace

from assistant.plan import Plan
from assistant.planners.phrases import filters
from assistant.planners.phrases.answer import points_at_one
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.mail_filter import MailFilter
from assistant.planners.phrases.mail_rules import SELF
from assistant.planners.phrases.subject import Facets, Subject, filled

RULES = (
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
EXAMPLES = (
    "Forward the latest email from Sarah to john@example.com",
    "Forward Sarah's latest email to john@example.com saying please have a look",
)


def plan_forward(facets: Facets) -> Plan | None:
    """Find the newest email that fits, and pass it on; a name is looked up first."""
    to, name = str(facets.get("to", "")), str(facets.get("to_name", ""))
    mail = replace(filled(MailFilter, facets), newest=True, plural=False)
    if not facets.get("forwarding") or bool(to) == bool(name):
        return None
    if not points_at_one(mail, facets):
        return None
    draft = Draft(f"Forward {mail.in_words()} to {name or to}")
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


FORWARD = Subject.of(*RULES, *filters.RULES, plan=plan_forward, examples=EXAMPLES)
