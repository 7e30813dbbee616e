"""Mailboxes: the accounts of a profile, opened with their indexes."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from assistant.settings import Account
from tools.mail.local import LocalMailbox, open_maildir, open_mbox
from tools.mail.mailbox import Report
from tools.moments import Clock


@dataclass(frozen=True)
class MailboxOpener:
    """Opens accounts; their indexes are kept in the folder `indexes`."""

    indexes: Path
    clock: Clock
    report: Report | None

    def open(self, account: Account, index: Path | None = None) -> LocalMailbox:
        """The mail of an account; `index` is another file than its own.

        Raises:
            ToolError: there is nothing of that kind at its path.
        """
        opener = open_maildir if account.kind == "maildir" else open_mbox
        return opener(
            account.path,
            account=account.name,
            index=index or self._index(account),
            clock=self.clock,
            address=account.address,
            report=self.report,
        )

    def _index(self, account: Account) -> Path:
        """A file that another account, or the same name for other mail, does not share."""
        digest = hashlib.sha256(f"{account.kind}:{account.path}".encode()).hexdigest()
        return self.indexes / f"mail-{digest[:16]}.db"
