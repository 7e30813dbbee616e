"""The read-mail intent: read, search, summarise and report on email."""

from typing import NamedTuple

from assistant.planners.phrases.intent import Intent, PlanBuilder, Slots, from_slots
from assistant.planners.phrases.mail_filter import LIMIT_NOTE, MailFilter
from assistant.planners.phrases.value_slots import Topic, capitalized
from assistant.runs.plan import Plan


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
        title = task.called.text if task.called else "Email Summary Report"
        report = plan.step("create_document", title=title, content=content, format=task.format)
        artifacts = [f"{report}.file_path"]
        message = f"Created a report on {mail.in_words()}{_count_phrase(mail, found, 'read')}"
    if task.sending:
        _, _, words = mail.in_words().partition(" ")
        sent = plan.step(
            "sendEmail",
            to=plan.recipient(task.to, task.to_name),
            subject=f"Summary of the {words}" if task.needs_summary else capitalized(words),
            body=content,
        )
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
    limit = LIMIT_NOTE if mail.exceeds_limit else ""
    return "" if mail.is_one else f" ({found}.count {verb}{limit})"


READ_MAIL_INTENT = Intent.of("read_mail", "mail_filter", plan=plan_read_mail)
