"""The read-mail intent: read, search, summarise and report on email."""

from dataclasses import dataclass, replace

from assistant.planners.phrases import mail_rules
from assistant.planners.phrases.intent import Intent, Slots, from_slots
from assistant.planners.phrases.mail_filter import MAX_EMAILS, MailFilter
from assistant.planners.phrases.plan_builder import PlanBuilder
from assistant.planners.phrases.value_slots import Topic
from assistant.runs.plan import Plan


@dataclass(frozen=True)
class MailTask:
    """What is to be done with the mail."""

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
    def sums_up(self) -> bool:
        """Whether a summary is made; a report is one, too."""
        return self.summary or self.document

    @property
    def title(self) -> str:
        """What the report is called."""
        return self.called.text if self.called else "Email Summary Report"


def plan_read_mail(facets: Slots) -> Plan | None:
    """Read the mail that is meant, then do with it what was asked."""
    goals, mail = from_slots(MailTask, facets), from_slots(MailFilter, facets)
    if goals.called and not goals.document:
        mail = replace(mail, subject=goals.called)
    if facets.get("putting") and not goals.document:
        return None  # "put it in the archive" makes no document
    if not mail.makes_sense or not _is_about_mail(mail, goals):
        return None
    if goals.sending and not _is_sendable(mail, goals):
        return None
    return _mail_plan(mail, goals)


def _is_about_mail(mail: MailFilter, goals: MailTask) -> bool:
    if (goals.to or goals.to_name) and not goals.sending:
        return False
    if mail.mails:
        wish_to_write = MailFilter(mails=True, plural=False, unread=goals.new)  # "new email"
        return goals != MailTask(new=goals.new) or mail != wish_to_write
    says_what = bool(mail.sender or mail.unread or mail.attached or mail.newest or mail.folder)
    is_asked = goals != MailTask() or (mail.newest and mail.sender)
    return bool(says_what and is_asked) or (goals.summary and mail.has_time)


def _is_sendable(mail: MailFilter, goals: MailTask) -> bool:
    """Whether it is clear what goes to whom."""
    is_clear = bool(mail.plural) and mail != MailFilter(mails=True, plural=True)
    return bool(goals.to) != bool(goals.to_name) and (goals.sums_up or mail.is_one or is_clear)


def _mail_plan(mail: MailFilter, goals: MailTask) -> Plan:
    draft = PlanBuilder(f"{'Summarise' if goals.sums_up else 'Read'} {mail.in_words()}")
    action, parameters = mail.reading()
    found = draft.step(action, **parameters)
    draft.unless_empty(f"{found}.emails")
    content, message = _shown_content(draft, mail, goals, found)
    artifacts = []
    if goals.document:
        report = draft.step(
            "create_document", title=goals.title, content=content, format=goals.format
        )
        artifacts = [f"{report}.file_path"]
        message = f"Created a report on {mail.in_words()}{_count_phrase(mail, found, 'read')}"
    if goals.sending:
        sent = _send_step(draft, mail, goals, content)
        message, content = f"{message}, also sent by email", f"{sent}\n\n{content}"
    return draft.reply(f"{message}.", content, artifacts)


def _shown_content(
    draft: PlanBuilder, mail: MailFilter, goals: MailTask, found: str
) -> tuple[str, str]:
    """What there is to show, and the message that says so."""
    words = mail.in_words()
    if goals.sums_up:
        summary = draft.step("summarize_emails", emails_data=found, focus=goals.focus)
        message = f"Here is a summary of {words}{_count_phrase(mail, found, 'read')}"
        return f"{summary}.summary", message
    if mail.is_one:
        return draft.step("read_email", id=f"{found}.emails[0].id"), f"Here is {words}"
    return found, f"Here is {words}{_count_phrase(mail, found, 'found')}"


def _count_phrase(mail: MailFilter, found: str, verb: str) -> str:
    limit = f"; {MAX_EMAILS} is the most I read at once" if mail.is_cut_short else ""
    return "" if mail.is_one else f" ({found}.count {verb}{limit})"


def _send_step(draft: PlanBuilder, mail: MailFilter, goals: MailTask, body: str) -> str:
    to = goals.to
    if goals.to_name:
        contacts = draft.step("find_contact", name=goals.to_name)
        draft.unless_empty(f"{contacts}.contacts")
        to = f"{contacts}.contacts[0].address"
    _, _, which = mail.in_words().partition(" ")
    subject = f"Summary of the {which}" if goals.sums_up else which[0].upper() + which[1:]
    return draft.step("sendEmail", to=to, subject=subject, body=body)


READ_MAIL_INTENT = Intent.of(
    *mail_rules.MAIL_RULES, plan=plan_read_mail, examples=mail_rules.MAIL_EXAMPLES
)
