"""Local organizing: a mailbox over a Maildir++ of this program's own, which can be put in order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tools.mail.index import Index
from tools.mail.local import LocalMailbox, existing
from tools.mail.mailbox import Marking, NotChanged, Report
from tools.mail.own_maildir import OwnMaildirStore
from tools.mail.places import label_key, role_of
from tools.mail.store import Folder
from tools.moments import Clock
from tools.tool import ToolError

_Change = Callable[[Index, str], None]


class OrganizedMaildir(LocalMailbox):
    """Implements `OrganizedMailbox`; an email keeps its id wherever it is moved."""

    def __init__(
        self,
        path: Path,
        *,
        account: str,
        index: Path,
        clock: Clock,
        address: str = "",
        report: Report | None = None,
    ) -> None:
        """Arguments as for `open_maildir`.

        Raises:
            ToolError: the path is no Maildir.
        """
        self._own = OwnMaildirStore(path)
        super().__init__(self._own, account, index, clock, address, report)

    async def ready(self) -> None:
        """There is nothing that would have to be mended."""

    async def archive(self, ids: Sequence[str]) -> Sequence[NotChanged]:
        """Move the emails that are in the inbox into the archive."""
        return await self._changed(ids, self._archive)

    async def mark(self, ids: Sequence[str], marking: Marking) -> Sequence[NotChanged]:
        """Mark the emails; the label INBOX stands for the inbox itself."""
        return await self._changed(ids, lambda index, id: self._mark(index, id, marking))

    async def trash(self, ids: Sequence[str]) -> Sequence[NotChanged]:
        """Move the emails into the trash."""
        return await self._changed(ids, lambda index, id: self._move(index, id, "trash"))

    async def _changed(self, ids: Sequence[str], change: _Change) -> Sequence[NotChanged]:
        tried = await self._fresh(lambda index: [_tried(index, id, change) for id in ids])
        failed = [each for each in tried if each]
        if failed and len(failed) == len(ids):
            raise ToolError(" ".join(dict.fromkeys(each.reason for each in failed)))
        return failed

    def _archive(self, index: Index, id: str) -> None:
        if role_of(existing(index, id).folder) == "inbox":
            self._move(index, id, "archive")

    def _move(self, index: Index, id: str, role: str) -> None:
        found, target = existing(index, id), self._own.folder(role)
        if found.folder != target.name:
            entry = self._own.move(self._folders[found.folder], found.place, target)
            with index.batch():
                index.put(id, target, entry)

    def _mark(self, index: Index, id: str, marking: Marking) -> None:
        found = existing(index, id)
        folder, labels = self._folders[found.folder], _labels(marking)
        _refuse_folder(folder, labels)
        entry = self._own.mark(folder, found.place, labels)
        with index.batch():
            index.put(id, folder, entry)
        if _names_inbox(marking.add):
            self._move(index, id, "inbox")
        elif _names_inbox(marking.remove):
            self._archive(index, id)


def _tried(index: Index, id: str, change: _Change) -> NotChanged | None:
    try:
        change(index, id)
    except ToolError as error:
        return NotChanged(id, str(error))
    except FileNotFoundError:
        return NotChanged(id, "Another program moved it meanwhile; search for it again.")
    except OSError as error:
        return NotChanged(id, f"It could not be changed: {error.strerror}.")
    return None


def _names_inbox(labels: Sequence[str]) -> bool:
    return any(role_of(name) == "inbox" for name in labels)


def _labels(marking: Marking) -> Marking:
    """The marking without the inbox, which is a folder."""
    add, remove = (
        tuple(name for name in names if role_of(name) != "inbox")
        for names in (marking.add, marking.remove)
    )
    return replace(marking, add=add, remove=remove)


def _refuse_folder(folder: Folder, marking: Marking) -> None:
    """Refuse to take off as a label what is the email's folder."""
    for name in marking.remove:
        if label_key(name) == label_key(folder.name):
            raise ToolError(f"It lies in the folder {folder.name}, which is no label.")
