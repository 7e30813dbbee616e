"""The read-mail intent: read, search, summarise and report on email."""

from typing import NamedTuple

from assistant.planners.phrases.intent import SELF, Intent, PlanBuilder, Slots, from_slots
from assistant.planners.phrases.mail_filter import MAX_EMAILS, MailFilter
from assistant.planners.phrases.mail_filter_rules import MAIL_FILTER_RULES
from assistant.planners.phrases.phrase_grammar import rule, rules
from assistant.planners.phrases.value_slots import Topic, capitalized
from assistant.runs.plan import Plan

_SHOW = (
    *rules(
        "(read|show|list|get|check|see|view|display|fetch|give|take) [me|us] [out|through]",
        "(pull up|bring up|look at|look through|go through|scan|tell me) [about]",
        "(reading|showing|listing|getting|checking|fetching|giving) [me|us]",
        "(open|open up)|(check|look) for|[a|the] list of",
        "what (is|'s|are|was|were) [there] [new]|what do i have|what have i got",
        "(do|did|have|has) i (have|get|got|receive|received) [any|some]",
        "(is|are) there [any]|any|which|what",
        "(did i get|have i got|i got|did i receive|have i received|do i have)",
        asked=True,
    ),
    *rules(
        "what (came in|arrived|did i get|did i receive|have i received)",
        "(did|has) (anyone|anybody) (write|written|email|emailed) [to] [me|us]",
        "(has|have) (anything|something) (come in|arrived)",
        "what 's new|what is new|anything new|(is|are) there [anything|any] new",
        "(have|did) i (have|get|got|receive|received) (anything|something)",
        "anything|something",
        "(did|has) {sender:who} (write|written|email|emailed|reply|replied|answer) [to] [me|us]",
        "(did|has) {sender:who} (send|sent) (me|us) [anything|something]",
        "what (did|has) {sender:who} (say|said|write|written|send|sent|want) [me|to me]",
        asked=True,
        mails=True,
    ),
)
_SEARCH = (
    rule(
        "(search|look|find|hunt|look up|search for|look for|hunt for) [me] [in|through]", asked=True
    ),
    *rules(
        "(search|look|look through) [in|through|within] [<det>] (<mails>) for {topic:topic}",
        "(search for|look for|find) {topic:topic} (in|within) [<det>] (<mails>)",
        asked=True,
        mails=True,
    ),
)
_SUMMARISE = (
    *rules(
        "(summarise|summarize|sum up|recap|digest|condense) [<them>]",
        "(summarising|summarizing) [<them>]|sum (<them>) up",
        "(brief|update|fill in) me [on|about]|(catch|fill) me (up|in) [on|with]",
        "bring me up to (speed|date) [on|with]|get me up to speed [on|with]",
        "[<make>|show me|prepare me] [me] [a|the|an] [<short>] (<summary>) [<of>] [<them>]",
        "(with|in|into|as) [a] [<short>] (<summary>) [<of>]",
        "what happened [in]|about ?",
        summary=True,
    ),
    *rules(
        "what (did i miss|have i missed|did we miss) [in]",
        "what (is|are|was|were) [<det>] (<mails>) about",
        summary=True,
        mails=True,
    ),
)
_FOCUS = rules(
    "(focus|focusing|focussing|focused|concentrate|concentrating) [only] on {focus:text}",
    "with [a|the] [special|particular] (focus|emphasis) on {focus:text}",
    "(highlight|highlighting|emphasise|emphasize|emphasising|stressing) [the|any] {focus:text}",
    "(just|only|especially|particularly|mainly) [the|any|my] {focus:focus} [in|from|of]",
    "[what are] [the|any|my|all the] {focus:focus} (in|from|of)",
    (
        "(extract|pull out|pick out|list|find|get|show|give) [me] [the|any|my|all|all the]"
        " {focus:focus} [out] [in|from|of]"
    ),
    summary=True,
)
_DOCUMENT = (
    *rules(
        "[<make>] [me] [<a>|it] [<short>|summary|email] (<report>|file) [<of>|with] [<them>]",
        "[<make>] [me] [<a>] {format:format} [<report>|file|version] [<of>|with|out of] [<them>]",
        "[as|in|into|to] [a|an] {format:format} [<report>|file|format|form]",
        (
            "(as|in|into|to) (a|one) [<short>|summary|nice|email] (<report>|file)"
            " [in|as] [a|an] {format:format} [format]"
        ),
        "(as|in|into|to) [a|an|one] [<short>|summary|nice|email] (<report>|file)",
        "(save|export|convert|turn|write|store|document) [<them>] [up|down|out]",
        "report on",
        document=True,
    ),
    rule("put [<them>] [down|together]", putting=True),
)
_SEND = (
    rule("(email|e-mail|send|mail) [<them>] [over|on|off]", sending=True),
    rule("(email|e-mail|mail|send) me [<them>|a copy|a copy of it]", sending=True, to=SELF),
    rule("(email|e-mail|mail|send) {to:address} [<them>|a copy|a copy of it]", sending=True),
    rule("(email|e-mail|mail|send) {to_name:name} [<them>]", sending=True),
    rule("send (me|myself) an (<email>) with", sending=True, to=SELF),
    rule("send an (<email>) to {to:address} with", sending=True),
    rule("to (<self>)", to=SELF),
    rule("to {to:address}|to {to_name:name}"),
    rule("(by|via|per) (email|e-mail|mail)"),
)
_EXAMPLES = (
    "Read my latest 5 emails",
    "Summarize emails from the past hour",
    "Show unread emails from Sarah",
    "Show me today's emails",
    "Search my emails for invoices",
    "Read the latest email from Sarah",
    "Summarize today's emails and focus on action items",
    "Read the latest 10 emails, summarize them, and create a report",
    "Summarize this week's emails as a PDF",
    "Summarize today's emails and email it to me",
)

