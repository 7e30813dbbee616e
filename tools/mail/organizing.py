"""Organizing: the tools that put mail in order; nothing is ever removed for good."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tools.mail.combined import CombinedMailbox
from tools.mail.mailbox import Marking, NotChanged
from tools.mail.message import Email
from tools.mail.places import role_of
from tools.outcome import answer_or_error, together
from tools.plain_words import in_markdown
from tools.recipients import refuse_hidden_characters
from tools.tool import Proposal, Shown, Sink, ToolError, to_wire

LONGEST_LABEL = 100
_OTHER_TOOL = {"trash": "delete_emails", "archive": "archive_emails"}


def _one_by_one(given: object) -> list[object]:
    """The ids in what a reference gave: one, several, lists of them, or the emails themselves."""
    if isinstance(given, list | tuple):
        return [id for each in given for id in _one_by_one(each)]
    return [getattr(given, "id", given)]


_Ids = Annotated[list[str], BeforeValidator(_one_by_one), Field(min_length=1, max_length=100)]
_Labels = Annotated[list[str], Field(max_length=20)]


@dataclass(frozen=True)
class ChangedEmails:
    """How many emails were changed, and those that were not.

    `done` says what was done ("archived"); `subjects` are those of the emails by id.
    """

    changed: int
    failed: tuple[NotChanged, ...]
    done: str
    subjects: tuple[tuple[str, str], ...] = ()

    def wire(self) -> dict[str, Any]:
        """The fields of the public contract."""
        return {"changed": self.changed, "failed": to_wire(self.failed)}

    def markdown(self) -> str:
        """A sentence, and a list of those that stayed as they were."""
        links = dict(self.subjects)
        count = "1 email was" if self.changed == 1 else f"{self.changed} emails were"
        return "\n".join(
            [
                f"{count} {in_markdown(self.done)}.",
                *(["", "Not changed:", ""] if self.failed else []),
                *(
                    f"- {links.get(each.id, each.id)}: {in_markdown(each.reason)}"
                    for each in self.failed
                ),
            ]
        )


class MailOrganizing:
    """The tools that archive, mark and delete, over the mailbox that holds every account."""

    def __init__(self, mailbox: CombinedMailbox) -> None:
        self._mailbox = mailbox

    async def archive_emails(self, ids: _Ids) -> Proposal[ChangedEmails]:
        """Archive emails.

        Takes them out of the inbox; they can still be found. The user confirms it. Gives back
        how many were changed, and failed with id and reason.

        Args:
            ids: The ids of 1 to 100 emails, as a reading tool gave them, such as
                $step1.emails[*].id for all that it found.
        """
        return await self._proposed(
            ids, _Work("Archive {}", "Archive", ("archived",), self._mailbox.archive)
        )

    async def mark_emails(
        self,
        ids: _Ids,
        read: bool | None = None,  # noqa: FBT001 — a state that a planner names
        starred: bool | None = None,  # noqa: FBT001 — a state that a planner names
        add_labels: _Labels | None = None,
        remove_labels: _Labels | None = None,
    ) -> Proposal[ChangedEmails]:
        """Mark emails.

        Marks them as read or unread, with or without a star, and puts labels on them or takes
        labels off. The user confirms it. Gives back how many were changed, and failed with id and
        reason.

        Args:
            ids: The ids of 1 to 100 emails, as a reading tool gave them, such as
                $step1.emails[*].id for all that it found.
            read: True for read, false for unread.
            starred: True to put the star on, false to take it off.
            add_labels: The names of labels to put on; one that is not there yet is made.
            remove_labels: The names of labels to take off.
        """
        marking = Marking(read, starred, _labels(add_labels), _labels(remove_labels))
        changes = tuple(_changes(marking))
        if not changes:
            raise ToolError("Say what is to change: read, starred, add_labels or remove_labels.")

        async def mark(given: Sequence[str]) -> Sequence[NotChanged]:
            return await self._mailbox.mark(given, marking)

        return await self._proposed(ids, _Work("Mark {}", "Mark", changes, mark))

    async def delete_emails(self, ids: _Ids) -> Proposal[ChangedEmails]:
        """Delete emails.

        Moves them to the trash, from where they can be taken back. The user confirms it. Gives
        back how many were changed, and failed with id and reason.

        Args:
            ids: The ids of 1 to 100 emails, as a reading tool gave them, such as
                $step1.emails[*].id for all that it found.
        """
        done = ("moved to the trash",)
        work = _Work("Move {} to the trash", "Move to trash", done, self._mailbox.trash)
        return await self._proposed(ids, work)

    async def _proposed(self, ids: Sequence[str], work: "_Work") -> Proposal[ChangedEmails]:
        """What is asked before it is done; each email is shown, and each that cannot be changed.

        Raises:
            ToolError: none of them can be.
        """
        found, failed = await self._found([id.strip().removeprefix("mail:") for id in ids])
        subjects = tuple((email.id, email.link()) for email in found)

        async def perform() -> ChangedEmails:
            kept = (*failed, *await work.do([email.id for email in found]))
            changed = len(found) + len(failed) - len(kept)
            return ChangedEmails(changed, kept, ", ".join(work.done), subjects)

        shown = (
            Shown("Will be", work.done),
            Shown(f"Emails ({len(found)})", tuple(map(self._in_full, found)), Sink.TARGET),
            *([Shown("Not changed", tuple(map(str, failed)))] if failed else []),
        )
        emails = "this email" if len(found) == 1 else f"these {len(found)} emails"
        return Proposal(work.title.format(emails), work.verb, shown, "", perform)

    def _in_full(self, email: Email) -> str:
        """Who, what about, when, and whose it is where there are several accounts."""
        subject = email.subject or "(no subject)"
        whose = [email.account] if email.account != self._mailbox.account else []
        return " · ".join([email.sender or "Unknown sender", subject, email.when(), *whose])

    async def _found(self, ids: Sequence[str]) -> tuple[list[Email], list[NotChanged]]:
        """The emails that can be changed, and why the others cannot.

        Raises:
            ToolError: none can be.
        """
        each_once = list(dict.fromkeys(ids))
        looked = await asyncio.gather(*(answer_or_error(self._changeable(id)) for id in each_once))
        outcomes = dict(zip(each_once, looked, strict=True))
        errors = {id: one for id, one in outcomes.items() if isinstance(one, ToolError)}
        if len(errors) == len(outcomes):
            raise together(list(errors.values()))
        found = [one for one in looked if not isinstance(one, ToolError)]
        return found, [NotChanged(id, str(error)) for id, error in errors.items()]

    async def _changeable(self, id: str) -> Email:
        email = await self._mailbox.read(id)
        await self._mailbox.ready(email.account)
        return email


@dataclass(frozen=True)
class _Work:
    """Something to do with emails: as a question, on a button, and when it is done."""

    title: str
    verb: str
    done: tuple[str, ...]
    do: Callable[[Sequence[str]], Awaitable[Sequence[NotChanged]]]


def _changes(marking: Marking) -> Iterator[str]:
    if marking.read is not None:
        yield "marked as read" if marking.read else "marked as unread"
    if marking.starred is not None:
        yield "starred" if marking.starred else "unstarred"
    yield from (f"labelled “{name}”" for name in marking.add)
    yield from (f"unlabelled “{name}”" for name in marking.remove)


def _labels(names: Sequence[str] | None) -> tuple[str, ...]:
    """The labels as they are to be named.

    Raises:
        ToolError: one cannot be a label, or stands for what another tool does.
    """
    labels = tuple(dict.fromkeys(" ".join(name.split()) for name in names or ()))
    refuse_hidden_characters("labels", *labels)
    for name in labels:
        if not name or len(name) > LONGEST_LABEL:
            raise ToolError(f"A label has 1 to {LONGEST_LABEL} characters, not {len(name)}.")
        if role_of(name) not in {"", "inbox"}:
            other = _OTHER_TOOL.get(role_of(name), "another name")
            raise ToolError(f"{name} is a place of its own and no label; use {other}.")
    return labels
