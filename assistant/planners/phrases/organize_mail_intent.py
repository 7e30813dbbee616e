"""The organize-mail intent: archive, mark, label and delete email."""

from dataclasses import dataclass, field, replace

from assistant.planners.phrases import mail_filter_rules
from assistant.planners.phrases.intent import Intent, Slots, from_slots
from assistant.planners.phrases.mail_filter import MAX_EMAILS, MailFilter
from assistant.planners.phrases.phrase_grammar import rule
from assistant.planners.phrases.plan_builder import PlanBuilder
from assistant.runs.plan import Plan

_RULES = (
    rule("(archive|file away) [<them>]", work="archive"),
    rule("(move|put) [<them>]", moving=True),
    rule("(to|into|in) [the|my] archive [folder]", work="archive", moving=True),
    rule("(to|into|in) [the|my] (trash|bin) [folder]", work="delete", moving=True),
    rule("(delete|trash|bin|remove|discard|erase) [<them>]", work="delete"),
    rule("(get rid of|throw away|throw out) [<them>]", work="delete"),
    rule("mark [<them>]", marking=True),
    rule("as read", work="read", marking=True),
    rule("as unread|as not read|as new", work="unread", marking=True),
    rule("as (starred|flagged)|with a star", work="star", marking=True),
    rule("(star|flag) [<them>]|(put|add) a star (on|to)|give a star to", work="star"),
    rule("(unstar|unflag) [<them>]|(remove|take) the star (from|off)", work="unstar"),
    rule("(label|tag) [<them>]", labelling=True),
    rule("(as|with) {name:name}", work="label", labelling=True),
    rule("(put|add|apply) [the|a] label {name:name} (on|to)", work="label", labelling=True),
    rule(
        "(remove|take) [the] label {name:name} (from|off)|unlabel {name:name}",
        work="unlabel",
        labelling=True,
    ),
)
_EXAMPLES = (
    "Archive the emails from LinkedIn",
    "Mark today's emails from Sarah as read",
    "Star the latest email from Sarah",
    "Label the emails about Lisbon as Travel",
    "Delete the emails from news@shop.example",
)

_RESERVED_LABELS = frozenset(
    {"read", "unread", "new", "starred", "important", "spam"}
)  # and no labels


@dataclass(frozen=True)
class _Operation:
    """What a tool is called with beside the ids, and what a reply says around the mail."""

    tool: str
    before: str
    after: str = ""
    changes: Slots = field(default_factory=dict)

    def told(self, mail: MailFilter) -> str:
        """That it was done."""
        return " ".join(filter(None, (self.before, mail.in_words(), self.after)))


def plan_organize_mail(facets: Slots) -> Plan | None:
    """Find the mail that is meant, all of it, and do with it what was asked."""
    work, mail = _operation(facets), from_slots(MailFilter, facets)
    if work is None or not mail.makes_sense or not _is_specific_mail(mail, work):
        return None
    if work.tool == "archive_emails" and not mail.folder:
        mail = replace(mail, folder="inbox")
    if not mail.is_one and mail.count is None:
        only_unread = mail.unread or work.changes.get("read") is True
        mail = replace(mail, everything=True, unread=only_unread)
    draft = PlanBuilder(work.told(mail))
    action, parameters = mail.reading()
    found = draft.step(action, **parameters)
    draft.unless_empty(f"{found}.emails")
    changed = draft.step(work.tool, ids=f"{found}.emails[*].id", **work.changes)
    at_once = (
        f"; {MAX_EMAILS} is the most I read at once" if mail.everything or mail.is_cut_short else ""
    )
    count = "" if mail.is_one else f" ({changed}.changed changed{at_once})"
    return draft.reply(f"{work.told(mail)}{count}.", changed)


def _operation(facets: Slots) -> _Operation | None:
    """What is asked; None where the words for several things are mixed."""
    work, name = facets.get("work"), str(facets.get("name", ""))
    if (
        len({"marking", "labelling", "moving"} & set(facets)) > 1
        or name.casefold() in _RESERVED_LABELS
    ):
        return None
    works = {
        "archive": _Operation("archive_emails", "Archived"),
        "delete": _Operation("delete_emails", "Moved", "to the trash"),
        "read": _Operation("mark_emails", "Marked", "as read", {"read": True}),
        "unread": _Operation("mark_emails", "Marked", "as unread", {"read": False}),
        "star": _Operation("mark_emails", "Starred", changes={"starred": True}),
        "unstar": _Operation("mark_emails", "Took the star off", changes={"starred": False}),
        "label": _Operation("mark_emails", f"Put the label {name} on", "", {"add_labels": [name]}),
        "unlabel": _Operation(
            "mark_emails", f"Took the label {name} off", "", {"remove_labels": [name]}
        ),
    }
    return works.get(str(work))


def _is_specific_mail(mail: MailFilter, work: _Operation) -> bool:
    """Whether particular emails are meant; only marking may be for all that there are."""
    if mail.newest and not mail.is_one and mail.count is None:
        return False
    if replace(mail, mails=False, plural=None, count=None, everything=False) == MailFilter():
        return mail.everything and work.tool == "mark_emails"
    return mail.plural is not False or mail.newest


ORGANIZE_MAIL_INTENT = Intent.of(
    *_RULES, *mail_filter_rules.MAIL_FILTER_RULES, plan=plan_organize_mail, examples=_EXAMPLES
)
