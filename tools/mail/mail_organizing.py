"""Mail organizing: the tools that archive, mark and delete email; nothing is erased."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tools.account_queries import gather_results
from tools.mail.combined_mailbox import CombinedMailbox
from tools.mail.folders import folder_role
from tools.mail.mailbox import ChangeFailure, EmailChanges
from tools.mail.message.emails import Email
from tools.markdown.plain_text import escape_markdown
from tools.proposal import Proposal, ProposalField, Sink
from tools.recipients import reject_hidden_characters
from tools.tool import to_wire
from tools.tool_errors import ToolError

MAX_LABEL_LENGTH = 100
_OTHER_TOOL = {"trash": "delete_emails", "archive": "archive_emails"}


def _flatten_ids(ids: object) -> list[object]:
    """Flatten ids from a reference: one, several, nested lists, or the emails themselves."""
    if isinstance(ids, list | tuple):
        return [id for each in ids for id in _flatten_ids(each)]
    return [getattr(ids, "id", ids)]


_Ids = Annotated[list[str], BeforeValidator(_flatten_ids), Field(min_length=1, max_length=100)]
_Change = Callable[[Sequence[str]], Awaitable[Sequence[ChangeFailure]]]
_Labels = Annotated[list[str], Field(max_length=20)]


@dataclass(frozen=True)
class ChangedEmails:
    """The number of emails changed, and the failures.

    `done` names the change ("archived"); `subjects` are Markdown links by id.
    """

    changed: int
    failed: tuple[ChangeFailure, ...]
    done: str
    subjects: tuple[tuple[str, str], ...] = ()

    def wire(self) -> dict[str, Any]:
        """Return the fields of the public contract."""
        return {"changed": self.changed, "failed": to_wire(self.failed)}

    def markdown(self) -> str:
        """Return a sentence, and a list of the emails that were not changed."""
        links = dict(self.subjects)
        count = "1 email was" if self.changed == 1 else f"{self.changed} emails were"
        return "\n".join(
            [
                f"{count} {escape_markdown(self.done)}.",
                *(["", "Not changed:", ""] if self.failed else []),
                *(
                    f"- {links.get(each.id, each.id)}: {escape_markdown(each.reason)}"
                    for each in self.failed
                ),
            ]
        )


class MailOrganizing:
    """The tools that archive, mark and delete emails of all accounts."""

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
        return await self._propose(
            ids, "Archive {}", "Archive", ("archived",), self._mailbox.archive
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

        Marks them as read or unread, with or without a star, and adds or removes labels. The user
        confirms it. Gives back how many were changed, and failed with id and reason.

        Args:
            ids: The ids of 1 to 100 emails, as a reading tool gave them, such as
                $step1.emails[*].id for all that it found.
            read: True for read, false for unread.
            starred: True to add the star, false to remove it.
            add_labels: The names of labels to add; missing ones are created.
            remove_labels: The names of labels to remove.
        """
        changes = EmailChanges(
            read, starred, _check_labels(add_labels), _check_labels(remove_labels)
        )
        descriptions = tuple(_describe_changes(changes))
        if not descriptions:
            raise ToolError("Say what to change: read, starred, add_labels or remove_labels.")

        async def mark(found: Sequence[str]) -> Sequence[ChangeFailure]:
            return await self._mailbox.mark(found, changes)

        return await self._propose(ids, "Mark {}", "Mark", descriptions, mark)

    async def delete_emails(self, ids: _Ids) -> Proposal[ChangedEmails]:
        """Delete emails.

        Moves them to the trash, from where they can be taken back. The user confirms it. Gives
        back how many were changed, and failed with id and reason.

        Args:
            ids: The ids of 1 to 100 emails, as a reading tool gave them, such as
                $step1.emails[*].id for all that it found.
        """
        done = ("moved to the trash",)
        return await self._propose(
            ids, "Move {} to the trash", "Move to trash", done, self._mailbox.trash
        )

    async def _propose(
        self, ids: Sequence[str], title: str, verb: str, done: tuple[str, ...], change: _Change
    ) -> Proposal[ChangedEmails]:
        """Return the proposal; it shows each email, and each that cannot be changed.

        The title has {} for the emails; `done` holds the changes in words.

        Raises:
            ToolError: no email can be changed.
        """
        found, failed = await self._found([id.strip().removeprefix("mail:") for id in ids])
        subjects = tuple((email.id, email.link()) for email in found)

        async def perform() -> ChangedEmails:
            failures = (*failed, *await change([email.id for email in found]))
            changed = len(found) + len(failed) - len(failures)
            return ChangedEmails(changed, failures, ", ".join(done), subjects)

        shown = (
            ProposalField("Will be", done),
            ProposalField(f"Emails ({len(found)})", tuple(map(self._in_full, found)), Sink.TARGET),
            *([ProposalField("Not changed", tuple(map(str, failed)))] if failed else []),
        )
        emails = "this email" if len(found) == 1 else f"these {len(found)} emails"
        return Proposal(title.format(emails), verb, shown, "", perform)

    def _in_full(self, email: Email) -> str:
        """Return sender, subject and date, and the account if there are several."""
        subject = email.subject or "(no subject)"
        account = [email.account] if email.account != self._mailbox.account else []
        return " · ".join([email.sender or "Unknown sender", subject, email.when(), *account])

    async def _found(self, ids: Sequence[str]) -> tuple[list[Email], list[ChangeFailure]]:
        """Return the emails that can be changed, and the failures.

        Raises:
            ToolError: no email can be changed.
        """
        emails = await gather_results(ids, self._changeable)
        emails.raise_if_all_failed()
        failures = [ChangeFailure(id, str(error)) for id, error in emails.errors.items()]
        return list(emails.results.values()), failures

    async def _changeable(self, id: str) -> Email:
        email = await self._mailbox.read(id)
        await self._mailbox.ensure_writable(email.account)
        return email


def _describe_changes(changes: EmailChanges) -> Iterator[str]:
    if changes.read is not None:
        yield "marked as read" if changes.read else "marked as unread"
    if changes.starred is not None:
        yield "starred" if changes.starred else "unstarred"
    yield from (f"labelled “{name}”" for name in changes.add)
    yield from (f"unlabelled “{name}”" for name in changes.remove)


def _check_labels(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the labels normalized.

    Raises:
        ToolError: a label is invalid, or its change belongs to another tool.
    """
    labels = tuple(dict.fromkeys(" ".join(name.split()) for name in names or ()))
    reject_hidden_characters("labels", *labels)
    for name in labels:
        if not name or len(name) > MAX_LABEL_LENGTH:
            raise ToolError(f"A label has 1 to {MAX_LABEL_LENGTH} characters, not {len(name)}.")
        if folder_role(name) not in {"", "inbox"}:
            other = _OTHER_TOOL.get(folder_role(name), "another name")
            raise ToolError(f"{name} is a folder and no label; use {other}.")
    return labels
