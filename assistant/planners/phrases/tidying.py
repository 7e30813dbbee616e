"""Tidying: mail that is archived, marked, labelled or moved to the trash."""

from dataclasses import dataclass, field, replace

from assistant.plan import Plan
from assistant.planners.phrases import filters
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.mail_filter import MOST, MailFilter
from assistant.planners.phrases.subject import Facets, Subject, filled

RULES = (
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
EXAMPLES = (
    "Archive the emails from LinkedIn",
    "Mark today's emails from Sarah as read",
    "Star the latest email from Sarah",
    "Label the emails about Lisbon as Travel",
    "Delete the emails from news@shop.example",
)

_STATES = frozenset({"read", "unread", "new", "starred", "important", "spam"})  # and no labels


@dataclass(frozen=True)
class _Work:
    """What a tool is called with beside the ids, and what a reply says around the mail."""

    tool: str
    before: str
    after: str = ""
    changes: Facets = field(default_factory=dict)

    def told(self, mail: MailFilter) -> str:
        """That it was done."""
        return " ".join(filter(None, (self.before, mail.in_words(), self.after)))


def plan_tidying(facets: Facets) -> Plan | None:
    """Find the mail that is meant, all of it, and do with it what was asked."""
    work, mail = _work(facets), filled(MailFilter, facets)
    if work is None or not mail.makes_sense or not _says_which(mail, work):
        return None
    if work.tool == "archive_emails" and not mail.folder:
        mail = replace(mail, folder="inbox")
    if not mail.is_one and mail.count is None:
        only_unread = mail.unread or work.changes.get("read") is True
        mail = replace(mail, everything=True, unread=only_unread)
    draft = Draft(work.told(mail))
    action, parameters = mail.reading()
    found = draft.step(action, **parameters)
    draft.unless_empty(f"{found}.emails")
    changed = draft.step(work.tool, ids=f"{found}.emails[*].id", **work.changes)
    at_once = f"; {MOST} is the most I read at once" if mail.everything or mail.is_cut_short else ""
    count = "" if mail.is_one else f" ({changed}.changed changed{at_once})"
    return draft.reply(f"{work.told(mail)}{count}.", changed)


def _work(facets: Facets) -> _Work | None:
    """What is asked; None where the words for several things are mixed."""
    work, name = facets.get("work"), str(facets.get("name", ""))
    if len({"marking", "labelling", "moving"} & set(facets)) > 1 or name.casefold() in _STATES:
        return None
    works = {
        "archive": _Work("archive_emails", "Archived"),
        "delete": _Work("delete_emails", "Moved", "to the trash"),
        "read": _Work("mark_emails", "Marked", "as read", {"read": True}),
        "unread": _Work("mark_emails", "Marked", "as unread", {"read": False}),
        "star": _Work("mark_emails", "Starred", changes={"starred": True}),
        "unstar": _Work("mark_emails", "Took the star off", changes={"starred": False}),
        "label": _Work("mark_emails", f"Put the label {name} on", "", {"add_labels": [name]}),
        "unlabel": _Work(
            "mark_emails", f"Took the label {name} off", "", {"remove_labels": [name]}
        ),
    }
    return works.get(str(work))


def _says_which(mail: MailFilter, work: _Work) -> bool:
    """Whether particular emails are meant; only marking may be for all that there are."""
    if mail.newest and not mail.is_one and mail.count is None:
        return False
    if replace(mail, mails=False, plural=None, count=None, everything=False) == MailFilter():
        return mail.everything and work.tool == "mark_emails"
    return mail.plural is not False or mail.newest


TIDYING = Subject.of(*RULES, *filters.RULES, plan=plan_tidying, examples=EXAMPLES)
