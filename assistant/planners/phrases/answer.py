"""An answer: a dictated reply to an email that the user points at."""

from dataclasses import replace

from assistant.plan import Plan
from assistant.planners.phrases import filters
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.mail_filter import MailFilter
from assistant.planners.phrases.subject import Facets, Subject, filled

RULES = (
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
EXAMPLES = ('Reply to Sarah\'s latest email saying "Thank you, that works."',)


def plan_answer(facets: Facets) -> Plan | None:
    """Find the newest email that fits, and answer it."""
    body, is_draft = str(facets.get("body", "")), bool(facets.get("draft"))
    mail = replace(filled(MailFilter, facets), newest=True, plural=False)
    is_whole = body and (is_draft or facets.get("answering"))
    if not is_whole or not points_at_one(mail, facets):
        return None
    draft = Draft(f"Answer {mail.in_words()}")
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


def points_at_one(mail: MailFilter, facets: Facets) -> bool:
    """Whether a particular email is meant, and not any."""
    says_which = any(name in facets for name in ("sender", "topic", "subject", "newest"))
    return says_which and not facets.get("plural") and mail.makes_sense and mail.is_one


ANSWER = Subject.of(*RULES, *filters.RULES, plan=plan_answer, examples=EXAMPLES)