_RULES = (*_SHOW, *_SEARCH, *_SUMMARISE, *_FOCUS, *_DOCUMENT, *_SEND, *MAIL_FILTER_RULES)


class MailTask(NamedTuple):
    """Operations on the emails: show, summarise, write up, send on."""

    asked: bool = False
    new: bool = False
    summary: bool = False
    focus: str | None = None
    document: bool = False
    format: str | None = None
    sending: bool = False
    to: str = ""
    to_name: str = ""
    called: Topic | None = None

    @property
    def needs_summary(self) -> bool:
        """Whether to summarise, for itself or for a report."""
        return self.summary or self.document

    @property
    def title(self) -> str:
        """Title of the report."""
        return self.called.text if self.called else "Email Summary Report"


def plan_read_mail(slots: Slots) -> Plan | None:
    """Read the chosen emails, then summarise, write up or send them."""
    task, mail = from_slots(MailTask, slots), from_slots(MailFilter, slots)
    if task.called and not task.document:
        mail = mail._replace(subject=task.called)
    if slots.get("putting") and not task.document:
        return None  # "put it in the archive" makes no document
    if not mail.is_consistent or not _is_about_mail(mail, task):
        return None
    if task.sending and not _is_sendable(mail, task):
        return None
    return _mail_plan(mail, task)


def _is_about_mail(mail: MailFilter, task: MailTask) -> bool:
    if (task.to or task.to_name) and not task.sending:
        return False
    if mail.mails:
        new_email = MailFilter(mails=True, plural=False, unread=task.new)  # a request to write
        return task != MailTask(new=task.new) or mail != new_email
    has_criteria = bool(mail.sender or mail.unread or mail.attached or mail.newest or mail.folder)
    is_asked = task != MailTask() or (mail.newest and mail.sender)
    return bool(has_criteria and is_asked) or (task.summary and mail.has_time)


def _is_sendable(mail: MailFilter, task: MailTask) -> bool:
    """Whether recipient and content are both clear."""
    is_clear = bool(mail.plural) and mail != MailFilter(mails=True, plural=True)
    return bool(task.to) != bool(task.to_name) and (task.needs_summary or mail.is_one or is_clear)


def _mail_plan(mail: MailFilter, task: MailTask) -> Plan:
    plan = PlanBuilder(f"{'Summarise' if task.needs_summary else 'Read'} {mail.in_words()}")
    found = mail.add_step(plan)
    content, message = _shown_content(plan, mail, task, found)
    artifacts = []
    if task.document:
        report = plan.step("create_document", title=task.title, content=content, format=task.format)
        artifacts = [f"{report}.file_path"]
        message = f"Created a report on {mail.in_words()}{_count_phrase(mail, found, 'read')}"
    if task.sending:
        sent = _send_step(plan, mail, task, content)
        message, content = f"{message}, also sent by email", f"{sent}\n\n{content}"
    return plan.reply(f"{message}.", content, artifacts)


def _shown_content(
    plan: PlanBuilder, mail: MailFilter, task: MailTask, found: str
) -> tuple[str, str]:
    """Return the content of the reply, and its message."""
    words = mail.in_words()
    if task.needs_summary:
        summary = plan.step("summarize_emails", emails_data=found, focus=task.focus)
        message = f"Here is a summary of {words}{_count_phrase(mail, found, 'read')}"
        return f"{summary}.summary", message
    if mail.is_one:
        return plan.step("read_email", id=f"{found}.emails[0].id"), f"Here is {words}"
    return found, f"Here is {words}{_count_phrase(mail, found, 'found')}"


def _count_phrase(mail: MailFilter, found: str, verb: str) -> str:
    limit = f"; {MAX_EMAILS} is the most I read at once" if mail.exceeds_limit else ""
    return "" if mail.is_one else f" ({found}.count {verb}{limit})"


def _send_step(plan: PlanBuilder, mail: MailFilter, task: MailTask, body: str) -> str:
    to = plan.find_address(task.to_name) if task.to_name else task.to
    _, _, words = mail.in_words().partition(" ")
    subject = f"Summary of the {words}" if task.needs_summary else capitalized(words)
    return plan.step("sendEmail", to=to, subject=subject, body=body)


READ_MAIL_INTENT = Intent.of(*_RULES, plan=plan_read_mail, examples=_EXAMPLES)
