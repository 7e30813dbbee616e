"""The organize-mail intent: archive, mark, label and delete email."""

from types import MappingProxyType
from typing import NamedTuple

from assistant.planners.phrases.intent import Intent, PlanBuilder, Slots, from_slots
from assistant.planners.phrases.mail_filter import LIMIT_NOTE, MailFilter
from assistant.runs.plan import Plan

# States of an email, which cannot be labels.
_RESERVED_LABELS = frozenset({"read", "unread", "new", "starred", "important", "spam"})


class _Operation(NamedTuple):
    """A tool with its parameters besides the ids, and the words of the reply around the mail."""

    tool: str
    before: str
    after: str = ""
    changes: Slots = MappingProxyType({})

    def message(self, mail: MailFilter) -> str:
        """Return the message that reports the change."""
        return " ".join(filter(None, (self.before, mail.in_words(), self.after)))


def plan_organize_mail(slots: Slots) -> Plan | None:
    """Find all emails that match, and change them."""
    operation, mail = _operation(slots), from_slots(MailFilter, slots)
    if operation is None or not mail.is_consistent or not _is_specific_mail(mail, operation):
        return None
    if operation.tool == "archive_emails" and not mail.folder:
        mail = mail._replace(folder="inbox")
    if not mail.is_one and mail.limit is None:
        only_unread = mail.unread or operation.changes.get("read") is True
        mail = mail._replace(everything=True, unread=only_unread)
    plan = PlanBuilder(operation.message(mail))
    found = mail.add_step(plan)
    changed = plan.step(operation.tool, ids=f"{found}.emails[*].id", **operation.changes)
    at_once = LIMIT_NOTE if mail.everything or mail.exceeds_limit else ""
    count = "" if mail.is_one else f" ({changed}.changed changed{at_once})"
    return plan.reply(f"{operation.message(mail)}{count}.", changed)


def _operation(slots: Slots) -> _Operation | None:
    """Return the operation; None if words for several operations are mixed."""
    kind, name = slots.get("operation"), str(slots.get("name", ""))
    is_mixed = len({"marking", "labelling", "moving"} & set(slots)) > 1
    if is_mixed or name.casefold() in _RESERVED_LABELS:
        return None
    operations = {
        "archive": _Operation("archive_emails", "Archived"),
        "delete": _Operation("delete_emails", "Moved", "to the trash"),
        "read": _Operation("mark_emails", "Marked", "as read", {"read": True}),
        "unread": _Operation("mark_emails", "Marked", "as unread", {"read": False}),
        "star": _Operation("mark_emails", "Starred", changes={"starred": True}),
        "unstar": _Operation("mark_emails", "Removed the star from", changes={"starred": False}),
        "label": _Operation(
            "mark_emails", f"Added the label {name} to", "", {"add_labels": [name]}
        ),
        "unlabel": _Operation(
            "mark_emails", f"Removed the label {name} from", "", {"remove_labels": [name]}
        ),
    }
    return operations.get(str(kind))


def _is_specific_mail(mail: MailFilter, operation: _Operation) -> bool:
    """Whether the filter selects emails; only marking may apply to all of them."""
    if mail.newest and not mail.is_one and mail.limit is None:
        return False
    if mail._replace(mails=False, plural=None, limit=None, everything=False) == MailFilter():
        return mail.everything and operation.tool == "mark_emails"
    return mail.plural is not False or mail.newest


ORGANIZE_MAIL_INTENT = Intent.of("organize_mail", "mail_filter", plan=plan_organize_mail)
