"""A letter: an email that the user dictates, to send or to keep as a draft."""

from assistant.plan import Plan
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.mail_rules import SELF
from assistant.planners.phrases.subject import Facets, Subject
from assistant.planners.phrases.values import Topic

_LONGEST_SUBJECT = 60

RULES = (
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
EXAMPLES = (
    'Send an email to john@example.com with subject "Lunch" saying "See you at noon."',
    "Email Sarah saying I will be ten minutes late",
    "Draft an email to john@example.com about the budget saying the numbers are ready",
)


def plan_letter(facets: Facets) -> Plan | None:
    """Send it, or keep it as a draft; a recipient given by name is looked up first."""
    to, name, body = (str(facets.get(key, "")) for key in ("to", "name", "body"))
    if not body or bool(to) == bool(name):
        return None
    topic = facets.get("subject")
    subject = _as_typed(topic) if isinstance(topic, Topic) else _subject_of(body)
    draft = Draft(f"Write to {name or to}")
    if name:
        contacts = draft.step("find_contact", name=name)
        draft.unless_empty(f"{contacts}.contacts")
        to = f"{contacts}.contacts[0].address"
    return _written(draft, facets, to, subject, body)


def _written(draft: Draft, facets: Facets, to: str, subject: str, body: str) -> Plan:
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


def _as_typed(topic: Topic) -> str:
    return topic.text if topic.exact else topic.text[0].upper() + topic.text[1:]


def _subject_of(body: str) -> str:
    """The first sentence, where the user gave no subject."""
    first = body.splitlines()[0]
    for end in (". ", "! ", "? "):
        first = first.split(end)[0]
    first = first.rstrip(".!?, ")
    if len(first) <= _LONGEST_SUBJECT:
        return first or "Hello"
    return f"{first[:_LONGEST_SUBJECT].rsplit(' ', 1)[0]}…"


LETTER = Subject.of(*RULES, plan=plan_letter, examples=EXAMPLES)
